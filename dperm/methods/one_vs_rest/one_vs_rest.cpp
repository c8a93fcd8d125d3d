// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/one_vs_rest/one_vs_rest.hpp"

#include <cmath>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/objective_perturbation/objective_release.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::methods {

namespace {

// The task that each class's fit answers, with its share of the budget.
Task binary_task(const Task& asked, const loss::Loss& binary, double epsilon) {
  Task task = asked;
  task.problem.loss = binary;
  task.facts.classes = 0;
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

}  // namespace dperm::methods
