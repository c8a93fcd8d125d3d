// SPDX-License-Identifier: Apache-2.0
// Softmax regression the obvious way, one row at a time: the reference for the engine's sums and for methods.
#pragma once

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "tests/support/engine_reference.hpp"

namespace dperm::tests {

// A random table whose targets are classes. Learnable: the class of the largest of random linear scores, sometimes
// another.
inline EncodedTable class_table(std::size_t rows, std::size_t reals, const std::vector<std::uint32_t>& levels,
                                std::size_t classes, std::uint64_t seed) {
  EncodedTable table = random_table(rows, reals, levels, true, seed);
  table.classes = classes;
  std::mt19937_64 random(seed + 1);
  const std::vector<double> hidden = random_weights(classes * table.dimension(), 10, seed + 2);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t best = random() % classes;
    for (std::size_t k = 0; k < classes && random() % 8 != 0; ++k) {
      const auto score = [&](std::size_t c) {
        return exact_score(table, row, std::span(hidden).subspan(c * table.dimension(), table.dimension()));
      };
      if (score(k) > score(best)) best = k;
    }
    table.targets[row] = static_cast<std::int32_t>(best);
  }
  return table;
}

struct ExactRow {
  std::vector<long double> slopes;  // share of the class, less 1 for the row's own
  long double loss;
};

inline ExactRow exact_softmax(const EncodedTable& table, std::size_t row, std::size_t classes,
                              std::span<const double> weights) {
  ExactRow result{std::vector<long double>(classes), 0};
  long double largest = -1e300L, total = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    result.slopes[k] = exact_score(table, row, weights.subspan(k * table.dimension(), table.dimension()));
    largest = std::fmax(largest, result.slopes[k]);
  }
  const auto own = static_cast<std::size_t>(table.targets[row]);
  result.loss = largest - result.slopes[own];
  for (long double& slope : result.slopes) total += slope = std::exp(slope - largest);
  result.loss += std::log(total);
  for (long double& slope : result.slopes) slope /= total;
  result.slopes[own] -= 1;
  return result;
}

// The penalised mean loss and its gradient.
inline double softmax_risk(const EncodedTable& table, std::size_t classes, double penalty, std::span<const double> w,
                           std::vector<double>* gradient = nullptr) {
  const double n = static_cast<double>(table.rows()), root = std::sqrt(static_cast<double>(table.columns()));
  double risk = 0;
  for (const double each : w) risk += penalty / 2 * each * each;
  if (gradient != nullptr) {
    gradient->assign(w.begin(), w.end());
    for (double& g : *gradient) g *= penalty;
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const ExactRow exact = exact_softmax(table, row, classes, w);
    risk += static_cast<double>(exact.loss) / n;
    if (gradient == nullptr) continue;
    const std::vector<long double> u = features(table, row);
    for (std::size_t k = 0; k < classes; ++k) {
      const double slope = static_cast<double>(exact.slopes[k]) / (n * root);
      for (std::size_t j = 0; j < u.size(); ++j) (*gradient)[k * u.size() + j] += slope * static_cast<double>(u[j]);
    }
  }
  return risk;
}

}  // namespace dperm::tests
