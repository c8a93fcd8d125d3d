// SPDX-License-Identifier: Apache-2.0
#include "cli/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/report/coefficients.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::cli {

namespace {

std::string set_text(const loss::FeasibleSet& set) {
  switch (set.kind) {
    case loss::SetKind::ball:
      return fmt::format("weights of norm at most {:.4g}", set.radius);
    case loss::SetKind::box:
      return fmt::format("weights between -{0:.4g} and {0:.4g}", set.radius);
    case loss::SetKind::unconstrained:
      break;
  }
  return "any weights";
}

std::string penalty_text(double l2_penalty) {
  return l2_penalty > 0 ? fmt::format("l2_penalty {:.4g}", l2_penalty) : "no l2_penalty";
}

// The loss of weights that are all zero, the largest over targets: what a bound has to be compared with.
double loss_of_zero(const loss::Loss& loss) { return std::max(loss::value(loss, 0, 1), loss::value(loss, 0, -1)); }

std::string bound_in_words(const loss::Loss& loss, double excess_risk) {
  const double zero = loss_of_zero(loss);
  const std::string text = fmt::format("For scale: weights of zero have a loss of at most {:.3g}", zero);
  return excess_risk < zero ? text : text + ", so this bound promises nothing here; more rows or epsilon would help";
}

std::string effect_on(const report::Model& model) {
  const std::string& target = model.schema.target.name;
  const loss::LossKind kind = model.plan.question.problem.loss.kind;
  if (kind == loss::LossKind::logistic) return fmt::format("the log-odds that {} is positive", target);
  if (loss::is_classification(kind)) return fmt::format("the score; above 0 {} is predicted positive", target);
  return fmt::format("{}, in its own unit", target);
}

}  // namespace

std::string guarantee_text(const privacy::Guarantee& guarantee) {
  const std::string budget = guarantee.delta > 0
                                 ? fmt::format("(epsilon {:.6g}, delta {:.3g})", guarantee.epsilon, guarantee.delta)
                                 : fmt::format("pure (epsilon {:.6g})", guarantee.epsilon);
  return fmt::format(
      "{}-differential privacy when one row is {} (number of rows public{})", budget,
      guarantee.neighbours == privacy::Neighbours::replace_one ? "replaced by any other" : "added or removed",
      guarantee.pure ? "" : fmt::format("; {} accounting", guarantee.accountant));
}

std::string meaning_text(const privacy::Guarantee& guarantee) {
  // Both trade-offs of (epsilon, delta): the power of a test of level a is at most e^eps a + delta, and by symmetry
  // at most 1 - e^-eps (1 - a - delta).
  constexpr double kLevel = 0.05;
  const double power = std::min(std::exp(guarantee.epsilon) * kLevel + guarantee.delta,
                                1 - std::exp(-guarantee.epsilon) * (1 - kLevel - guarantee.delta));
  return fmt::format(
      "a test at the 5% level of what one row holds has power at most {:.3g}, even for someone who knows all others",
      std::ceil(std::clamp(power, 0.0, 1.0) * 1e4) / 1e4);
}

std::string privacy_text(const report::Model& model) {
  if (!model.is_private) return fmt::format("NOT private: {}\n", fmt::join(model.remarks, "; "));
  return fmt::format("Spent: {}.\nThat means: {}.\n", guarantee_text(model.guarantee), meaning_text(model.guarantee));
}

std::string alternatives_table(const std::vector<plan::Alternative>& alternatives) {
  std::string text = fmt::format("{:<24}{:>20}{:>12}  {}\n", "method", "excess risk at most", "epsilon", "releases");
  for (const plan::Alternative& each : alternatives) {
    if (!each.plan) {
      text += fmt::format("{:<24}{}\n", each.method, "not applicable: " + each.refusal);
      continue;
    }
    std::vector<std::string> releases;
    for (const auto& event : each.plan->events)
      releases.push_back(fmt::format("{} x {}", event.repetitions, event.what));
    text += fmt::format("{:<24}{:>20.4g}{:>12.4g}  {}\n", each.method, each.plan->utility.excess_risk,
                        each.plan->guarantee.epsilon, fmt::join(releases, ", "));
  }
  return text + "excess risk: mean loss above that of the best weights; a proven bound, usually far from reached\n";
}

std::string plan_text(const methods::Plan& plan) {
  const methods::Question& question = plan.question;
  const methods::Problem& problem = question.problem;
  return fmt::format(
      "method    {}\n"
      "problem   {} loss, {}, {} (encoded units)\n"
      "size      {} rows, {} weights\n"
      "privacy   {}\n"
      "accuracy  proven: mean loss at most {:.4g} above that of the best weights, {}\n"
      "          {}\n",
      plan.method, loss::name(problem.loss.kind), penalty_text(problem.l2_penalty), set_text(problem.feasible_set),
      question.facts.rows, question.facts.dimension, guarantee_text(plan.guarantee), plan.utility.excess_risk,
      plan.utility.holds, bound_in_words(problem.loss, plan.utility.excess_risk));
}

std::string derivation_table(const std::vector<methods::DerivationStep>& steps) {
  std::size_t width = 0;
  for (const auto& step : steps) width = std::max(width, step.quantity.size());
  std::string text;
  for (const auto& step : steps) {
    text += fmt::format("{:<{}}  {:>14.8g}  {}\n", step.quantity, width, step.value, step.reason);
  }
  return text;
}

std::string coefficient_table(const report::Model& model) {
  const auto rows = report::coefficients(schema::Encoding(model.schema), model.weights);
  std::size_t width = std::string_view("coefficient").size();
  for (const auto& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<{}}  {:>12}  per\n", "coefficient", width, "value");
  for (const auto& row : rows) text += fmt::format("{:<{}}  {:>12.6g}  {}\n", row.name, width, row.original, row.per);
  return text + fmt::format(
                    "value: effect on {}. Noise for privacy is part of it; there is no classical\n"
                    "standard error.\n",
                    effect_on(model));
}

std::string checks_text(const std::vector<report::Check>& checks) {
  std::string text;
  for (const report::Check& check : checks) {
    text += fmt::format("{}  {}{}\n", check.passed ? "ok    " : "FAILED", check.what,
                        check.passed ? "" : ": " + check.detail);
  }
  return text;
}

}  // namespace dperm::cli
