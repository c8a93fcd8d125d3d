// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/beside_constant.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dperm::methods {

namespace {

// The share of the most frequent class, from a matrix of counts.
double largest_share(const ConfusionMatrix& confusion) {
  const std::size_t classes = confusion.labels.size();
  double largest = 0, all = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    const auto row = confusion.counts.begin() + static_cast<std::ptrdiff_t>(k * classes);
    const double rows = std::accumulate(row, row + static_cast<std::ptrdiff_t>(classes), 0.0);
    largest = std::max(largest, rows);
    all += rows;
  }
  return largest / all;
}

std::optional<double> constant_accuracy(const Measures& measures) {
  if (const Measure* share = measures.find("positive_share")) return std::max(share->value, 1 - share->value);
  if (measures.confusion.labels.empty()) return std::nullopt;
  return largest_share(measures.confusion);
}

}  // namespace

std::optional<BesideConstant> beside_constant(const Measures& measures) {
  const Measure* const r2 = measures.find("r2");
  const Measure* const accuracy = measures.find("accuracy");
  if (r2 != nullptr && std::isfinite(r2->value)) return BesideConstant{r2->value, 0, r2->total_radius};
  if (accuracy == nullptr || !std::isfinite(accuracy->value)) return std::nullopt;
  const auto constant = constant_accuracy(measures);
  if (!constant || !std::isfinite(*constant)) return std::nullopt;
  const Measure* const auc = measures.find("auc");
  const bool ranks = auc != nullptr && auc->value - auc->total_radius > 0.5;
  return BesideConstant{accuracy->value, *constant, accuracy->radius, ranks};
}

}  // namespace dperm::methods
