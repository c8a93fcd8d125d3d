// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/model.hpp"

#include "dperm/core/check.hpp"
#include "dperm/methods/class_spec.hpp"
#include "dperm/methods/rule_text.hpp"
#include "dperm/privacy/accountant.hpp"

namespace dperm::report {

methods::FittedModel fitted(const Model& model) { return {model.plan.question, model.weights}; }

methods::Hypothesis rule_of(const Model& model) {
  const schema::Encoding encoding(model.schema);
  const auto rules = methods::make_class(encoding, methods::parse_class(model.plan.question.problem.rules));
  return rules->hypothesis(methods::rule_number(fitted(model), rules->size()));
}

std::string rule_text(const Model& model) { return methods::describe(rule_of(model), schema::Encoding(model.schema)); }

Model make_model(const schema::Schema& schema, const methods::Plan& plan, const methods::FitResult& result) {
  Model model{schema,
              plan,
              result.weights.get(),
              result.events,
              privacy::account(result.events, plan.question.budget.delta),
              result.secure,
              {},
              result.tuning};
  if (!result.secure) {
    model.remarks.push_back("made with a fixed seed: the noise can be reproduced, so this model is NOT private");
  }
  return model;
}

}  // namespace dperm::report
