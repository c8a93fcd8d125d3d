// SPDX-License-Identifier: Apache-2.0
// A network the obvious way: one row at a time, every gradient written out, in double.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "dperm/engine/network/output_loss.hpp"
#include "dperm/engine/network/shape.hpp"
#include "dperm/loss/loss.hpp"
#include "tests/support/engine_reference.hpp"

namespace dperm::tests {

struct NetworkReference {
  network::Shape shape;
  loss::Loss loss;
  std::vector<double> weights;

  // What enters each layer, the constant first, and at the end the scores.
  std::vector<std::vector<double>> forward(const EncodedTable& table, std::size_t row) const {
    std::vector<std::vector<double>> units(1);
    for (const long double u : features(table, row)) units[0].push_back(static_cast<double>(u));
    const auto all = network::layers(shape);
    for (std::size_t l = 0; l < all.size(); ++l) {
      const bool last = l + 1 == all.size();
      std::vector<double> next(last ? 0 : 1, 1.0);
      for (std::size_t o = 0; o < all[l].outputs; ++o) {
        double sum = 0;
        for (std::size_t i = 0; i < all[l].inputs; ++i) {
          sum += units[l][i] * weights[all[l].first_weight + i * all[l].outputs + o];
        }
        if (!last) sum = shape.activation == network::Activation::relu ? std::fmax(sum, 0.0) : std::tanh(sum);
        next.push_back(sum);
      }
      units.push_back(next);
    }
    return units;
  }

  std::size_t class_of(std::int32_t target) const {
    return target < 0 ? 0 : std::min(static_cast<std::size_t>(target), shape.outputs - 1);
  }

  double value(const EncodedTable& table, std::size_t row) const {
    const std::vector<double> scores = forward(table, row).back();
    if (loss.kind != loss::LossKind::softmax) {
      return loss::value(loss, scores[0], static_cast<double>(encoded_target(loss, table.targets[row])));
    }
    double sum = 0;
    for (const double s : scores) sum += std::exp(s - scores[0]);
    return std::log(sum) + scores[0] - scores[class_of(table.targets[row])];
  }

  std::vector<double> gradient(const EncodedTable& table, std::size_t row) const {
    const auto units = forward(table, row);
    const auto all = network::layers(shape);
    const std::vector<double>& scores = units.back();
    std::vector<double> slopes(scores.size());
    if (loss.kind != loss::LossKind::softmax) {
      slopes[0] = loss::slope(loss, scores[0], static_cast<double>(encoded_target(loss, table.targets[row])));
    } else {
      for (std::size_t k = 0; k < scores.size(); ++k) {
        double sum = 0;
        for (const double s : scores) sum += std::exp(s - scores[k]);
        slopes[k] = 1 / sum - (k == class_of(table.targets[row]) ? 1 : 0);
      }
    }
    std::vector<double> out(weights.size());
    for (std::size_t l = all.size(); l-- > 0;) {
      std::vector<double> below(all[l].inputs, 0.0);
      for (std::size_t i = 0; i < all[l].inputs; ++i) {
        for (std::size_t o = 0; o < all[l].outputs; ++o) {
          const std::size_t w = all[l].first_weight + i * all[l].outputs + o;
          out[w] = units[l][i] * slopes[o];
          below[i] += weights[w] * slopes[o];
        }
        const double unit = units[l][i];
        below[i] *= shape.activation == network::Activation::relu ? (unit > 0 ? 1 : 0) : 1 - unit * unit;
      }
      slopes.assign(below.begin() + 1, below.end());
    }
    return out;
  }
};

// Random weights of about the usual size: a layer's sums are of the size of its inputs, times `size`.
inline std::vector<double> network_weights(const network::Shape& shape, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> weights;
  for (const network::Layer& layer : network::layers(shape)) {
    for (std::size_t i = 0; i < layer.inputs * layer.outputs; ++i) {
      weights.push_back(size * normal(random) / std::sqrt(static_cast<double>(layer.inputs)));
    }
  }
  return weights;
}

// random_table with classes 0 ... classes - 1 as targets.
inline EncodedTable class_table(std::size_t rows, std::size_t reals, const std::vector<std::uint32_t>& levels,
                                std::size_t classes, std::uint64_t seed) {
  EncodedTable table = random_table(rows, reals, levels, true, seed);
  table.classes = classes;
  std::mt19937_64 random(seed + 1);
  for (std::int32_t& target : table.targets) target = static_cast<std::int32_t>(random() % classes);
  return table;
}

}  // namespace dperm::tests
