// SPDX-License-Identifier: Apache-2.0
// The engine's sums the obvious way: one row at a time, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "dperm/engine/cpu/sums.hpp"
#include "dperm/loss/loss.hpp"
#include "dperm/loss/losses/all.hpp"
#include "tests/support/tile_builder.hpp"

namespace dperm::tests {

// Where a value lies between the knots of its column, in whole numbers: knot and fraction of 32767.
struct ExactPoint {
  std::size_t piece;
  std::int64_t fraction;
};
inline ExactPoint exact_point(std::int64_t q, std::int64_t pieces, bool from_zero) {
  const std::int64_t place = from_zero ? std::max<std::int64_t>(2 * q, 0) : std::max<std::int64_t>(q + 32767, 0);
  const std::int64_t along = place * pieces / 2;
  return {static_cast<std::size_t>(along / 32768), along % 32768};
}

// Calls visit(weight, integer value) for the features of a row that are not 0, in units of 1/32767.
template <class Visit>
void for_each_feature(const EncodedTable& table, std::size_t row, Visit&& visit) {
  visit(std::size_t{0}, std::int64_t{32767});
  std::size_t next = 1;
  for (std::size_t j = 0; j < table.reals.size(); ++j) {
    const RealShape shape = table.shape(j);
    const std::int64_t q = table.reals[j][row];
    const ExactPoint at = exact_point(q, shape.pieces, shape.from_zero);
    if (!shape.steps) visit(next, q);
    if (shape.pieces > 0 && shape.steps) visit(next + at.piece, std::int64_t{32767});
    if (shape.pieces > 0 && !shape.steps) {
      visit(next + 1 + at.piece, 32767 - at.fraction);
      visit(next + 2 + at.piece, at.fraction);
    }
    next += shape.weights();
  }
  for (std::size_t c = 0; c < table.levels.size(); ++c) {
    if (table.codes[c][row] < table.levels[c]) visit(next + table.codes[c][row], std::int64_t{32767});
    next += table.levels[c];
  }
  for (const RealPair& pair : table.pairs) {
    const auto point = [&](std::size_t j) {
      return exact_point(table.reals[j][row], pair.pieces, table.shape(j).from_zero);
    };
    const ExactPoint a = point(pair.first), b = point(pair.second);
    const std::int64_t both = a.fraction * (b.fraction + 1) / 32768;
    const std::size_t line = pair.pieces + 1, knot = next + a.piece * line + b.piece;
    visit(knot, 32767 - a.fraction - b.fraction + both);
    visit(knot + 1, b.fraction - both);
    visit(knot + line, a.fraction - both);
    visit(knot + line + 1, both);
    next += line * line;
  }
}

// The unscaled features u of a row, one per weight.
inline std::vector<long double> features(const EncodedTable& table, std::size_t row) {
  std::vector<long double> u(table.dimension(), 0);
  for_each_feature(table, row, [&](std::size_t weight, std::int64_t value) {
    u[weight] += static_cast<long double>(value) / 32767;
  });
  return u;
}

inline long double exact_score(const EncodedTable& table, std::size_t row, std::span<const double> weights) {
  long double score = 0;
  for_each_feature(table, row, [&](std::size_t weight, std::int64_t value) {
    score += static_cast<long double>(weights[weight]) * static_cast<long double>(value) / 32767;
  });
  return score / std::sqrt(static_cast<long double>(table.columns()));
}

inline long double encoded_target(const loss::Loss& loss, std::int32_t target) {
  if (loss::is_classification(loss.kind)) return target > 0 ? 1 : -1;
  return static_cast<long double>(target) / (1 << 30);
}

// loss::slope and loss::value in long double, for scores that a double would round.
inline long double exact_slope(const loss::Loss& loss, long double t, long double y) {
  return loss::visit_one_score(loss.kind, [&](auto each) { return each.slope(loss, t, y); });
}

inline long double exact_value(const loss::Loss& loss, long double t, long double y) {
  return loss::visit_one_score(loss.kind, [&](auto each) { return each.value(loss, t, y); });
}

inline std::vector<double> random_weights(std::size_t dimension, double norm, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> weights(dimension);
  double square = 0;
  for (double& w : weights) {
    w = normal(random);
    square += w * w;
  }
  for (double& w : weights) w *= norm / std::sqrt(square);
  return weights;
}

inline double norm_of(std::span<const double> weights) {
  double square = 0;
  for (const double w : weights) square += w * w;
  return std::sqrt(square);
}

inline std::vector<loss::Loss> example_losses() {
  std::vector<loss::Loss> out;
  for (const loss::LossKind kind : loss::kAllLosses) {
    out.push_back({.kind = kind, .smoothing = 0.2, .margin = 0.7, .quantile = 0.8, .threshold = 0.3});
  }
  return out;
}

}  // namespace dperm::tests
