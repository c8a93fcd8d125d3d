// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/evaluation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::methods {

namespace {

constexpr double kClippedMargin = 4;

// What one step of the integer sum is worth in the mean over all rows.
double step_worth(Metric metric, const Task& task, std::size_t rows) {
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
  const double mean = sum * step_worth(metric, task, rows);
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
                             double draws) {
  // The standard deviation of a share of n draws is at most 0.5 / sqrt(n).
  if (metric == Metric::accuracy) return {.sampling_radius = std::min(1.0, 0.98 / std::sqrt(draws))};
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

double draws_of(double rows, const std::optional<schema::Unit>& unit) {
  return std::max(1.0, rows / (unit ? static_cast<double>(unit->rows) : 1));
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
  // The exact sum is in steps that the number of all rows sets; blank rows are in none of its parts.
  return dataset.sums().with(metric_sum(dataset, query), [&](const engine::RowSums& sums, std::int64_t sum) {
    const double all = static_cast<double>(sums.rows()),
                 filled = static_cast<double>(std::max<std::size_t>(sums.filled_rows(), 1));
    return metric_mean(query.metric, query.model.task, static_cast<double>(sum) * (all / filled), sums.rows());
  });
}

namespace {

// Of an evaluation by persons: the share of epsilon that the metric's sum gets; the rest goes to the number of rows
// that are not blank.
constexpr double kSumShare = 0.75;

struct NoisySum {
  double value;
  double radius;  // of 95% of the noise, or of 97.5% where there are two sums
};

// [proof methods_evaluation.unit]
// A sum that one row changes by at most `change`, at this epsilon for all rows of a person.
NoisySum noisy_sum(const Sensitive<std::int64_t>& sum, std::uint64_t change, double epsilon, double outside,
                   privacy::Curator& curator, const char* what) {
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(change * curator.unit_rows(), epsilon);
  const auto noisy =
      curator.release(sum, privacy::DiscreteLaplaceEvent{change, scale.numerator, scale.denominator}, what);
  // P(|discrete Laplace| >= k) <= exp(-k / scale) for k above the scale; one more step covers the lattice.
  const double noise_scale = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
  return {static_cast<double>(noisy.get()), -std::log(outside) * noise_scale + 1};
}
// [/proof]

}  // namespace

PrivateEvaluation evaluate_privately(const data::Dataset& dataset, const EvaluationQuery& query, double epsilon,
                                     privacy::Curator& curator) {
  validate(dataset, query);
  privacy::require_meaningful_epsilon(epsilon);
  const std::optional<schema::Unit>& unit = dataset.encoding().schema().unit;
  require(dataset.is_by_unit(),
          "these rows were read without the schema's unit; declare them public or read them again");
  require(curator.unit_rows() == (unit ? unit->rows : 1), "the curator records for another unit than the schema's");
  const std::size_t rows = dataset.rows();
  const double worth = step_worth(query.metric, query.model.task, rows);
  const char* what = query.metric == Metric::accuracy ? "error count" : "clipped loss";
  NoisySum sum = noisy_sum(metric_sum(dataset, query), metric_sensitivity(query.metric, rows),
                           unit ? kSumShare * epsilon : epsilon, unit ? 0.025 : 0.05, curator, what);
  const double largest = query.metric == Metric::accuracy ? 1 : clipped_loss_bound(query.model.task);
  double counted = static_cast<double>(rows);  // at least
  if (unit) {
    // A share of the rows that count, which are fewer than the public number of rows.
    const auto count =
        dataset.sums().map([](const engine::RowSums& sums) { return static_cast<std::int64_t>(sums.filled_rows()); });
    const NoisySum filled = noisy_sum(count, 1, (1 - kSumShare) * epsilon, 0.025, curator, "rows that count");
    const double least = std::max(filled.value - filled.radius, 1.0), all = static_cast<double>(rows);
    counted = least;
    const double share = std::clamp(sum.value * worth * all / std::max(filled.value, 1.0), 0.0, largest);
    sum.radius = (sum.radius + share / worth / all * filled.radius) * all / least;
    sum.value *= all / std::max(filled.value, 1.0);
  }
  PrivateEvaluation result;
  result.draws = draws_of(counted, unit);
  result.estimate = std::clamp(metric_mean(query.metric, query.model.task, sum.value, rows), 0.0, largest);
  result.noise_radius = sum.radius * worth;
  result.events = curator.events();
  result.guarantee = privacy::account(result.events, 0);
  result.secure = curator.secure();
  return result;
}

}  // namespace dperm::methods
