// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/evaluation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::methods {

namespace {

constexpr double kClippedMargin = 4;

// What one step of the integer sum is worth in the mean.
double unit(Metric metric, const Task& task, std::size_t rows) {
  const double n = static_cast<double>(rows);
  if (metric == Metric::accuracy) return 1 / n;
  return clipped_loss_bound(task) / (engine::steps(engine::Resolution::solver, rows) * n);
}

void validate(const data::Dataset& dataset, const EvaluationQuery& query) {
  const Problem& problem = query.model.task.problem;
  require(query.model.task.facts.dimension == dataset.encoding().dimension() &&
              query.model.weights.size() == weight_count(query.model.task),
          "the model has another number of weights than the data");
  require(query.metric != Metric::accuracy || loss::is_classification(problem.loss.kind),
          "accuracy needs a classification model; use the metric loss");
  require(query.metric != Metric::loss || model_form(problem) != ModelForm::rule,
          "a rule is right or wrong; use the metric accuracy");
}

}  // namespace

// [proof methods_evaluation.sum]
// Errors: 0 or 1 per row. Loss: an integer between 0 and steps per row. Replacing a row changes the sum by at most
// this.
std::uint64_t metric_sensitivity(Metric metric, std::size_t rows) {
  if (metric == Metric::accuracy) return 1;
  return static_cast<std::uint64_t>(engine::steps(engine::Resolution::solver, rows));
}

Sensitive<std::int64_t> metric_sum(const data::Dataset& dataset, const EvaluationQuery& query) {
  require(dataset.is_labelled(), "these rows were read without asking for their target; nothing can be measured");
  validate(dataset, query);
  return dataset.sums().map([&](const engine::RowSums& sums) -> std::int64_t {
    const schema::Encoding& encoding = dataset.encoding();
    if (query.metric == Metric::accuracy) return error_count(sums, encoding, query.model, query.threads);
    return loss_sum(sums, encoding, query.model, clipped_loss_bound(query.model.task), query.threads);
  });
}
// [/proof]

double metric_mean(Metric metric, const Task& task, double sum, std::size_t rows) {
  const double mean = sum * unit(metric, task, rows);
  return metric == Metric::accuracy ? 1 - mean : mean;
}

Metric metric_from_name(std::string_view name) {
  if (name == "accuracy") return Metric::accuracy;
  if (name == "loss") return Metric::loss;
  throw ArgumentError(fmt::format("metric must be accuracy or loss; got '{}'", name));
}

Metric default_metric(const Task& task) {
  return loss::is_classification(task.problem.loss.kind) ? Metric::accuracy : Metric::loss;
}

std::string_view value_name(Metric metric) { return metric == Metric::accuracy ? "accuracy" : "clipped_loss"; }

MetricMeaning metric_meaning(Metric metric, const Task& task, const schema::Target& target, double value,
                             std::size_t rows) {
  // The standard deviation of a share of n rows is at most 0.5 / sqrt(n).
  if (metric == Metric::accuracy) return {.sampling_radius = 0.98 / std::sqrt(static_cast<double>(rows))};
  const loss::LossInfo& loss = loss::info(task.problem.loss.kind);
  const double half_width = schema::target_units(target).half_width;
  switch (loss.unit) {
    case loss::LossUnit::target:
      return {.error = {{loss.error_name, half_width * value}}};
    case loss::LossUnit::squared_target:
      return {.error = {{loss.error_name, half_width * std::sqrt(value)}}};
    default:
      return {.unit = loss.unit, .value_of_zero = loss::loss_of_zero(task.problem.loss, task.facts.classes)};
  }
}

double clipped_loss_bound(const Task& task) {
  const loss::Loss& loss = task.problem.loss;
  if (loss.kind == loss::LossKind::softmax) {
    // The right class 4 below all others: ln(1 + (K - 1) e^4).
    return rounded_up(std::log1p(static_cast<double>(task.facts.classes - 1) * std::exp(kClippedMargin)));
  }
  return loss::constants(loss, loss::is_classification(loss.kind) ? kClippedMargin : 1).largest_value;
}

Sensitive<double> evaluate(const data::Dataset& dataset, const EvaluationQuery& query) {
  return metric_sum(dataset, query).map([&](std::int64_t sum) {
    return metric_mean(query.metric, query.model.task, static_cast<double>(sum), dataset.rows());
  });
}

PrivateEvaluation evaluate_privately(const data::Dataset& dataset, const EvaluationQuery& query, double epsilon,
                                     privacy::Curator& curator) {
  validate(dataset, query);
  privacy::require_meaningful_epsilon(epsilon);
  const std::size_t rows = dataset.rows();
  const std::uint64_t change = metric_sensitivity(query.metric, rows);
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(change, epsilon);
  const privacy::DiscreteLaplaceEvent event{change, scale.numerator, scale.denominator};
  const auto noisy = curator.release(metric_sum(dataset, query), event,
                                     query.metric == Metric::accuracy ? "error count" : "clipped loss");
  const double largest = query.metric == Metric::accuracy ? 1 : clipped_loss_bound(query.model.task);
  PrivateEvaluation result;
  result.estimate =
      std::clamp(metric_mean(query.metric, query.model.task, static_cast<double>(noisy.get()), rows), 0.0, largest);
  // P(|discrete Laplace| >= k) <= exp(-k / scale) for k above the scale; one more step covers the lattice.
  const double noise_scale = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
  result.noise_radius = (std::log(20.0) * noise_scale + 1) * unit(query.metric, query.model.task, rows);
  result.events = curator.events();
  result.guarantee = privacy::account(result.events, 0);
  result.secure = curator.secure();
  return result;
}

}  // namespace dperm::methods
