// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/exact_measures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dperm/methods/evaluation/score_edges.hpp"

namespace dperm::methods {

namespace {

constexpr double kClippedMargin = 4;

struct ScoredRow {
  double score;
  bool positive;
};

void set(Measures& measures, const char* name, double value) {
  for (Measure& each : measures.values) {
    if (each.name != name || std::isnan(each.value)) continue;
    each.total_radius = std::max(0.0, each.total_radius - each.radius);
    each.radius = 0;
    each.value = value;
  }
}

// Pairs of a positive and a negative row in the right order, ties by half.
double exact_auc(std::vector<ScoredRow> rows) {
  std::ranges::sort(rows, {}, &ScoredRow::score);
  double won = 0, negatives = 0, positives = 0;
  for (std::size_t first = 0; first < rows.size();) {
    double tied_positives = 0, tied_negatives = 0;
    std::size_t end = first;
    for (; end < rows.size() && rows[end].score == rows[first].score; ++end) {
      (rows[end].positive ? tied_positives : tied_negatives) += 1;
    }
    won += tied_positives * (negatives + tied_negatives / 2);
    positives += tied_positives;
    negatives += tied_negatives;
    first = end;
  }
  return won / (positives * negatives);
}

void exact_scores(Measures& measures, const std::vector<ScoredRow>& rows) {
  double loss = 0, square = 0;
  for (const ScoredRow& row : rows) {
    loss += std::log1p(std::exp(-std::max(row.positive ? row.score : -row.score, -kClippedMargin)));
    const double wrong = probability_of(row.positive ? -row.score : row.score);
    square += wrong * wrong;
  }
  const double count = static_cast<double>(rows.size());
  set(measures, "auc", exact_auc(rows));
  set(measures, "log_loss", loss / count);
  set(measures, "brier_score", square / count);
  for (CalibrationBin& bin : measures.calibration) {
    double sum = 0, inside = 0;
    for (const ScoredRow& row : rows) {
      const double p = probability_of(row.score);
      if (!(p > bin.lower || bin.lower == 0) || p > bin.upper) continue;
      sum += p;
      ++inside;
    }
    if (inside > 0) bin.predicted = sum / inside;
    bin.predicted_radius = 0;
  }
}

void exact_residuals(Measures& measures, const std::vector<double>& targets, const std::vector<double>& residuals,
                     const schema::Target& target) {
  const double count = static_cast<double>(residuals.size()), half_width = schema::target_units(target).half_width;
  double sum = 0, squares = 0, squared_errors = 0, errors = 0, bias = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    sum += targets[i];
    squares += targets[i] * targets[i];
    squared_errors += residuals[i] * residuals[i];
    errors += std::abs(residuals[i]);
    bias += residuals[i];
  }
  set(measures, "r2", 1 - squared_errors / (squares - sum * sum / count));
  set(measures, "root_mean_square_error", half_width * std::sqrt(squared_errors / count));
  set(measures, "mean_absolute_error", half_width * errors / count);
  set(measures, "mean_error", half_width * bias / count);
}

}  // namespace

void make_exact(Measures& measures, const engine::RowAnswers& answers, std::optional<std::uint32_t> group,
                const JudgementPlan& plan, const schema::Target& target) {
  if (plan.by == JudgedBy::answers) return;
  std::vector<ScoredRow> scored;
  std::vector<double> targets, residuals;
  for (std::size_t row = 0; row < answers.targets.size(); ++row) {
    if (group && answers.groups[row] != *group) continue;
    const double score = std::isnan(answers.outputs[row]) ? 0 : answers.outputs[row];
    if (plan.by == JudgedBy::scores) {
      scored.push_back({score, answers.targets[row] > 0});
      continue;
    }
    targets.push_back(answers.targets[row] / double{schema::kTargetOne});
    residuals.push_back(targets.back() - std::clamp(score, -1.0, 1.0));
  }
  if (plan.by == JudgedBy::scores) {
    exact_scores(measures, scored);
  } else {
    exact_residuals(measures, targets, residuals, target);
  }
}

}  // namespace dperm::methods
