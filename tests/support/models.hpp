// SPDX-License-Identifier: Apache-2.0
// A small fitted model for tests of the model file and its verification.
#pragma once

#include <map>
#include <string>

#include "dperm/methods/method.hpp"
#include "dperm/model/model.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::tests {

inline model::Model small_model(const std::string& method, const methods::Budget& budget, random::BitSource& bits,
                                const std::map<std::string, std::string>& options = {}, bool unsafe = false) {
  const bool location = method == "exponential" && !options.contains("regularised");
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .lower = 20, .upper = 80});
  schema::Column place{.name = "place", .kind = schema::ColumnKind::category, .values = {"town", "country"}};
  place.missing = schema::MissingRule::none;
  schema.columns.push_back(place);
  const bool binary = method != "sufficient-statistics" && !location;
  if (binary) schema.target = {.kind = schema::TargetKind::binary, .name = "ill", .positive = {"yes"}};
  if (!binary) schema.target = {.kind = schema::TargetKind::real, .name = "cost", .lower = 0, .upper = 9};
  EncodedTable table = learnable_table(200, 1, {2}, binary, 3);
  if (location) {
    schema.columns.clear();
    table = {{}, {}, {}, table.targets};
  }
  const auto encoding = std::make_shared<const schema::Encoding>(schema);
  const data::Dataset dataset(encoding, shared_sums_of(table));
  methods::Task task;
  task.budget = budget;
  if (!binary) task.problem.loss.kind = location ? loss::LossKind::absolute : loss::LossKind::squared;
  task.facts = methods::facts_of(*encoding, task.problem, table.rows());
  const methods::Plan plan = method == "tuned" ? methods::plan_for(task, methods::options_named(method, options))
                                               : methods::method_named(method).plan(task, options);
  privacy::Curator curator(bits);
  return model::make_model(schema, plan, methods::fit(plan, dataset, curator, {{}, {}, unsafe}));
}

// Softmax regression by objective perturbation: a target of three classes.
inline model::Model class_model(const methods::Budget& budget, random::BitSource& bits) {
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .lower = 20, .upper = 80});
  schema.target = {.kind = schema::TargetKind::classes, .name = "ward", .values = {"a", "b", "c"}};
  const EncodedTable table = class_table(200, 1, {}, 3, 3);
  const data::Dataset dataset(std::make_shared<const schema::Encoding>(schema), shared_sums_of(table));
  methods::Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts = facts_of(table);
  task.facts.classes = 3;
  task.budget = budget;
  const methods::Method& method = methods::method_named("objective-perturbation");
  const methods::Plan plan = method.plan(task, {});
  privacy::Curator curator(bits);
  return model::make_model(schema, plan, methods::fit(plan, dataset, curator, {}));
}

}  // namespace dperm::tests
