// SPDX-License-Identifier: Apache-2.0
#include "cli/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dperm/report/coefficients.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::cli {

std::string guarantee_text(const privacy::Guarantee& guarantee) {
  const std::string budget = guarantee.delta > 0
                                 ? fmt::format("(epsilon {:.6g}, delta {:.3g})", guarantee.epsilon, guarantee.delta)
                                 : fmt::format("pure epsilon {:.6g}", guarantee.epsilon);
  return fmt::format(
      "{}-differentially private; neighbours: {} (one row changed, number of rows public); accountant: {}", budget,
      privacy::to_string(guarantee.neighbours), guarantee.accountant);
}

std::string alternatives_table(const std::vector<plan::Alternative>& alternatives) {
  std::string text = fmt::format("{:<22}{:>20}{:>12}  {}\n", "method", "excess risk at most", "epsilon", "releases");
  for (const plan::Alternative& each : alternatives) {
    if (!each.plan) {
      text += fmt::format("{:<22}{}\n", each.method, "not applicable: " + each.refusal);
      continue;
    }
    std::vector<std::string> releases;
    for (const auto& event : each.plan->events) releases.push_back(fmt::format("{} x {}", event.repetitions, event.what));
    text += fmt::format("{:<22}{:>20.4g}{:>12.4g}  {}\n", each.method, each.plan->utility.excess_risk,
                        each.plan->guarantee.epsilon, fmt::join(releases, ", "));
  }
  return text;
}

std::string plan_text(const methods::Plan& plan) {
  const methods::Question& question = plan.question;
  return fmt::format(
      "method          {}\n"
      "loss            {}, l2_penalty {:.4g}, {}\n"
      "size            {} rows, {} weights, {} columns with the intercept\n"
      "will spend      {}\n"
      "promised risk   at most {:.4g} above the optimum on average ({})\n",
      plan.method, loss::name(question.problem.loss.kind), question.problem.l2_penalty,
      loss::describe(question.problem.feasible_set), question.facts.rows, question.facts.dimension,
      question.facts.columns, guarantee_text(plan.guarantee), plan.utility.excess_risk, plan.utility.theorem);
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
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<{}}  {:>14}  {}\n", "coefficient", width, "value", "per");
  for (const auto& row : rows) text += fmt::format("{:<{}}  {:>14.6g}  {}\n", row.name, width, row.original, row.per);
  return text;
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
