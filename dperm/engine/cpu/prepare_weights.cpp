// SPDX-License-Identifier: Apache-2.0
// Turns a weight vector into the tables one pass reads.
#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/engine/cpu/pass.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {
namespace {

void check_weights(const data::TileLayout& layout, std::span<const double> weights, double largest_sum) {
  require(weights.size() == layout.dimension(), "weights must have one entry for each dimension of the encoding");
  double sum = 0;
  for (const double w : weights) sum += std::fabs(w);
  // Also false for NaN; a score then stays far from the largest float.
  require(sum <= largest_sum, "weights must be finite with an absolute sum of at most 2^60");
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
namespace {

// What both resolutions prepare alike. A linear term of steps has weight 0.
template <class T>
PreparedWeights<T> prepare_numbers(const data::TileLayout& layout, std::span<const double> weights, double root) {
  const double unit = root * schema::kRealOne;
  const auto prepared = [&](std::size_t weight) { return static_cast<T>(weights[weight] / unit); };
  PreparedWeights<T> out;
  out.intercept = static_cast<T>(weights[0] / root);
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    out.reals.push_back(layout.real_weight(j) == schema::kNoWeight ? T{0} : prepared(layout.real_weight(j)));
  }
  out.curves.assign(layout.curves().size() * kCurveTable, T{0});
  for (std::size_t c = 0; c < layout.curves().size(); ++c) {
    const schema::RealCode& code = layout.real_code(layout.curves()[c]);
    for (std::size_t knot = 0; knot < code.knot_count(); ++knot) {
      out.curves[c * kCurveTable + knot] = prepared(code.first_knot + knot);
    }
  }
  for (const schema::PairCode& pair : layout.pairs()) {
    const std::size_t knots = std::size_t{pair.pieces + 1} * (pair.pieces + 1);
    for (std::size_t knot = 0; knot < knots; ++knot) out.surfaces.push_back(prepared(pair.first_knot + knot));
  }
  return out;
}

}  // namespace

template <>
PreparedWeights<double> prepare_weights<double>(const data::TileLayout& layout, const ColumnGroups& groups,
                                                std::span<const double> weights, double root, double largest_sum) {
  check_weights(layout, weights, largest_sum);
  PreparedWeights<double> out = prepare_numbers<double>(layout, weights, root);
  out.cells.assign(groups.cells(), 0.0);
  groups.for_each_weight(layout,
                         [&](std::size_t weight, std::size_t cell) { out.cells[cell] += weights[weight] / root; });
  return out;
}

template <>
PreparedWeights<float> prepare_weights<float>(const data::TileLayout& layout, const ColumnGroups& groups,
                                              std::span<const double> weights, double root, double largest_sum) {
  check_weights(layout, weights, largest_sum);
  PreparedWeights<float> out = prepare_numbers<float>(layout, weights, root);
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

double encoded_root(const data::TileLayout& layout) { return std::sqrt(static_cast<double>(layout.columns())); }

Totals::Totals(const data::TileLayout& layout, const ColumnGroups& groups)
    : reals(layout.real_count(), 0), cells(groups.cells(), 0) {
  std::size_t pieces = 0, knots = 0;
  for (const std::size_t j : layout.curves()) pieces += layout.real_code(j).pieces;
  for (const schema::PairCode& pair : layout.pairs()) knots += std::size_t{pair.pieces + 1} * (pair.pieces + 1);
  curves.assign(2 * pieces, 0);
  surfaces.assign(knots, 0);
}

void Totals::clear() {
  intercept = 0;
  for (auto* totals : {&reals, &cells, &curves, &surfaces}) std::fill(totals->begin(), totals->end(), 0);
}

}  // namespace dperm::engine
