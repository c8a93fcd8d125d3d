// SPDX-License-Identifier: Apache-2.0
// Turns a weight vector into the tables one pass reads.
#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/engine/cpu/pass.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {
namespace {

void check_weights(const data::TileLayout& layout, std::span<const double> weights) {
  require(weights.size() == layout.dimension(), "weights must have one entry for each dimension of the encoding");
  double sum = 0;
  for (const double w : weights) sum += std::fabs(w);
  // Also false for NaN; a score then stays far from the largest float.
  require(sum <= 0x1p60, "weights must be finite with an absolute sum of at most 2^60");
}

// The largest possible size of the category part of a score.
double category_bound(const data::TileLayout& layout, std::span<const double> weights, double root) {
  double bound = 0;
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    const auto part = weights.subspan(layout.category_first_weight(c), layout.category_levels(c));
    double largest = 0;
    for (const double w : part) largest = std::fmax(largest, std::fabs(w));
    bound += largest / root;
  }
  return bound;
}

}  // namespace

// [proof engine_sums.weights]
template <>
PreparedWeights<double> prepare_weights<double>(const data::TileLayout& layout, const ColumnGroups& groups,
                                                std::span<const double> weights) {
  check_weights(layout, weights);
  const double root = std::sqrt(static_cast<double>(layout.columns()));
  PreparedWeights<double> out;
  out.intercept = weights[0] / root;
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    out.reals.push_back(weights[layout.real_weight(j)] / (root * schema::kRealOne));
  }
  out.cells.assign(groups.cells(), 0.0);
  groups.for_each_weight(layout,
                         [&](std::size_t weight, std::size_t cell) { out.cells[cell] += weights[weight] / root; });
  return out;
}

template <>
PreparedWeights<float> prepare_weights<float>(const data::TileLayout& layout, const ColumnGroups& groups,
                                              std::span<const double> weights) {
  check_weights(layout, weights);
  const double root = std::sqrt(static_cast<double>(layout.columns()));
  PreparedWeights<float> out;
  out.intercept = static_cast<float>(weights[0] / root);
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    out.reals.push_back(static_cast<float>(weights[layout.real_weight(j)] / (root * schema::kRealOne)));
  }
  // bound / unit < 2^30, so a sum of at most 2^29 columns, each rounded by at most 1/2, stays below 2^31.
  const double bound = category_bound(layout, weights, root);
  const int exponent = bound > 0 ? std::max(std::ilogb(bound) - 29, -100) : -100;
  const double unit = std::ldexp(1.0, exponent);
  out.unit = static_cast<float>(unit);
  const auto quantised = [&](std::size_t weight) {
    return static_cast<std::int32_t>(std::lrint(weights[weight] / root / unit));
  };
  out.cells.assign(groups.cells(), 0);
  groups.for_each_weight(layout, [&](std::size_t weight, std::size_t cell) { out.cells[cell] += quantised(weight); });
  out.lane_tables.assign(layout.category_count() * kLaneTable, 0);
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    if (layout.category_levels(c) >= kLaneTable) continue;
    for (std::size_t level = 0; level < layout.category_levels(c); ++level) {
      out.lane_tables[c * kLaneTable + level] = quantised(layout.category_first_weight(c) + level);
    }
  }
  return out;
}
// [/proof]

}  // namespace dperm::engine
