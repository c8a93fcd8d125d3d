// SPDX-License-Identifier: Apache-2.0
// How good released weights are on a dataset: in the open for data declared public, or as a private release.
// Proof note: evaluation.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/loss/loss.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::methods {

enum class Metric { accuracy, loss };
Metric metric_from_name(std::string_view name);  // ArgumentError
Metric default_metric(const Task& task);         // accuracy for classification, loss for a real target
std::string_view value_name(Metric metric);      // of what is computed: "accuracy", "clipped_loss"

struct EvaluationQuery {
  Metric metric;
  FittedModel model;
  Threads threads;
};

// The exact mean: share of right signs, or mean loss with each record's loss clipped at clipped_loss_bound().
Sensitive<double> evaluate(const data::Dataset& dataset, const EvaluationQuery& query);

// Records whose loss is larger count with this much: the largest loss of a score between -1 and 1 for regression,
// of a margin of at least -4 for classification, of outputs at most 4 apart for softmax.
double clipped_loss_bound(const Task& task);

// The integer sum behind a metric: errors, or clipped losses in steps; less is better. metric_sensitivity() is the most
// that replacing one of `rows` records changes it by, and metric_mean() the mean a sum stands for.
Sensitive<std::int64_t> metric_sum(const data::Dataset& dataset, const EvaluationQuery& query);
std::uint64_t metric_sensitivity(Metric metric, std::size_t rows);
double metric_mean(Metric metric, const Task& task, double sum, std::size_t rows);

struct PrivateEvaluation {
  double estimate;      // in [0, 1] for accuracy, in [0, bound] for loss
  double noise_radius;  // with probability 0.95 the noise moved the estimate by at most this much
  double draws;         // for metric_meaning(); of persons from the rows that count, less what noise may have added
  std::vector<privacy::PrivacyEvent> events;
  privacy::Guarantee guarantee;
  bool secure;
};

// A metric's value in the words of people who use models.
struct MetricMeaning {
  // A mean loss as the error people know, in the target's own unit.
  struct KnownError {
    std::string_view name;  // "root_mean_square_error"
    double value;
  };
  std::optional<KnownError> error = {};
  // Of a mean loss that is no such error: what it is measured in, and what scores of zero have of it.
  std::optional<loss::LossUnit> unit = {};
  double value_of_zero = 0;
  // Of an accuracy: drawing the rows from a population moves a share by at most this much, with probability 0.95.
  std::optional<double> sampling_radius = {};
};
// `draws`: as how many rows, each of somebody else, the rows count at least; see draws_of().
MetricMeaning metric_meaning(Metric metric, const Task& task, const schema::Target& target, double value, double draws);
// Rows of a person may all be alike, and then count as one draw from the source: so many rows by persons who have up to
// `unit` of them.
double draws_of(double rows, const std::optional<schema::Unit>& unit);

// Pure epsilon, replace-one, by discrete Laplace noise on an integer sum.
PrivateEvaluation evaluate_privately(const data::Dataset& dataset, const EvaluationQuery& query, double epsilon,
                                     privacy::Curator& curator);

}  // namespace dperm::methods
