// SPDX-License-Identifier: Apache-2.0
// Smooth strongly convex problems with known answers, for testing solvers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "dperm/solve/objective.hpp"

namespace dperm::test {

// sum_j h_j (w_j - c_j)^2 / 2; also its minimum over a box |w_j| <= r (separable) and over a ball (one equation).
class DiagonalQuadratic final : public solve::Objective {
 public:
  DiagonalQuadratic(std::vector<double> curvatures, std::vector<double> centre)
      : curvatures_(std::move(curvatures)), centre_(std::move(centre)) {}

  // Curvatures spread evenly in the logarithm from 1 down to 1/condition, centre alternating in sign.
  static DiagonalQuadratic with_condition(std::size_t dimension, double condition) {
    std::vector<double> h(dimension), c(dimension);
    for (std::size_t j = 0; j < dimension; ++j) {
      h[j] = std::pow(condition, -static_cast<double>(j) / std::max(1.0, static_cast<double>(dimension - 1)));
      c[j] = (j % 2 == 0 ? 1 : -1) * (1 + 0.1 * static_cast<double>(j));
    }
    return {std::move(h), std::move(c)};
  }

  std::size_t dimension() const override { return centre_.size(); }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    double value = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      gradient[j] = curvatures_[j] * (w[j] - centre_[j]);
      value += gradient[j] * (w[j] - centre_[j]) / 2;
    }
    return value;
  }

  const std::vector<double>& answer() const { return centre_; }
  std::vector<double> answer_in_box(double radius) const {
    std::vector<double> w = centre_;
    for (double& x : w) x = std::clamp(x, -radius, radius);
    return w;
  }
  // w_j = h_j c_j / (h_j + m) with the multiplier m that puts w on the sphere.
  std::vector<double> answer_in_ball(double radius) const {
    const auto outside = [&](double m) {
      double square = 0;
      for (std::size_t j = 0; j < centre_.size(); ++j) {
        const double x = curvatures_[j] * centre_[j] / (curvatures_[j] + m);
        square += x * x;
      }
      return square > radius * radius;
    };
    double low = 0, high = 1;
    if (!outside(low)) return centre_;
    while (outside(high)) high *= 2;
    for (int i = 0; i < 200; ++i) (outside((low + high) / 2) ? low : high) = (low + high) / 2;
    std::vector<double> w = centre_;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] *= curvatures_[j] / (curvatures_[j] + high);
    return w;
  }

 private:
  std::vector<double> curvatures_, centre_;
};

// Mean squared residual / 2 plus a ridge, on random rows; the answer solves the normal equations.
class Ridge final : public solve::Objective {
 public:
  Ridge(std::size_t rows, std::size_t dimension, double penalty, std::uint64_t seed)
      : dimension_(dimension), penalty_(penalty), x_(rows * dimension), y_(rows) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (double& x : x_) x = normal(engine) / std::sqrt(static_cast<double>(dimension));
    for (double& y : y_) y = normal(engine);
  }

  std::size_t dimension() const override { return dimension_; }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    double value = 0;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const double rows = static_cast<double>(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double residual = -y_[i];
      for (std::size_t j = 0; j < dimension_; ++j) residual += x_[i * dimension_ + j] * w[j];
      value += residual * residual / (2 * rows);
      for (std::size_t j = 0; j < dimension_; ++j) gradient[j] += residual * x_[i * dimension_ + j] / rows;
    }
    for (std::size_t j = 0; j < dimension_; ++j) {
      value += penalty_ * w[j] * w[j] / 2;
      gradient[j] += penalty_ * w[j];
    }
    return value;
  }

  double smoothness() const {  // the largest row norm squared bounds the Hessian of the mean
    double largest = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double square = 0;
      for (std::size_t j = 0; j < dimension_; ++j) square += x_[i * dimension_ + j] * x_[i * dimension_ + j];
      largest = std::max(largest, square);
    }
    return largest + penalty_;
  }

  // Gauss-Jordan in extended precision; positive definite, so no pivoting is needed.
  std::vector<double> answer() const {
    const std::size_t d = dimension_;
    std::vector<long double> a(d * (d + 1), 0);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t k = 0; k < d; ++k)
          a[j * (d + 1) + k] += static_cast<long double>(x_[i * d + j]) * x_[i * d + k];
        a[j * (d + 1) + d] += static_cast<long double>(x_[i * d + j]) * y_[i];
      }
    }
    for (std::size_t j = 0; j < d; ++j) a[j * (d + 1) + j] += static_cast<long double>(penalty_) * y_.size();
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t i = 0; i < d; ++i) {
        if (i == j) continue;
        const long double factor = a[i * (d + 1) + j] / a[j * (d + 1) + j];
        for (std::size_t k = j; k <= d; ++k) a[i * (d + 1) + k] -= factor * a[j * (d + 1) + k];
      }
    }
    std::vector<double> w(d);
    for (std::size_t j = 0; j < d; ++j) w[j] = static_cast<double>(a[j * (d + 1) + d] / a[j * (d + 1) + j]);
    return w;
  }

 private:
  std::size_t dimension_;
  double penalty_;
  std::vector<double> x_, y_;
};

// Eight rows, three columns, mean logistic loss plus (1/16) |w|^2 / 2. The answer was found with mpmath at 40 digits.
class SmallLogistic final : public solve::Objective {
 public:
  static constexpr double kPenalty = 0.0625;
  static constexpr double kSmoothness = 0.25 * 1.828125 + kPenalty;
  static constexpr double kLeastValue = 0.41863578570568899803;
  static std::vector<double> answer() {
    return {1.3993111551450300922, -0.46838126520813846013, -1.2566960544504469586};
  }

  std::size_t dimension() const override { return 3; }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    static constexpr std::array<std::array<double, 4>, 8> kRows = {{{1, .5, -.25, 1},
                                                                    {.75, -.5, .125, 1},
                                                                    {-.25, 1, .5, -1},
                                                                    {-1, -.75, .25, -1},
                                                                    {.125, .25, -1, 1},
                                                                    {.5, -.125, .75, -1},
                                                                    {-.625, .375, -.5, -1},
                                                                    {.25, -1, -.875, 1}}};
    double value = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      gradient[j] = kPenalty * w[j];
      value += kPenalty * w[j] * w[j] / 2;
    }
    for (const auto& row : kRows) {
      const double margin = row[3] * (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]);
      value += (margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin) / 8;
      for (std::size_t j = 0; j < 3; ++j) gradient[j] -= row[3] * row[j] / (1 + std::exp(margin)) / 8;
    }
    return value;
  }
};

// Another objective whose value and gradient are truncated to multiples of a step, as integer sums over rows are.
class OnLattice final : public solve::Objective {
 public:
  OnLattice(const solve::Objective& exact, double step) : exact_(exact), step_(step) {}
  std::size_t dimension() const override { return exact_.dimension(); }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    ++evaluations;
    const double value = exact_.value_and_gradient(w, gradient);
    for (double& g : gradient) g = std::trunc(g / step_) * step_;
    return std::trunc(value / step_) * step_;
  }
  double evaluation_error() const { return step_ * std::sqrt(static_cast<double>(dimension())); }

  mutable long evaluations = 0;

 private:
  const solve::Objective& exact_;
  double step_;
};

inline double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

inline void project_to_box(std::span<double> w, double radius) {
  for (double& x : w) x = std::clamp(x, -radius, radius);
}

inline void project_to_ball(std::span<double> w, double radius) {
  double square = 0;
  for (const double x : w) square += x * x;
  if (square <= radius * radius) return;
  const double factor = radius / std::sqrt(square);
  for (double& x : w) x *= factor;
}

}  // namespace dperm::test
