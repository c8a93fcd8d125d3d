// SPDX-License-Identifier: Apache-2.0
// Datasets for tests of methods: encoded tables behind the same door as real data.
#pragma once

#include <cmath>

#include "dperm/methods/task.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::tests {

inline methods::PublicFacts facts_of(const EncodedTable& table) {
  return {table.rows(), table.dimension(), table.columns(), table.classes};
}

// A task about the table, weights in a ball, at epsilon 1 and delta 1e-6.
inline methods::Task task_in_ball(const EncodedTable& table, loss::LossKind kind, double radius) {
  methods::Task task;
  task.problem.loss.kind = kind;
  task.problem.feasible_set = {loss::SetKind::ball, radius};
  task.facts = facts_of(table);
  task.budget = {1, 1e-6};
  return task;
}

// The feature vector of a row in encoded units (norm at most 1), computed in the obvious way.
inline std::vector<double> encoded_row(const EncodedTable& table, std::size_t row) {
  const double scale = 1 / std::sqrt(static_cast<double>(table.columns()));
  std::vector<double> x(table.dimension(), 0.0);
  x[0] = scale;
  std::size_t next = 1;
  for (const auto& column : table.reals) x[next++] = scale * column[row] / 32767.0;
  for (std::size_t c = 0; c < table.levels.size(); ++c) {
    if (table.codes[c][row] < table.levels[c]) x[next + table.codes[c][row]] = scale;
    next += table.levels[c];
  }
  return x;
}

inline double encoded_target(const EncodedTable& table, std::size_t row, bool classification) {
  if (classification) return table.targets[row] > 0 ? 1 : -1;
  return table.targets[row] / static_cast<double>(1 << 30);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// The penalised mean loss and its gradient, in plain double loops.
inline double plain_risk(const EncodedTable& table, const methods::Problem& problem, const std::vector<double>& w,
                         std::vector<double>* gradient = nullptr) {
  const bool classification = loss::is_classification(problem.loss.kind);
  const double n = static_cast<double>(table.rows());
  double risk = problem.l2_penalty / 2 * dot(w, w);
  if (gradient != nullptr) {
    *gradient = w;
    for (double& g : *gradient) g *= problem.l2_penalty;
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::vector<double> x = encoded_row(table, row);
    const double score = dot(w, x);
    const double y = encoded_target(table, row, classification);
    risk += loss::value(problem.loss, score, y) / n;
    if (gradient == nullptr) continue;
    const double slope = loss::slope(problem.loss, score, y) / n;
    for (std::size_t j = 0; j < x.size(); ++j) (*gradient)[j] += slope * x[j];
  }
  return risk;
}

// Labels that follow a hidden linear rule with noise, so that there is something to learn.
inline EncodedTable learnable_table(std::size_t rows, std::size_t reals, const std::vector<std::uint32_t>& levels,
                                    bool binary_target, std::uint64_t seed) {
  EncodedTable table = random_table(rows, reals, levels, binary_target, seed);
  std::mt19937_64 random(seed + 1);
  std::vector<double> hidden(table.dimension());
  for (double& w : hidden) w = static_cast<double>(random() % 2001) / 1000.0 - 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const double score =
        dot(hidden, encoded_row(table, row)) / 2 + (static_cast<double>(random() % 2001) / 1000.0 - 1) / 8;
    table.targets[row] = binary_target ? (score > 0 ? 1 : -1)
                                       : static_cast<std::int32_t>(std::fmax(-1, std::fmin(1, score)) * (1 << 30));
  }
  return table;
}

}  // namespace dperm::tests
