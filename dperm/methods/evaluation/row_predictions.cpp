// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/row_predictions.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::methods {

namespace {

// Without overflow, because no exponent is above 0.
void append_shares(std::span<const double> scores, std::size_t largest, std::vector<double>& shares) {
  double total = 0;
  for (const double each : scores) total += std::exp(each - scores[largest]);
  for (const double each : scores) shares.push_back(std::exp(each - scores[largest]) / total);
}

RowPredictions of_classes(const schema::Target& target, std::size_t classes, std::span<const double> outputs) {
  require(target.values.size() == classes, "the model has another number of classes than the schema");
  RowPredictions out{.target = schema::TargetKind::classes, .rows = outputs.size() / classes, .labels = target.values};
  for (std::size_t row = 0; row < out.rows; ++row) {
    const auto scores = outputs.subspan(row * classes, classes);
    out.label.push_back(predicted_class(scores));
    append_shares(scores, out.label.back(), out.probabilities);
  }
  return out;
}

RowPredictions of_numbers(const schema::Target& target, std::span<const double> outputs) {
  const schema::TargetUnits units = schema::target_units(target);
  RowPredictions out{.target = schema::TargetKind::real, .rows = outputs.size()};
  for (const double score : outputs) {
    out.numbers.push_back(units.middle + units.half_width * std::clamp(score, -1.0, 1.0));
  }
  return out;
}

RowPredictions of_signs(loss::Link link, std::span<const double> outputs) {
  RowPredictions out{.target = schema::TargetKind::binary, .rows = outputs.size(), .labels = {"0", "1"}};
  for (const double score : outputs) {
    out.label.push_back(score > 0 ? 1 : 0);
    if (link == loss::Link::margin) out.margins.push_back(score);
    if (link != loss::Link::log_odds) continue;
    out.probabilities.push_back(1 / (1 + std::exp(score)));
    out.probabilities.push_back(1 / (1 + std::exp(-score)));
  }
  return out;
}

}  // namespace

RowPredictions row_predictions(const Task& task, const schema::Target& target, std::span<const double> outputs) {
  const loss::Link link = loss::info(task.problem.loss.kind).link;
  switch (link) {
    case loss::Link::class_scores:
      return of_classes(target, task.facts.classes, outputs);
    case loss::Link::number:
      return of_numbers(target, outputs);
    case loss::Link::log_odds:
    case loss::Link::margin:
    case loss::Link::answer:
      break;
  }
  return of_signs(link, outputs);
}

Sensitive<RowPredictions> predict(const data::Dataset& dataset, const FittedModel& model, Threads threads) {
  const schema::Encoding& encoding = dataset.encoding();
  require(
      !encoding.schema().unit || !dataset.is_by_unit(),
      "these rows were read to learn from: those beyond the first of a person are blank; read them without the unit");
  return dataset.sums().map([&](const engine::RowSums& sums) {
    return row_predictions(model.task, encoding.schema().target, outputs(sums, encoding, model, threads));
  });
}

}  // namespace dperm::methods
