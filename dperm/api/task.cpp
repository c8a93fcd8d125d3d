// SPDX-License-Identifier: Apache-2.0
#include "dperm/task.hpp"

#include "dperm/api/internal_task.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm {

planner::Question api::question(const Task& task) { return {task.schema, task.problem, task.rows, task.budget}; }

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
