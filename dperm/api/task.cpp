// SPDX-License-Identifier: Apache-2.0
#include "dperm/task.hpp"

#include "dperm/api/internal_task.hpp"
#include "dperm/core/check.hpp"
#include "dperm/planner/cost.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm {

planner::Question api::question(const Task& task) {
  planner::Question question{task.schema, task.problem, task.rows, task.budget};
  if (const auto& limit = task.time_limit) {
    require_positive_finite("time_limit", limit->seconds);
    require_nonnegative_finite("cores", limit->cores);
    require_nonnegative_finite("pass_overhead", limit->pass_overhead);
    question.time_limit = limit->seconds;
    question.cores = limit->cores > 0 ? limit->cores : planner::cores_here();
    question.pass_overhead = limit->pass_overhead;
  }
  return question;
}

Loss loss_named(std::string_view name, const std::map<std::string, double>& parameters) {
  Loss result{.kind = loss::loss_from_name(name)};
  for (const auto& [parameter, value] : parameters) loss::set_parameter(result, parameter, value);
  return result;
}

Loss default_loss(const Schema& schema) { return {.kind = methods::default_loss(schema.target.kind, false)}; }

std::vector<std::string> budget_warnings(const Budget& budget, std::size_t rows) {
  std::vector<std::string> texts;
  for (methods::BudgetWarning& each : methods::budget_warnings(budget, rows)) texts.push_back(std::move(each.text));
  return texts;
}

}  // namespace dperm
