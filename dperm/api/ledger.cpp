// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger.hpp"

#include "dperm/model/model.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm {

namespace {

std::string unit_of(const Schema& schema) { return schema.unit ? schema.unit->column : ""; }

ledger::Request request_of(const Plan& plan, const std::string& id) {
  ledger::Request request{.command = "fit",
                          .id = id,
                          .text = model::plan_to_json(plan.details()) + schema::to_toml(plan.schema()),
                          .events = plan.events(),
                          .epsilon = plan.guarantee().epsilon,
                          .delta = plan.guarantee().delta,
                          .unit = unit_of(plan.schema())};
  for (const schema::Inference& each : plan.schema().inferred) {
    request.shared.push_back({each.id, each.epsilon, each.delta});
  }
  return request;
}

}  // namespace

Model fit(const Plan& plan, const Dataset& dataset, const Charge& charge, const FitOptions& options) {
  const ledger::Request request = request_of(plan, charge.request_id);
  if (const auto kept = charge.ledger.result(charge.dataset, charge.request_id, request.text))
    return parse_model(*kept);
  const ledger::Mark mark = options.seed ? charge.ledger.look(charge.dataset, "fit with a fixed seed", true)
                                         : charge.ledger.reserve(charge.dataset, request);
  model::Model counted = fit(plan, dataset, options).details();
  counted.ledger = {mark.ledger, mark.dataset, mark.entry, mark.head};
  const auto shared = std::make_shared<const model::Model>(std::move(counted));
  if (!options.seed) charge.ledger.settle(mark, model::to_json(*shared));
  return Model(shared);
}

Evaluation evaluate(const Model& model, const Dataset& dataset, double epsilon, const Charge& charge,
                    const EvaluateOptions& options) {
  if (options.seed) {
    charge.ledger.look(charge.dataset, "evaluation with a fixed seed");
    return evaluate(model, dataset, epsilon, options);
  }
  const ledger::Request request{
      .command = "evaluate",
      .events = {{.what = "evaluation", .mechanism = privacy::RandomisedResponseEvent{epsilon}}},
      .epsilon = epsilon,
      .unit = unit_of(model.schema())};
  const ledger::Mark mark = charge.ledger.reserve(charge.dataset, request);
  const Evaluation result = evaluate(model, dataset, epsilon, options);
  charge.ledger.settle(mark, "");
  return result;
}

LedgerSpent spent(const Ledger& ledger, const std::string& dataset) { return ledger::spent(ledger.state(dataset)); }
LedgerSpent remaining(const Ledger& ledger, const std::string& dataset) { return ledger::room(ledger.state(dataset)); }
std::vector<std::string> problems(const Ledger& ledger) { return ledger.problems(); }

}  // namespace dperm
