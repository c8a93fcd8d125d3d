// SPDX-License-Identifier: Apache-2.0
// The engine's sums the obvious way: one row at a time, in long double.
#pragma once

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

// The unscaled features u of a row, one per weight.
inline std::vector<long double> features(const EncodedTable& table, std::size_t row) {
  std::vector<long double> u(table.dimension(), 0);
  std::size_t next = 0;
  u[next++] = 1;
  for (const auto& column : table.reals) u[next++] = static_cast<long double>(column[row]) / 32767;
  for (std::size_t c = 0; c < table.levels.size(); ++c) {
    if (table.codes[c][row] < table.levels[c]) u[next + table.codes[c][row]] = 1;
    next += table.levels[c];
  }
  return u;
}

inline long double exact_score(const EncodedTable& table, std::size_t row, std::span<const double> weights) {
  long double score = static_cast<long double>(weights[0]);
  std::size_t next = 1;
  for (const auto& column : table.reals) {
    score += static_cast<long double>(weights[next++]) * static_cast<long double>(column[row]) / 32767;
  }
  for (std::size_t c = 0; c < table.levels.size(); ++c) {
    if (table.codes[c][row] < table.levels[c]) score += static_cast<long double>(weights[next + table.codes[c][row]]);
    next += table.levels[c];
  }
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
