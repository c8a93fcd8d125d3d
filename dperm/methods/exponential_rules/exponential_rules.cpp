// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/exponential_rules/finite_choice.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/rules/class_spec.hpp"

namespace dperm::methods {

namespace {

// A rule's number is kept as a double.
constexpr std::uint64_t kMostRules = std::uint64_t{1} << 53;

void check_task(const Task& task) {
  validate(task);
  require(model_form(task.problem) == ModelForm::rule, "a class of rules goes with the zero-one loss");
  require(
      task.problem.feasible_set.kind == loss::SetKind::unconstrained && task.problem.l2_penalty == 0,
      "a rule has no weights, so there is no feasible set and no penalty; leave `radius`, `box` and `l2_penalty` out");
  require(task.facts.rules <= kMostRules, "a class may have at most 2^53 rules; take fewer parts");
}

std::vector<DerivationStep> derivation(const Task& task, const ClassPlan& choice, double beta) {
  const auto rules = static_cast<double>(choice.rules), rows = static_cast<double>(choice.rows);
  const double epsilon = task.budget.epsilon;
  return {
      {"rules in the class", rules, "public: a function of schema and class"},
      {"rows n", rows, "public: neighbours replace one record"},
      {"range of the training errors", kErrorRange,
       "replacing a record changes every rule's errors by -1, 0 or 1 [finite_choice.md]"},
      {"scale of the choice", choice.scale, "range / epsilon, rounded up"},
      {"errors above the best rule's, on average at most", choice.expected_gap, "ln(rules) times scale [MT07, MS20]"},
      {"failure probability of the promises below", beta, "option failure_probability"},
      {"errors above the best rule's, at most", gap_bound(rules, epsilon, beta), "on these rows [finite_choice.md]"},
      {"true error above the best rule's, at most", agnostic_error(rules, rows, epsilon, beta),
       "rows drawn from any distribution; uniform convergence over the class [KLNRS11]"},
      {"true error where some rule is always right, at most", realisable_error(rules, rows, epsilon, beta),
       "the same, realisable case [KLNRS11]"},
  };
}

}  // namespace

Plan plan_for(const Task& task, const ExponentialRulesOptions& options) {
  check_options(options);
  check_task(task);
  const ClassPlan choice = plan_choice(task.facts.rules, task.facts.rows, task.budget.epsilon,
                                       options.choice.value_or(ChoiceRule::permute_and_flip));
  const double excess = std::min(1.0, rounded_up(choice.expected_gap / static_cast<double>(choice.rows)));
  return make_plan(
      options, task, {choice.event}, derivation(task, choice, options.failure_probability),
      {excess, "share of wrong answers above the best rule's: 2 ln(rules) / (epsilon n) [finite_choice.md]"},
      [choice, text = task.problem.rules](const data::Dataset& dataset, privacy::Curator& curator,
                                          const FitOptions& fit_options) -> Trained {
        const auto rules = rules::make_class(dataset.encoding(), rules::parse_class(text));
        // The one weight is the number of the chosen rule.
        return {choose_rule(*rules, choice, dataset, curator, fit_options.threads).map([](std::uint64_t chosen) {
          return std::vector<double>{static_cast<double>(chosen)};
        })};
      });
}

}  // namespace dperm::methods
