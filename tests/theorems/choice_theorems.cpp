// SPDX-License-Identifier: Apache-2.0
// Theorems about the exponential mechanism in its shapes, and about one number.
#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <variant>

#include "dperm/methods/exponential_location/location_costs.hpp"
#include "tests/theorems/instances.hpp"
#include "tests/theorems/theorems.hpp"

namespace dperm::tests {

namespace {

methods::Task pure_task(const Point& point, loss::LossKind kind, std::uint32_t levels) {
  methods::Task task;
  task.problem.loss.kind = kind;
  task.facts = facts_for(point.rows, levels);
  task.budget = {point.epsilon, 0};
  return task;
}

}  // namespace

Theorem exponential_on_a_ball() {
  constexpr double kFailure = 0.05;
  Theorem theorem;
  theorem.name = "exponential_ball";
  theorem.title = "Exponential mechanism, convex risk";
  theorem.statement = "excess <= T Q with probability 0.95, T = osc/(epsilon n), Q the quantile of Gamma(d, 1)";
  theorem.promise = Promise::with_probability;
  theorem.failure = kFailure;
  theorem.runs = 300;
  const Point base{1000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {250, 500, 1000, 2000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    // Absolute losses of records in three directions, all targets 0: a cone with its tip at 0.
    const methods::Task task = pure_task(point, loss::LossKind::absolute, 2);
    const methods::Plan plan = methods::method_named("exponential").plan(task, {});
    const auto half = static_cast<std::size_t>(point.rows) / 4;
    const Instance instance{2, {{0, 0, half}, {1, 0, half}, {2, 0, task.facts.rows - 2 * half}}};
    Trial trial = method_trial(plan, instance, task.problem, 0);
    // The plan promises the mean, d T; a Gamma(d, 1) variable has mean d.
    const boost::math::gamma_distribution<> gamma(3.0, 1.0);
    trial.bound *= boost::math::quantile(gamma, 1 - kFailure) / 3;
    return trial;
  };
  return theorem;
}

Theorem exponential_median() {
  Theorem theorem;
  theorem.name = "exponential_median";
  theorem.title = "Exponential mechanism, median by its loss";
  theorem.statement = "E excess <= (1 + ln 2) 4 / (epsilon n)";
  theorem.runs = 2000;
  const Point base{2000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000, 8000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    const methods::Task task = pure_task(point, loss::LossKind::absolute, 0);
    const methods::Plan plan = methods::method_named("exponential").plan(task, {{"score", "loss"}});
    return method_trial(plan, {0, {{0, 0, task.facts.rows}}}, task.problem, 0);
  };
  return theorem;
}

Theorem rank_median() {
  Theorem theorem;
  theorem.name = "rank_median";
  theorem.title = "Median by its rank, permute-and-flip";
  theorem.statement = "E excess <= (4 ln N / epsilon + 1) / n, N = 2^31 + 1 candidates";
  theorem.runs = 4000;
  const Point base{2000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000, 8000}),
                    epsilon_sweep(-1, base, {0.125, 0.25, 0.5, 1})};
  theorem.at = [](const Point& point) {
    const methods::Task task = pure_task(point, loss::LossKind::absolute, 0);
    const methods::Plan plan = methods::method_named("exponential").plan(task, {});
    // Two neighbouring points of the lattice are right; everywhere else the rank is off by `gap`, and there are so
    // many other points that they are chosen about as often.
    const double candidates = 0x1p31 + 1;
    const double doubled_gap = std::log(candidates) * static_cast<double>(methods::kRankRange) / point.epsilon;
    const auto gap = static_cast<std::size_t>(std::llround(doubled_gap / 2));
    const std::size_t half = task.facts.rows / 2;
    const Instance instance{0, {{0, -1, half - gap}, {0, 0, gap}, {0, 0x1p-30, gap}, {0, 1, half - gap}}};
    return method_trial(plan, instance, task.problem, instance.risk(task.problem, {0}));
  };
  return theorem;
}

Theorem laplace_mean() {
  Theorem theorem;
  theorem.name = "laplace_mean";
  theorem.title = "Mean with Laplace noise";
  theorem.statement = "E excess = 2 (2 / (epsilon n))^2";
  theorem.promise = Promise::attained;
  theorem.runs = 4000;
  const Point base{1000, 1};
  theorem.sweeps = {rows_sweep(-2, base, {100, 300, 1000, 3000}), epsilon_sweep(-2, base, {0.125, 0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    const methods::Task task = pure_task(point, loss::LossKind::squared, 0);
    const methods::Plan plan = methods::method_named("exponential").plan(task, {});
    const Instance instance{0, {{0, 0.5, task.facts.rows / 2}, {0, -0.5, task.facts.rows / 2}}};
    return method_trial(plan, instance, task.problem, instance.risk(task.problem, {0}));
  };
  return theorem;
}

}  // namespace dperm::tests
