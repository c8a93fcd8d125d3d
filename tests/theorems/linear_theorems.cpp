// SPDX-License-Identifier: Apache-2.0
// Theorems about linear models with (epsilon, delta) or pure noise.
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dperm/planner/generalisation.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "tests/theorems/instances.hpp"
#include "tests/theorems/theorems.hpp"

namespace dperm::tests {

namespace {

constexpr double kDelta = 1e-6;
constexpr std::uint32_t kLevels = 16;

methods::Task task_for(const Point& point, loss::LossKind kind, std::uint32_t levels, double delta = kDelta) {
  methods::Task task;
  task.problem.loss.kind = kind;
  task.facts = facts_for(point.rows, levels);
  task.budget = {point.epsilon, delta};
  return task;
}

// One Gaussian release of a sum of unit vectors moved by 2: its noise, in records.
double noise_in_records(const Point& point) { return 2 / privacy::mu_for(point.epsilon, kDelta); }

// So many times the noise of a release of the whole budget.
auto noises(double factor) {
  return [factor](const Point& point, const methods::Plan&) { return factor * noise_in_records(point); };
}

// A method on a sparse instance with a falling margin loss, swept in rows and epsilon.
struct SparseCase {
  std::string name, title, statement;
  double power = -1;  // of rows and of epsilon
  double base_rows;
  std::vector<double> rows, epsilons;
  std::size_t runs = 200;
  loss::LossKind loss = loss::LossKind::logistic;
  std::uint32_t levels = kLevels;
  double delta = kDelta;
  double radius = 0;  // of the feasible set; 0: none, and weights are compared with the default radius
  std::string method;
  std::map<std::string, std::string> options = {};
  // Records of each level: as many as it takes to attain the bound's rate.
  std::function<double(const Point&, const methods::Plan&)> informative;
};

Theorem sparse_theorem(const SparseCase& c) {
  Theorem theorem;
  theorem.name = c.name;
  theorem.title = c.title;
  theorem.statement = c.statement;
  theorem.runs = c.runs;
  const Point base{c.base_rows, 1};
  theorem.sweeps = {rows_sweep(c.power, base, c.rows), epsilon_sweep(c.power, base, c.epsilons)};
  theorem.at = [c](const Point& point) {
    methods::Task task = task_for(point, c.loss, c.levels, c.delta);
    if (c.radius > 0) task.problem.feasible_set = {loss::SetKind::ball, c.radius};
    const methods::Plan plan = methods::method_named(c.method).plan(task, c.options);
    const Instance instance = sparse_instance(task.facts.rows, c.levels, c.informative(point, plan));
    const double radius = c.radius > 0 ? c.radius : methods::default_radius(task.problem, task.facts);
    return method_trial(plan, instance, task.problem, least_sparse_risk(instance, task.problem, radius));
  };
  return theorem;
}

}  // namespace

Theorem objective_perturbation() {
  return sparse_theorem({.name = "objective_perturbation",
                         .title = "Objective perturbation, Gaussian term",
                         .statement = "E excess <= sigma sqrt(d) R / n, sigma = 2/mu(epsilon, delta)",
                         .base_rows = 4000,
                         .rows = {500, 1000, 2000, 4000, 8000},
                         .epsilons = {0.25, 0.5, 1, 2},
                         .method = "objective-perturbation",
                         .informative = noises(1.5)});
}

Theorem pure_objective_perturbation() {
  return sparse_theorem({.name = "pure_objective_perturbation",
                         .title = "Objective perturbation, pure epsilon",
                         .statement = "E excess <= 2 sqrt(d (d + 1)) R / (epsilon n)",
                         .base_rows = 4000,
                         .rows = {500, 1000, 2000, 4000, 8000},
                         .epsilons = {0.25, 0.5, 1, 2},
                         .delta = 0,
                         .method = "objective-perturbation",
                         .informative = [](const Point& point, const methods::Plan&) { return 12 / point.epsilon; }});
}

Theorem output_perturbation() {
  // The price of the penalty is attained where it holds back weights that few records ask for.
  const auto few = [](const Point& point, const methods::Plan& plan) {
    return 5 * plan.task.problem.l2_penalty * point.rows;
  };
  return sparse_theorem({.name = "output_perturbation",
                         .title = "Output perturbation, smooth loss",
                         .statement = "E excess <= min over l of l R^2/2 + (beta + l) d (2 G / (n l mu))^2 / 2",
                         .power = -2.0 / 3,
                         .base_rows = 16000,
                         .rows = {4000, 8000, 16000, 32000},
                         .epsilons = {0.25, 0.5, 1, 2},
                         .runs = 100,
                         .levels = 4,
                         .method = "output-perturbation",
                         .options = {{"solver", "certified"}},
                         .informative = few});
}

Theorem lipschitz_descent() {
  return sparse_theorem({.name = "lipschitz_descent",
                         .title = "Noisy gradient descent, Lipschitz loss",
                         .statement = "E excess <= R G sqrt(1/T + 4 d / (n mu)^2)",
                         .base_rows = 512,
                         .rows = {128, 192, 256, 384, 512},
                         .epsilons = {0.25, 0.35, 0.5, 0.7, 1},
                         .loss = loss::LossKind::hinge,  // scores stay within [-1, 1], where it is a straight line
                         .radius = 1,
                         .method = "gradient-descent",
                         .informative = noises(0.7)});
}

Theorem smooth_descent() {
  return sparse_theorem(
      {.name = "smooth_descent",
       .title = "Noisy gradient descent, smooth loss",
       .statement = "E excess <= R^2/(2 eta T) + eta d s^2 / (2 (1 - eta beta)), all iterates averaged",
       .base_rows = 2000,
       .rows = {500, 1000, 2000, 4000},
       .epsilons = {0.25, 0.5, 1, 2},
       .radius = 1,
       .method = "gradient-descent",
       .options = {{"average_fraction", "1"}},
       .informative = noises(1.4)});
}

Theorem steps_on_samples() {
  return sparse_theorem(
      {.name = "sgd",
       .title = "Plain steps on samples (sgd)",
       .statement = "E excess <= R^2/(2 eta T) + eta s^2 / (2 (1 - eta beta)) + e, s^2: noise and sample",
       .base_rows = 1000,
       .rows = {250, 500, 1000, 2000},
       .epsilons = {0.25, 0.5, 1},
       .radius = 1,
       .method = "sgd",
       .options = {{"optimiser", "plain"}},
       .informative = noises(1.4)});
}

Theorem regularised_exponential() {
  return sparse_theorem({.name = "regularised_exponential",
                         .title = "Regularised exponential mechanism",
                         .statement = "E excess <= 2 sqrt(2 d) R / (n mu)",
                         .base_rows = 800,
                         .rows = {100, 200, 400, 800},
                         .epsilons = {0.25, 0.5, 1},
                         .runs = 80,
                         .levels = 4,
                         .method = "exponential",
                         .informative = noises(1.5)});
}

Theorem strongly_convex_descent() {
  Theorem theorem;
  theorem.name = "strongly_convex_descent";
  theorem.title = "Noisy gradient descent, strongly convex";
  theorem.statement = "E excess <= 2 (G^2 + d s^2) / (lambda (T + 1))";
  const Point base{448, 1};
  theorem.runs = 100;
  theorem.sweeps = {rows_sweep(-2, base, {192, 256, 320, 448}), epsilon_sweep(-2, base, {0.5, 0.7, 1})};
  theorem.at = [](const Point& point) {
    constexpr std::uint32_t kMany = 64;
    methods::Task task = task_for(point, loss::LossKind::hinge, kMany);
    task.problem.feasible_set = {loss::SetKind::ball, 1};
    task.problem.l2_penalty = 1;
    // Steps in proportion to (n mu)^2 / d, so that noise is ten times what the gradients add.
    const double noises = 2 * point.rows / noise_in_records(point);
    const double steps = std::ceil(10 * 4 * noises * noises / (4 * static_cast<double>(kMany + 1)));
    const methods::Plan plan =
        methods::method_named("gradient-descent")
            .plan(task, {{"schedule", "strongly-convex"}, {"steps", std::to_string(std::llround(steps))}});
    const Instance instance = sparse_instance(task.facts.rows, kMany, point.rows / kMany);
    // The hinge is a straight line here: F = 1 - <g, w> + |w|^2/2 with |g|^2 = 1 / (2 levels).
    return method_trial(plan, instance, task.problem, 1 - 0.25 / kMany);
  };
  return theorem;
}

Theorem sufficient_statistics() {
  Theorem theorem;
  theorem.name = "sufficient_statistics";
  theorem.title = "Linear regression from noisy second moments";
  theorem.statement = "excess <= 4 (e + 3 L R)^2 / (2 L n) with probability 0.85";
  theorem.promise = Promise::with_probability;
  theorem.failure = 0.15;
  const Point base{32000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {8000, 16000, 32000, 64000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    constexpr std::uint32_t kFew = 4;
    const methods::Task task = task_for(point, loss::LossKind::squared, kFew);
    const methods::Plan plan = methods::method_named("sufficient-statistics").plan(task, {{"ridge", "certified"}});
    // Targets follow weights of norm R = sqrt(2) without error, so the least risk is 0.
    Instance instance = sparse_instance(task.facts.rows, kFew, 13 * noise_in_records(point), 0.5);
    for (Group& group : instance.groups) {
      if (group.level == kFew) group.target = 0;
    }
    return method_trial(plan, instance, task.problem, 0);
  };
  return theorem;
}

Theorem uniform_convergence() {
  Theorem theorem;
  theorem.name = "uniform_convergence";
  theorem.title = "New rows, weights in a ball";
  theorem.statement = "E excess on the population <= R G sqrt(1/T + 4 d / (n mu)^2) + 2 G R / sqrt(n)";
  theorem.runs = 200;
  const Point base{0, 8};
  theorem.sweeps = {rows_sweep(-0.5, base, {125, 250, 500, 1000})};
  theorem.at = [](const Point& point) {
    constexpr std::uint32_t kFew = 4;
    methods::Task task = task_for(point, loss::LossKind::hinge, kFew);
    task.problem.feasible_set = {loss::SetKind::ball, 1};
    // Steps in proportion to n, so that all terms but the noise's fall alike.
    const methods::Plan plan =
        methods::method_named("gradient-descent").plan(task, {{"steps", std::to_string(4 * task.facts.rows)}});
    // Levels are equally likely, answers nearly fair coins: what there is to learn, the mean gradient, is 0.6 times as
    // long as sampling makes it err.
    const double lean = 0.6 * std::sqrt(8 / point.rows), length = lean / std::sqrt(8.0);
    std::vector<Group> groups;
    std::vector<double> shares;
    for (std::uint32_t level = 0; level < kFew; ++level) {
      for (const double answer : {1.0, -1.0}) {
        groups.push_back({level, answer, 0});
        shares.push_back((1 + (level % 2 == 0 ? 1 : -1) * answer * lean) / (2 * kFew));
      }
    }
    return Trial{planner::population_excess_risk(plan).value(), [=](std::uint64_t seed) {
                   const Instance sample = sampled(kFew, groups, shares, task.facts.rows, seed);
                   const auto weights = fitted_weights(plan, dataset_of(sample.table(true)), seed);
                   double along = 0;  // the hinge is a straight line in this ball
                   for (std::uint32_t level = 0; level < kFew; ++level) {
                     along += (level % 2 == 0 ? 0.5 : -0.5) * weights[1 + level];
                   }
                   return length * (1 - along);
                 }};
  };
  return theorem;
}

}  // namespace dperm::tests
