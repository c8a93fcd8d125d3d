// SPDX-License-Identifier: Apache-2.0
#include "dperm/evaluate.hpp"

#include "dperm/api/rows_for.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/model/model.hpp"
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

Evaluation told(const Model& model, const Dataset& dataset, const methods::EvaluationQuery& query, double value) {
  const methods::MetricMeaning meaning =
      methods::metric_meaning(query.metric, query.model.task, model.schema().target, value, dataset.rows());
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

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& dataset, double epsilon, const EvaluateOptions& options) {
  const methods::EvaluationQuery query = query_for(model, options);
  const auto bits = random::bits_for(options.seed);
  const std::size_t unit_rows = model.schema().unit ? model.schema().unit->rows : 1;
  privacy::Curator curator(*bits, privacy::Neighbours::replace_one, unit_rows);
  const auto released = methods::evaluate_privately(api::rows_for(model, dataset), query, epsilon, curator);
  Evaluation result = told(model, dataset, query, released.estimate);
  result.noise_radius = released.noise_radius;
  result.is_private = released.secure;
  if (released.secure) result.guarantee = released.guarantee;
  return result;
}

Evaluation evaluate_public(const Model& model, const Dataset& dataset, const EvaluateOptions& options) {
  const methods::EvaluationQuery query = query_for(model, options);
  return told(model, dataset, query,
              DeclaredPublicAccess::open(methods::evaluate(api::rows_for(model, dataset), query)));
}

}  // namespace dperm
