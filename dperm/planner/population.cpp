// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/population.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dperm::planner {

namespace {

// All in units of a column: a real value is in [-1, 1], a category's feature is 0 or 1. Fitted to two public tables for
// classification and one for regression, then rounded; docs/forecast.md shows how well they do on others.
constexpr double kRealMean = 0.6;
constexpr double kRealVariance = 0.05;  // of the first principal direction of the real columns ...
constexpr double kRealDecay = 1.3;      // ... the j-th has this power of j less
constexpr double kLevelDecay = 1.5;     // the l-th most frequent category has frequency proportional to l^-1.5
constexpr double kFlagFrequency = 0.3;  // of a category column with one feature

class Builder {
 public:
  void add_reals(std::size_t count) {
    for (std::size_t j = 1; j <= count; ++j) {
      variances_.push_back(kRealVariance * std::pow(static_cast<double>(j), -kRealDecay));
    }
    mean_square_ += kRealMean * kRealMean * static_cast<double>(count);
    columns_ += count;
  }

  void add_category(std::size_t levels) {
    ++columns_;
    if (levels == 1) {
      mean_square_ += kFlagFrequency * kFlagFrequency;
      variances_.push_back(kFlagFrequency * (1 - kFlagFrequency));
      return;
    }
    std::vector<double> frequencies(levels);
    double total = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      total += frequencies[l] = std::pow(static_cast<double>(l + 1), -kLevelDecay);
    }
    for (std::size_t l = 0; l < levels; ++l) {
      frequencies[l] /= total;
      mean_square_ += frequencies[l] * frequencies[l];
      // The eigenvalues of diag(p) - p p^T lie between neighbouring frequencies, and one is 0.
      if (l > 0) variances_.push_back(std::sqrt(frequencies[l - 1] * frequencies[l]));
    }
  }

  // In addition to its line.
  void add_curve(std::size_t knots) {
    add_category(knots);
    curved_ = true;
  }

  Population population() {
    std::sort(variances_.begin(), variances_.end(), std::greater<>());
    variances_.insert(variances_.begin(), mean_square_);
    for (double& moment : variances_) moment /= static_cast<double>(columns_);
    return {variances_, curved_};
  }

 private:
  double mean_square_ = 1;  // the intercept's
  std::size_t columns_ = 1;
  std::vector<double> variances_;
  bool curved_ = false;
};

}  // namespace

Population population_of(const schema::Encoding& encoding) {
  Builder builder;
  builder.add_reals(encoding.reals().size());
  for (const schema::RealCode& real : encoding.reals()) {
    if (real.pieces > 0) builder.add_curve(real.knot_count());
  }
  for (const schema::CategoryCode& code : encoding.categories()) builder.add_category(code.levels);
  return builder.population();
}

Population population_of(const methods::PublicFacts& facts) {
  Builder builder;
  const std::size_t columns = facts.columns - std::min<std::size_t>(facts.columns, 1);
  const std::size_t features = facts.dimension - std::min<std::size_t>(facts.dimension, 1);
  if (features <= columns) {
    builder.add_reals(columns);
    return builder.population();
  }
  for (std::size_t k = 0; k < columns; ++k) builder.add_category(features * (k + 1) / columns - features * k / columns);
  return builder.population();
}

}  // namespace dperm::planner
