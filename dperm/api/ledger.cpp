// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger.hpp"

#include <fmt/format.h>

#include "dperm/api/rows_for.hpp"
#include "dperm/api/uncounted.hpp"
#include "dperm/core/check.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/ledger/bits_after.hpp"
#include "dperm/ledger/earlier.hpp"
#include "dperm/ledger/fingerprint.hpp"
#include "dperm/ledger/origin.hpp"
#include "dperm/ledger/settlement.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/model/model.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/bits_for.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm {

namespace {

void require_same_dataset(const std::string& named, const Charge& charge) {
  require(named.empty() || named == charge.dataset,
          fmt::format("the schema says that these records are the dataset '{}', and they are charged to '{}'", named,
                      charge.dataset));
}

ledger::Request request_of(const Plan& plan, const std::string& id) {
  ledger::Request request{.command = "fit",
                          .id = id,
                          .text = model::plan_to_json(plan.details()) + schema::to_toml(plan.schema()),
                          .events = plan.events(),
                          .epsilon = plan.guarantee().epsilon,
                          .delta = plan.guarantee().delta,
                          .unit = ledger::unit_of(plan.schema()),
                          .about = ledger::about(plan.details(), plan.schema())};
  for (const schema::Inference& each : plan.schema().inferred) {
    request.shared.push_back({each.id, each.epsilon, each.delta});
  }
  return request;
}

void settle(const Charge& charge, const ledger::Mark& mark, std::string_view result, const std::string& release = {}) {
  const std::string problem = ledger::try_to_settle(charge.ledger, mark, result, release);
  if (!problem.empty() && charge.warn) charge.warn(problem);
}

// Of noise that others can make again, or none.
ledger::Mark look_of_fit(const Plan& plan, const Charge& charge) {
  const bool none = privacy::is_unprotected(plan.events());
  return charge.ledger.look(charge.dataset, none ? "fit without noise" : "fit with a fixed seed", true);
}

}  // namespace

Model fit(const Plan& plan, const Dataset& dataset, const Charge& charge, const FitOptions& options) {
  require_same_dataset(plan.schema().dataset, charge);
  const ledger::Request request = request_of(plan, charge.request_id);
  if (const auto kept = charge.ledger.result(charge.dataset, charge.request_id, request.text))
    return parse_model(*kept);
  const bool unprotected = options.seed || privacy::is_unprotected(plan.events());
  const ledger::Mark mark = unprotected ? look_of_fit(plan, charge) : charge.ledger.reserve(charge.dataset, request);
  // Before the model is there: what ends this pass over the rows loses none.
  ledger::remember_table(charge.ledger, mark, {}, [&](const std::string& key) {
    return DeclaredPublicAccess::open(ledger::row_fingerprint(key, dataset.records()));
  });
  model::Model counted = api::fit_uncounted(plan, dataset, options).details();
  counted.ledger = {mark.ledger, mark.dataset, mark.entry, mark.head};
  const auto shared = std::make_shared<const model::Model>(std::move(counted));
  if (!unprotected) settle(charge, mark, model::to_json(*shared));
  return Model(shared);
}

void require_origin(const Model& model, const std::string& dataset, bool other_rows) {
  ledger::require_origin(model.details(), {dataset, other_rows});
}

Evaluation evaluate(const Model& model, const Dataset& dataset, double epsilon, const Charge& charge,
                    const EvaluateOptions& options) {
  require_origin(model, charge.dataset, options.other_rows);
  if (options.seed) {
    charge.ledger.look(charge.dataset, "evaluation with a fixed seed");
    return api::evaluate_uncounted(model, dataset, epsilon, options);
  }
  const ledger::Request request{
      .command = "evaluate",
      .events = {{.what = "evaluation", .mechanism = privacy::RandomisedResponseEvent{epsilon}}},
      .epsilon = epsilon,
      .unit = ledger::unit_of(model.schema())};
  const ledger::Mark mark = charge.ledger.reserve(charge.dataset, request);
  const Evaluation result = api::evaluate_uncounted(model, dataset, epsilon, options);
  settle(charge, mark, "");
  return result;
}

EvaluationReport report(const Model& model, const Dataset& dataset, double epsilon, const Charge& charge,
                        const ReportOptions& options) {
  require_origin(model, charge.dataset, options.other_rows);
  if (options.seed) {
    charge.ledger.look(charge.dataset, "evaluation with a fixed seed");
    return api::report_uncounted(model, dataset, epsilon, options);
  }
  const data::Dataset rows = api::rows_for(model, dataset);
  const methods::JudgementPlan plan =
      methods::plan_judgement(model.details().plan.task, rows.encoding(), rows.rows(),
                              methods::Budget{epsilon, options.delta}, {options.groups, options.threshold});
  ledger::Request request{
      .command = "evaluate", .events = {methods::judgement_event(plan)}, .unit = ledger::unit_of(model.schema())};
  const Guarantee guarantee = privacy::account(request.events, options.delta);
  request.epsilon = guarantee.epsilon;
  request.delta = guarantee.delta;
  const ledger::Mark mark = charge.ledger.reserve(charge.dataset, request);
  EvaluationReport result = api::report_uncounted(model, dataset, epsilon, options);
  settle(charge, mark, "");
  return result;
}

InferredSchema infer_schema(const std::vector<std::string>& files, std::string_view text, const InferOptions& options,
                            const Charge& charge) {
  schema::Draft draft = api::draft_of(text, options);
  if (draft.blanks().empty()) return {draft.finish(), {}, {}};
  require_same_dataset(draft.dataset(), charge);
  // Not the files: a table in memory is a new one each time. As with fits, the dataset's name stands for the records.
  const std::string asked = fmt::format("schema infer\n{}\n{}\n{}", options.epsilon, options.delta, draft.text());
  if (const auto kept = charge.ledger.result(charge.dataset, charge.request_id, asked)) {
    return {parse_schema(*kept, "ledger"), {}, {}};
  }
  const ledger::Request request{.command = "schema infer",
                                .id = charge.request_id,
                                .text = asked,
                                .epsilon = options.epsilon,
                                .delta = options.delta,
                                .unit = ledger::unit_of(draft.unit(), draft.format().missing)};
  if (!options.seed) charge.ledger.require_room(charge.dataset, options.epsilon, options.delta);
  std::optional<ledger::Mark> mark;
  const auto bits = random::bits_for(options.seed);
  ledger::BitsAfter counted(*bits, [&] {
    mark = options.seed ? charge.ledger.look(charge.dataset, "schema infer with a fixed seed", true)
                        : charge.ledger.reserve(charge.dataset, request);
  });
  InferredSchema result = api::filled(files, std::move(draft), options, counted);
  if (mark && !options.seed) settle(charge, *mark, to_toml(result.schema), result.schema.inferred.back().id);
  return result;
}

Evaluation evaluate_public(const Model& model, const Dataset& dataset, const Charge& charge,
                           const EvaluateOptions& options) {
  charge.ledger.look(charge.dataset, "evaluation of public rows");
  return evaluate_public(model, dataset, options);
}

EvaluationReport report_public(const Model& model, const Dataset& dataset, const Charge& charge,
                               const ReportOptions& options) {
  charge.ledger.look(charge.dataset, "evaluation of public rows");
  return report_public(model, dataset, options);
}

RowPredictions predict(const Model& model, const Dataset& dataset, const Charge& charge, int threads) {
  charge.ledger.look(charge.dataset, "predict");
  return predict(model, dataset, threads);
}

void enter(const Charge& charge, const Model& model, const std::string& note) {
  ledger::enter_model(charge.ledger, charge.dataset, model.details(), note);
}

LedgerSpent spent(const Ledger& ledger, const std::string& dataset) { return ledger::spent(ledger.state(dataset)); }
LedgerSpent remaining(const Ledger& ledger, const std::string& dataset) { return ledger::room(ledger.state(dataset)); }
std::vector<std::string> problems(const Ledger& ledger) { return ledger.problems(); }

void keep_fingerprints(const Ledger& ledger) { ledger::FingerprintFile::create(ledger); }

std::vector<std::string> same_tables(const Ledger& ledger) {
  const ledger::FingerprintFile kept = ledger::FingerprintFile::needed(ledger);
  return ledger::same_tables(kept.all(), kept.all());
}

}  // namespace dperm
