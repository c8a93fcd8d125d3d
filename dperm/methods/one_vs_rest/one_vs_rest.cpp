// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/one_vs_rest/one_vs_rest.hpp"

#include <cmath>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/objective_perturbation/objective_derivation.hpp"
#include "dperm/methods/objective_perturbation/objective_release.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::methods {

namespace {

// The task of each class's fit, with its share of the budget.
Task binary_task(const Task& asked, const loss::Loss& binary, double epsilon) {
  Task task = asked;
  task.problem.loss = binary;
  task.facts.classes = 0;
  task.facts.target = schema::TargetKind::binary;
  task.budget = {epsilon, rounded_down(asked.budget.delta / static_cast<double>(asked.facts.classes))};
  return task;
}

// [proof methods_one_vs_rest.budget]
// All terms are drawn first, so that the K equal events stand together.
std::vector<privacy::PrivacyEvent> repeated(const ObjectiveSettings& of_class, std::size_t classes) {
  std::vector<privacy::PrivacyEvent> events = objective_events(of_class);
  for (privacy::PrivacyEvent& event : events) event.repetitions = static_cast<std::int64_t>(classes);
  return events;
}

// The largest epsilon for a class, to about one part in 2000, with which all of them together stay within the budget.
OneVsRest divided(const Task& asked, const loss::Loss& binary, TermNoise noise, double first, double penalty) {
  const auto with_share = [&](double epsilon) {
    Task task = binary_task(asked, binary, epsilon);
    task.problem.l2_penalty = penalty;
    OneVsRest result{asked, objective_settings(task, noise, ObjectiveCalibration::tight), {}};
    result.task.problem.l2_penalty = penalty;
    result.events = repeated(result.of_class, asked.facts.classes);
    return result;
  };
  const auto within = [&](const OneVsRest& each) {
    return privacy::account(each.events, asked.budget.delta).epsilon <= asked.budget.epsilon;
  };
  double low = first / 2, high = 1.5 * first;
  OneVsRest best = with_share(low);
  require(within(best),
          "no division of the budget among the classes was found; take a larger epsilon or fewer classes");
  for (int i = 0; i < 11; ++i) {
    const double middle = (low + high) / 2;
    OneVsRest next = with_share(middle);
    if (within(next)) {
      low = middle;
      best = std::move(next);
    } else {
      high = middle;
    }
  }
  return best;
}
// [/proof]

}  // namespace

OneVsRest one_vs_rest(const Task& asked, const loss::Loss& binary, TermNoise noise) {
  validate(asked);
  require(model_form(asked.problem) == ModelForm::multiclass,
          "one-vs-rest is for a target of kind class and models without hidden layers");
  const double classes = static_cast<double>(asked.facts.classes);
  const Budget& budget = asked.budget;
  // What K releases of one Gaussian mechanism would get; pure epsilons add up.
  const double share =
      noise == TermNoise::pure
          ? rounded_down(budget.epsilon / classes)
          : privacy::epsilon_gaussian(privacy::mu_for(budget.epsilon, budget.delta) / std::sqrt(classes),
                                      budget.delta / classes);
  require(share > 0, "delta is too large to be divided among the classes; take one far below 1/rows");
  ObjectiveSettings first = objective_settings(binary_task(asked, binary, share), noise, ObjectiveCalibration::tight);
  const double penalty = first.task.problem.l2_penalty;
  if (noise == TermNoise::gaussian) return divided(asked, binary, noise, share, penalty);
  OneVsRest result{asked, std::move(first), {}};
  result.task.problem.l2_penalty = penalty;
  result.events = repeated(result.of_class, asked.facts.classes);
  return result;
}

// [proof methods_one_vs_rest.fit]
privacy::Released<std::vector<double>> fit_classes(const OneVsRest& plan, const Sensitive<engine::SharedSums>& sums,
                                                   privacy::Curator& curator, Threads threads) {
  const std::size_t classes = plan.task.facts.classes;
  std::vector<ObjectiveTerm> terms;
  for (std::size_t k = 0; k < classes; ++k) terms.push_back(draw_term(plan.of_class, curator));
  const auto fit_class = [&](std::size_t k) {
    ObjectiveSettings of_class = plan.of_class;
    of_class.task.problem.loss.positive = static_cast<std::int32_t>(k);
    return release_minimiser(of_class, sums, terms[k], curator, threads);
  };
  std::vector<double> all;
  for (std::size_t k = 0; k + 1 < classes; ++k) {
    const auto weights = fit_class(k);
    all.insert(all.end(), weights.get().begin(), weights.get().end());
  }
  return fit_class(classes - 1).map([&](const std::vector<double>& last) {
    all.insert(all.end(), last.begin(), last.end());
    return all;
  });
}
// [/proof]

namespace {

loss::Loss binary_loss(const OneVsRestOptions& options) {
  const bool soft_hinge = options.binary_loss == BinaryLoss::smoothed_hinge;
  require(soft_hinge || (!options.binary_margin && !options.binary_smoothing),
          "`binary_margin` and `binary_smoothing` are options of `binary_loss = smoothed-hinge`");
  loss::Loss loss{.kind = soft_hinge ? loss::LossKind::smoothed_hinge : loss::LossKind::logistic};
  loss.margin = options.binary_margin.value_or(loss.margin);
  loss.smoothing = options.binary_smoothing.value_or(loss.smoothing);
  return loss;
}

// How the budget is divided, then what a class's share of it gives.
std::vector<DerivationStep> derivation(const OneVsRest& plan) {
  const Budget& share = plan.of_class.task.budget;
  std::vector<DerivationStep> steps = {
      {"classes K", static_cast<double>(plan.task.facts.classes), "public; a binary model each, against the rest"},
      {"epsilon of one class", share.epsilon, "as large as K fits together allow [one_vs_rest.md]"},
      {"delta of one class", share.delta, "delta / K"},
  };
  const std::vector<DerivationStep> one = objective_derivation(plan.of_class);
  steps.insert(steps.end(), one.begin(), one.end());
  return steps;
}

}  // namespace

Plan plan_for(const Task& task, const OneVsRestOptions& options) {
  check_options(options);
  const OneVsRest all = one_vs_rest(task, binary_loss(options), term_noise(options.noise, task.budget));
  return make_plan(
      options, all.task, all.events, derivation(all),
      {.theorem = "the theorem is about one class's model, not about all scores together [one_vs_rest.md]"},
      [all](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return {fit_classes(all, dataset.sums(), curator, fit_options.threads)};
      });
}

}  // namespace dperm::methods
