// SPDX-License-Identifier: Apache-2.0
#include "dperm/evaluate.hpp"

#include "dperm/api/rows_for.hpp"
#include "dperm/api/uncounted.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/ledger/origin.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/model/model.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/bits_for.hpp"

namespace dperm {

namespace {

methods::EvaluationQuery query_for(const Model& model, const EvaluateOptions& options) {
  const methods::FittedModel fitted = model::fitted(model.details());
  methods::Metric metric = methods::default_metric(fitted.task);
  if (options.metric) {
    metric = *options.metric == EvaluationMetric::accuracy ? methods::Metric::accuracy : methods::Metric::loss;
  }
  return {metric, fitted, Threads{options.threads}};
}

Evaluation told(const Model& model, const methods::EvaluationQuery& query, double value, double draws) {
  const methods::MetricMeaning meaning =
      methods::metric_meaning(query.metric, query.model.task, model.schema().target, value, draws);
  Evaluation result{};
  result.metric = query.metric == methods::Metric::accuracy ? EvaluationMetric::accuracy : EvaluationMetric::loss;
  result.value = value;
  result.sampling_radius = meaning.sampling_radius;
  if (meaning.error) {
    result.error_name = std::string(meaning.error->name);
    result.error_value = meaning.error->value;
  }
  return result;
}

std::size_t unit_rows_of(const Model& model) { return model.schema().unit ? model.schema().unit->rows : 1; }

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& dataset, double epsilon, const EvaluateOptions& options) {
  ledger::require_origin(model.details(), {.other_rows = options.other_rows});
  return api::evaluate_uncounted(model, dataset, epsilon, options);
}

Evaluation api::evaluate_uncounted(const Model& model, const Dataset& dataset, double epsilon,
                                   const EvaluateOptions& options) {
  const methods::EvaluationQuery query = query_for(model, options);
  const auto bits = random::bits_for(options.seed);
  privacy::Curator curator(*bits, privacy::Neighbours::replace_one, unit_rows_of(model));
  const auto released = methods::evaluate_privately(api::rows_for(model, dataset), query, epsilon, curator);
  Evaluation result = told(model, query, released.estimate, released.draws);
  result.noise_radius = released.noise_radius;
  result.is_private = released.secure;
  if (released.secure) result.guarantee = released.guarantee;
  return result;
}

Evaluation evaluate_public(const Model& model, const Dataset& dataset, const EvaluateOptions& options) {
  const methods::EvaluationQuery query = query_for(model, options);
  const double value = DeclaredPublicAccess::open(methods::evaluate(api::rows_for(model, dataset), query));
  return told(model, query, value, methods::draws_of(static_cast<double>(dataset.rows()), model.schema().unit));
}

namespace {

methods::JudgementPlan plan_for(const Model& model, const data::Dataset& rows,
                                const std::optional<methods::Budget>& budget, const ReportOptions& options) {
  return methods::plan_judgement(model.details().plan.task, rows.encoding(), rows.rows(), budget,
                                 {options.groups, options.threshold});
}

}  // namespace

EvaluationReport report(const Model& model, const Dataset& dataset, double epsilon, const ReportOptions& options) {
  ledger::require_origin(model.details(), {.other_rows = options.other_rows});
  return api::report_uncounted(model, dataset, epsilon, options);
}

EvaluationReport api::report_uncounted(const Model& model, const Dataset& dataset, double epsilon,
                                       const ReportOptions& options) {
  const data::Dataset rows = api::rows_for(model, dataset);
  const auto bits = random::bits_for(options.seed);
  privacy::Curator curator(*bits, privacy::Neighbours::replace_one, unit_rows_of(model));
  const methods::JudgementPlan plan = plan_for(model, rows, methods::Budget{epsilon, options.delta}, options);
  const methods::FittedModel fitted = model::fitted(model.details());
  const auto judgement = methods::judge_privately(rows, fitted, plan, curator, Threads{options.threads});
  auto evaluated = methods::evaluated(judgement, fitted.task, model.schema().target);
  EvaluationReport result{
      std::move(evaluated.all), std::move(evaluated.groups), curator.secure(), curator.events(), {}};
  if (curator.secure()) result.guarantee = privacy::account(curator.events(), options.delta);
  return result;
}

EvaluationReport report_public(const Model& model, const Dataset& dataset, const ReportOptions& options) {
  const data::Dataset rows = api::rows_for(model, dataset);
  const methods::JudgementPlan plan = plan_for(model, rows, std::nullopt, options);
  const auto evaluated = DeclaredPublicAccess::open(
      methods::judge_exactly(rows, model::fitted(model.details()), plan, Threads{options.threads}));
  return {evaluated.all, evaluated.groups, false, {}, {}};
}

std::optional<EvaluationReport> held_out_report(const Model& model) {
  const auto evaluated = model::evaluation(model.details());
  if (!evaluated) return std::nullopt;
  return EvaluationReport{evaluated->all, evaluated->groups, model.is_private(), model.events(), model.guarantee()};
}

}  // namespace dperm
