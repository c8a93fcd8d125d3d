// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/model.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/rules/class_spec.hpp"
#include "dperm/rules/rule_text.hpp"

namespace dperm::model {

methods::FittedModel fitted(const Model& model) { return {model.plan.task, model.weights}; }

std::optional<methods::Evaluated> evaluation(const Model& model) {
  if (!model.judgement) return std::nullopt;
  return methods::evaluated(*model.judgement, model.plan.task, model.schema.target);
}

rules::Hypothesis rule_of(const Model& model) {
  const schema::Encoding encoding(model.schema);
  const auto rules = rules::make_class(encoding, rules::parse_class(model.plan.task.problem.rules));
  return rules->hypothesis(methods::rule_number(fitted(model), rules->size()));
}

std::string rule_text(const Model& model) { return rules::describe(rule_of(model), schema::Encoding(model.schema)); }

privacy::Guarantee total_guarantee(const Model& model) {
  privacy::Guarantee sum = model.guarantee;
  if (model.schema.inferred.empty()) return sum;
  const infer::Total total = infer::total(model.schema, model.guarantee);
  sum.epsilon = total.epsilon;
  sum.delta = total.delta;
  sum.pure = false;
  sum.mu.reset();
  sum.rho.reset();
  sum.accountant = "basic";
  return sum;
}

Model make_model(const schema::Schema& schema, const methods::Plan& plan, const methods::FitResult& result) {
  // The accountant's answer depends on the events alone: what it said of the planned ones holds for the same recorded.
  const bool as_planned = result.events == plan.events;
  Model model{schema,
              plan,
              result.weights.get(),
              result.events,
              as_planned ? plan.guarantee : privacy::account(result.events, plan.task.budget.delta),
              result.secure,
              {},
              result.tuning,
              result.judgement,
              result.interval,
              result.weight_noise,
              {}};
  if (privacy::is_unprotected(model.events)) {
    model.is_private = false;
    model.remarks.push_back(
        "made WITHOUT privacy (method non-private): no noise was added, and what single rows hold can be read out of "
        "it");
  } else if (!result.secure) {
    model.remarks.push_back("made with a fixed seed: the noise can be reproduced, so this model is NOT private");
  }
  const auto seeded = [](const schema::Inference& each) { return !each.is_private; };
  if (std::any_of(schema.inferred.begin(), schema.inferred.end(), seeded)) {
    model.is_private = false;
    model.remarks.push_back("bounds or values were inferred with a fixed seed, so this model is NOT private");
  }
  return model;
}

void add_training_metric(Model& model, methods::Metric metric, double value) {
  std::string name(methods::value_name(metric));
  std::replace(name.begin(), name.end(), '_', ' ');
  model.is_private = false;
  model.remarks.push_back(fmt::format(
      "unsafe diagnostics: exact training {} {:.6f} is part of this file, so it is NOT private", name, value));
}

}  // namespace dperm::model
