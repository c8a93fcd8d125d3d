// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/softmax/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/cpu/softmax/softmax_pass.hpp"
#include "dperm/engine/rounding_error.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {
namespace {

void check_classes(std::size_t classes) {
  require(classes >= 2 && classes <= kMaximumClasses, "the number of classes must be between 2 and 65536");
}

// Weight j of class k at j * classes + k, divided by what makes an encoded feature of the integer in the tile.
std::vector<double> prepared(const data::TileLayout& layout, std::size_t classes, std::span<const double> weights) {
  const std::size_t dimension = layout.dimension();
  require(weights.size() == classes * dimension, "softmax needs one weight per class and dimension of the encoding");
  double sum = 0;
  for (const double w : weights) sum += std::fabs(w);
  require(sum <= 0x1p60, "weights must be finite with an absolute sum of at most 2^60");  // false for NaN
  const double root = std::sqrt(static_cast<double>(layout.columns()));
  std::vector<double> divisor(dimension, root), out(weights.size());
  const auto in_fractions = [&](std::size_t first, std::size_t count) {
    std::fill_n(divisor.begin() + static_cast<std::ptrdiff_t>(first), count, root * schema::kRealOne);
  };
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    if (layout.real_weight(j) != schema::kNoWeight) in_fractions(layout.real_weight(j), 1);
    in_fractions(layout.real_code(j).first_knot, layout.real_code(j).knot_count());
  }
  for (const schema::PairCode& pair : layout.pairs()) {
    in_fractions(pair.first_knot, std::size_t{pair.pieces + 1} * (pair.pieces + 1));
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t j = 0; j < dimension; ++j) out[j * classes + k] = weights[k * dimension + j] / divisor[j];
  }
  return out;
}

}  // namespace

SoftmaxSums softmax_total(const data::TileSet& tiles, const SoftmaxQuery& query, double steps, Threads threads) {
  const std::size_t classes = query.classes;
  check_classes(classes);
  require_in_closed_range("value_bound", query.value_bound, 0x1p-60, 0x1p60);
  const std::size_t dimension = tiles.layout().dimension();
  // [proof engine_softmax.scale]
  // So much less than steps that no rounding brings the sum of a row's shares above it.
  const double share_scale = steps * (1 - static_cast<double>(classes + 4) * 0x1p-52);
  // [/proof]
  const SoftmaxPass pass{&tiles.layout(), classes,     prepared(tiles.layout(), classes, query.weights),
                         steps,           share_scale, steps / query.value_bound};
  SoftmaxSums sums{std::vector<std::int64_t>(classes * dimension, 0), 0};
  for_each_tile(
      tiles, threads,
      [&] {
        const std::size_t block = classes * kSoftmaxRows;
        return SoftmaxState{std::vector<double>(block), std::vector<double>(block), std::vector<std::int64_t>(block),
                            std::vector<std::int64_t>(classes * dimension, 0)};
      },
      [&](SoftmaxState& state, std::size_t, const data::TileView& tile, const std::byte*) {
        add_softmax(pass, tile, state);
      },
      [&](const SoftmaxState& state) {
        sums.loss += state.loss;
        for (std::size_t k = 0; k < classes; ++k) {
          for (std::size_t j = 0; j < dimension; ++j) {
            sums.gradient[k * dimension + j] += state.gradient[j * classes + k];
          }
        }
      });
  return sums;
}

// [proof engine_softmax.error]
SoftmaxError softmax_error(std::size_t classes, double weight_norm, std::size_t columns) {
  check_classes(classes);
  require_nonnegative_finite("weight_norm", weight_norm);
  require(columns >= 1, "columns", "must be at least 1");
  constexpr double kUnit = 0x1p-53, kSmallest = 0x1p-1000;
  const double m = static_cast<double>(columns), k = static_cast<double>(classes);
  SoftmaxError error{};
  error.score = rounded_up(weight_norm * kUnit * (1.1 * m + 8) + m * k * kSmallest);
  error.slopes = std::fmin(2.0, rounded_up(0.51 * error.score + (4 * k + 40) * kUnit));
  return error;
}
// [/proof]

}  // namespace dperm::engine
