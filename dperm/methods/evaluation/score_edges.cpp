// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/score_edges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"

namespace dperm::methods {

namespace {

struct Normal {
  double mean, deviation;
};

// Of a linear model; the standard logistic's own where nothing is known.
Normal typical_scores(const FittedModel& model) {
  const PublicFacts& facts = model.task.facts;
  if (model_form(model.task.problem) != ModelForm::linear || facts.dimension < 2) return {0, 1.8};
  double square = 0;
  for (std::size_t j = 1; j < model.weights.size(); ++j) square += model.weights[j] * model.weights[j];
  const auto columns = static_cast<double>(facts.columns);
  const double row_square = std::max(facts.row_square > 0 ? facts.row_square - 1 : columns - 1, 1e-3);
  const double deviation = std::sqrt(square * row_square / (static_cast<double>(facts.dimension - 1) * columns));
  return {model.weights[0] / std::sqrt(columns), std::clamp(deviation, 1e-6, 1e6)};
}

double share_below(double score, const Normal& typical) {
  const double normal = 0.5 * std::erfc((typical.mean - score) / (std::sqrt(2.0) * typical.deviation));
  return 0.5 * (probability_of(score) + normal);
}

double quantile(double share, const Normal& typical) {
  double low = std::min(-50.0, typical.mean - 40 * typical.deviation);
  double high = std::max(50.0, typical.mean + 40 * typical.deviation);
  for (int i = 0; i < 80; ++i) {
    const double middle = low + (high - low) / 2;
    (share_below(middle, typical) < share ? low : high) = middle;
  }
  return high;
}

// Puts a value into the list in the place of the nearest one that is not `kept`.
void put(std::vector<double>& edges, double value, double kept) {
  auto nearest = edges.end();
  for (auto each = edges.begin(); each != edges.end(); ++each) {
    if (*each == value) return;
    if (*each == kept) continue;
    if (nearest == edges.end() || std::abs(*each - value) < std::abs(*nearest - value)) nearest = each;
  }
  *nearest = value;
}

}  // namespace

double log_odds(double probability) { return std::log(probability) - std::log1p(-probability); }

double probability_of(double score) { return 1 / (1 + std::exp(-score)); }

std::vector<double> score_edges(const FittedModel& model, std::size_t bins, double threshold) {
  require(bins >= 4 && std::isfinite(threshold), "bins of scores are at least 4");
  const Normal typical = typical_scores(model);
  std::vector<double> edges;
  for (std::size_t k = 1; k < bins; ++k) {
    edges.push_back(quantile(static_cast<double>(k) / static_cast<double>(bins), typical));
  }
  put(edges, 0, std::numeric_limits<double>::quiet_NaN());
  put(edges, threshold, 0);
  std::ranges::sort(edges);
  ensure(std::ranges::adjacent_find(edges, std::greater_equal<>()) == edges.end(), "edges that do not increase");
  return edges;
}

}  // namespace dperm::methods
