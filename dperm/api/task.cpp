// SPDX-License-Identifier: Apache-2.0
#include "dperm/task.hpp"

#include "dperm/api/internal_task.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm {

methods::Task api::internal(const Task& task) {
  schema::validate(task.schema);
  const schema::Encoding encoding(task.schema);
  return {task.problem, methods::facts_of(encoding, task.problem, task.rows), task.budget};
}

Loss default_loss(const Schema& schema) { return {.kind = methods::default_loss(schema.target.kind, false)}; }

std::vector<std::string> budget_warnings(const Task& task) { return methods::budget_warnings(api::internal(task)); }

}  // namespace dperm
