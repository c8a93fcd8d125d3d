// SPDX-License-Identifier: Apache-2.0
// Theorems about linear models with (epsilon, delta) or pure noise.
#include <cmath>
#include <string>

#include "dperm/plan/generalisation.hpp"
#include "dperm/privacy/gaussian_dp.hpp"
#include "tests/theorems/instances.hpp"
#include "tests/theorems/theorems.hpp"

namespace dperm::tests {

namespace {

constexpr double kDelta = 1e-6;
constexpr std::uint32_t kLevels = 16;

methods::Question question_for(const Point& point, loss::LossKind kind, std::uint32_t levels, double delta = kDelta) {
  methods::Question question;
  question.problem.loss.kind = kind;
  question.facts = facts_for(point.rows, levels);
  question.budget = {point.epsilon, delta};
  return question;
}

// One Gaussian release of a sum of unit vectors moved by 2: its noise, in records.
double noise_in_records(const Point& point) { return 2 / privacy::mu_for(point.epsilon, kDelta); }

// A sparse instance with a falling margin loss against every vector of norm at most `radius`.
Trial sparse_trial(const methods::Question& question, const methods::Plan& plan, double informative, double radius) {
  const Instance instance =
      sparse_instance(question.facts.rows, static_cast<std::uint32_t>(question.facts.dimension - 1), informative);
  return method_trial(plan, instance, question.problem, least_sparse_risk(instance, question.problem, radius));
}

}  // namespace

Theorem objective_perturbation() {
  Theorem theorem;
  theorem.name = "objective_perturbation";
  theorem.title = "Objective perturbation, Gaussian term";
  theorem.statement = "E excess <= sigma sqrt(d) R / n, sigma = 2/mu(epsilon, delta)";
  const Point base{4000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000, 8000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    const methods::Question question = question_for(point, loss::LossKind::logistic, kLevels);
    const methods::Plan plan = methods::method_named("objective-perturbation").plan(question, {});
    return sparse_trial(question, plan, 1.5 * noise_in_records(point),
                        methods::default_radius(question.problem, question.facts));
  };
  return theorem;
}

Theorem pure_objective_perturbation() {
  Theorem theorem;
  theorem.name = "pure_objective_perturbation";
  theorem.title = "Objective perturbation, pure epsilon";
  theorem.statement = "E excess <= 2 sqrt(d (d + 1)) R / (epsilon n)";
  const Point base{4000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000, 8000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    const methods::Question question = question_for(point, loss::LossKind::logistic, kLevels, 0);
    const methods::Plan plan = methods::method_named("objective-perturbation").plan(question, {});
    return sparse_trial(question, plan, 12 / point.epsilon, methods::default_radius(question.problem, question.facts));
  };
  return theorem;
}

Theorem output_perturbation() {
  Theorem theorem;
  theorem.name = "output_perturbation";
  theorem.title = "Output perturbation, smooth loss";
  theorem.statement = "E excess <= min over l of l R^2/2 + (beta + l) d (2 G / (n l mu))^2 / 2";
  const Point base{16000, 1};
  theorem.runs = 100;
  theorem.sweeps = {rows_sweep(-2.0 / 3, base, {4000, 8000, 16000, 32000}),
                    epsilon_sweep(-2.0 / 3, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    const methods::Question question = question_for(point, loss::LossKind::logistic, 4);
    const methods::Plan plan = methods::method_named("output-perturbation").plan(question, {{"solver", "certified"}});
    // The price of the penalty is attained where it holds back weights that few records ask for.
    return sparse_trial(question, plan, 5 * plan.question.problem.l2_penalty * point.rows,
                        methods::default_radius(question.problem, question.facts));
  };
  return theorem;
}

Theorem lipschitz_descent() {
  Theorem theorem;
  theorem.name = "lipschitz_descent";
  theorem.title = "Noisy gradient descent, Lipschitz loss";
  theorem.statement = "E excess <= R G sqrt(1/T + 4 d / (n mu)^2)";
  const Point base{512, 1};
  theorem.sweeps = {rows_sweep(-1, base, {128, 192, 256, 384, 512}),
                    epsilon_sweep(-1, base, {0.25, 0.35, 0.5, 0.7, 1})};
  theorem.at = [](const Point& point) {
    // Scores stay within [-1, 1], where the hinge is a straight line.
    methods::Question question = question_for(point, loss::LossKind::hinge, kLevels);
    question.problem.feasible_set = {loss::SetKind::ball, 1};
    const methods::Plan plan = methods::method_named("gradient-descent").plan(question, {});
    return sparse_trial(question, plan, 0.7 * noise_in_records(point), 1);
  };
  return theorem;
}

Theorem smooth_descent() {
  Theorem theorem;
  theorem.name = "smooth_descent";
  theorem.title = "Noisy gradient descent, smooth loss";
  theorem.statement = "E excess <= R^2/(2 eta T) + eta d s^2 / (2 (1 - eta beta)), all iterates averaged";
  const Point base{2000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [](const Point& point) {
    methods::Question question = question_for(point, loss::LossKind::logistic, kLevels);
    question.problem.feasible_set = {loss::SetKind::ball, 1};
    const methods::Plan plan = methods::method_named("gradient-descent").plan(question, {{"average_fraction", "1"}});
    return sparse_trial(question, plan, 1.4 * noise_in_records(point), 1);
  };
  return theorem;
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
    methods::Question question = question_for(point, loss::LossKind::hinge, kMany);
    question.problem.feasible_set = {loss::SetKind::ball, 1};
    question.problem.l2_penalty = 1;
    // Steps in proportion to (n mu)^2 / d, so that noise is ten times what the gradients add.
    const double noises = 2 * point.rows / noise_in_records(point);
    const double steps = std::ceil(10 * 4 * noises * noises / (4 * static_cast<double>(kMany + 1)));
    const methods::Plan plan =
        methods::method_named("gradient-descent")
            .plan(question, {{"schedule", "strongly-convex"}, {"steps", std::to_string(std::llround(steps))}});
    const Instance instance = sparse_instance(question.facts.rows, kMany, point.rows / kMany);
    // The hinge is a straight line here: F = 1 - <g, w> + |w|^2/2 with |g|^2 = 1 / (2 levels).
    return method_trial(plan, instance, question.problem, 1 - 0.25 / kMany);
  };
  return theorem;
}

Theorem steps_on_samples() {
  Theorem theorem;
  theorem.name = "sgd";
  theorem.title = "Plain steps on samples (sgd)";
  theorem.statement = "E excess <= R^2/(2 eta T) + eta s^2 / (2 (1 - eta beta)) + e, s^2: noise and sample";
  const Point base{1000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {250, 500, 1000, 2000}), epsilon_sweep(-1, base, {0.25, 0.5, 1})};
  theorem.at = [](const Point& point) {
    methods::Question question = question_for(point, loss::LossKind::logistic, kLevels);
    question.problem.feasible_set = {loss::SetKind::ball, 1};
    const methods::Plan plan = methods::method_named("sgd").plan(question, {{"optimiser", "plain"}});
    return sparse_trial(question, plan, 1.4 * noise_in_records(point), 1);
  };
  return theorem;
}

Theorem regularised_exponential() {
  Theorem theorem;
  theorem.name = "regularised_exponential";
  theorem.title = "Regularised exponential mechanism";
  theorem.statement = "E excess <= 2 sqrt(2 d) R / (n mu)";
  theorem.runs = 80;
  const Point base{800, 1};
  theorem.sweeps = {rows_sweep(-1, base, {100, 200, 400, 800}), epsilon_sweep(-1, base, {0.25, 0.5, 1})};
  theorem.at = [](const Point& point) {
    const methods::Question question = question_for(point, loss::LossKind::logistic, 4);
    const methods::Plan plan = methods::method_named("exponential").plan(question, {});
    return sparse_trial(question, plan, 1.5 * noise_in_records(point),
                        methods::default_radius(question.problem, question.facts));
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
    const methods::Question question = question_for(point, loss::LossKind::squared, kFew);
    const methods::Plan plan = methods::method_named("sufficient-statistics").plan(question, {{"ridge", "certified"}});
    // Targets follow weights of norm R = sqrt(2) without error, so the least risk is 0.
    Instance instance = sparse_instance(question.facts.rows, kFew, 13 * noise_in_records(point), 0.5);
    for (Group& group : instance.groups) {
      if (group.level == kFew) group.target = 0;
    }
    return method_trial(plan, instance, question.problem, 0);
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
    methods::Question question = question_for(point, loss::LossKind::hinge, kFew);
    question.problem.feasible_set = {loss::SetKind::ball, 1};
    // Steps in proportion to n, so that all terms but the noise's fall alike.
    const methods::Plan plan =
        methods::method_named("gradient-descent").plan(question, {{"steps", std::to_string(4 * question.facts.rows)}});
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
    return Trial{plan::population_excess_risk(plan).value(), [=](std::uint64_t seed) {
                   const Instance sample = sampled(kFew, groups, shares, question.facts.rows, seed);
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
