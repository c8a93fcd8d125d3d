// SPDX-License-Identifier: Apache-2.0
// The integers of single rows against gradients in long double: never farther than promised, and not much nearer.
#include "dperm/engine/network/clipped_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/engine/network/clipped_query.hpp"
#include "tests/support/network_reference.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::network {
namespace {

using tests::EncodedTable;
using Reals = std::vector<long double>;

constexpr std::size_t kRows = 24;

struct Case {
  EncodedTable table;
  loss::Loss loss;
  std::size_t outputs = 1;
  double norm = 1;  // of the weights in encoded units

  LinearRows rows() const {
    return {{.inputs = table.dimension(), .outputs = outputs},
            loss,
            table.columns(),
            norm / std::sqrt(static_cast<double>(table.columns()))};
  }
};

std::vector<loss::Loss> losses_of_one_score() {
  std::vector<loss::Loss> out;
  for (const loss::LossKind kind : loss::kAllLosses) out.push_back({.kind = kind});
  out.push_back({.kind = loss::LossKind::huber, .threshold = 1e-6});
  out.push_back({.kind = loss::LossKind::smoothed_hinge, .smoothing = 1e-6, .margin = 0});
  out.push_back({.kind = loss::LossKind::pinball, .quantile = 0.01});
  return out;
}

// Random rows, and among them rows with every real column at an end or next to zero.
EncodedTable hard_table(std::size_t reals, const std::vector<std::uint32_t>& levels, bool classes, std::uint64_t seed) {
  EncodedTable table = tests::random_table(kRows, reals, levels, classes, seed);
  for (auto& column : table.reals) {
    for (std::size_t row = 0; row < 12; ++row) column[row] = row % 3 == 0 ? 32767 : row % 3 == 1 ? -32767 : 1;
  }
  return table;
}

std::vector<Case> cases(double norm) {
  std::vector<Case> out;
  std::uint64_t seed = 1;
  const std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> shapes = {{0, {}},      {1, {}},     {9, {}},
                                                                                  {2, {3, 40}}, {0, {6000}}, {200, {}}};
  for (const auto& [reals, levels] : shapes) {
    for (const loss::Loss& each : losses_of_one_score()) {
      const EncodedTable table = hard_table(reals, levels, loss::is_classification(each.kind), ++seed);
      out.push_back({table, each, 1, norm});
      if (reals > 0) out.push_back({tests::with_curves(table), each, 1, norm});
    }
    for (const std::size_t classes : {2u, 5u, 40u}) {
      if (!levels.empty() && levels[0] > 1000 && classes > 2) continue;  // slow
      Case c{hard_table(reals, levels, true, ++seed), {.kind = loss::LossKind::softmax}, classes, norm};
      for (std::size_t row = 0; row < kRows; ++row) c.table.targets[row] = static_cast<std::int32_t>(row * 7 % classes);
      out.push_back(c);
      c.table = tests::with_curves(c.table);
      if (reals > 0 && classes < 40) out.push_back(std::move(c));
    }
  }
  return out;
}

// At most `norm` long: random, along a row, or all in one weight.
std::vector<std::vector<double>> weights_of(const Case& c, std::uint64_t seed) {
  const LinearRows rows = c.rows();
  const std::size_t count = weight_count(rows.shape);
  std::vector<std::vector<double>> out;
  out.push_back(std::vector<double>(count, 0.0));
  out.push_back(tests::random_weights(count, rows.weight_norm, seed));
  std::vector<double> along(count, 0.0);
  const Reals u = tests::features(c.table, 0);
  long double square = 0;
  for (const long double x : u) square += x * x;
  for (std::size_t i = 0; i < u.size(); ++i) {
    along[i * c.outputs] = static_cast<double>(u[i] / std::sqrt(square) * 0.999999L) * rows.weight_norm;
  }
  out.push_back(along);
  std::vector<double> one(count, 0.0);
  one[0] = -rows.weight_norm;
  out.push_back(one);
  return out;
}

// The distance of a row's integers, as a gradient, from the nearest slopes that scores off by `error` may have.
long double distance(const Case& c, std::size_t row, const std::vector<double>& weights,
                     const std::vector<std::int64_t>& got, double step, double error) {
  const Reals u = tests::features(c.table, row);
  Reals scores(c.outputs, 0);
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (std::size_t k = 0; k < c.outputs; ++k) {
      scores[k] += u[i] * static_cast<long double>(weights[i * c.outputs + k]);
    }
  }
  Reals slopes(c.outputs);
  if (c.outputs == 1) {
    const long double y = tests::encoded_target(c.loss, c.table.targets[row]);
    long double along = 0, square = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      along += u[i] * static_cast<long double>(got[i]) * static_cast<long double>(step);
      square += u[i] * u[i];
    }
    const auto slope = [&](long double t) { return tests::exact_slope(c.loss, t, y); };
    slopes[0] = std::clamp(along / square, slope(scores[0] - error), slope(scores[0] + error));
  } else {
    long double sum = 0;
    const long double top = *std::max_element(scores.begin(), scores.end());
    for (const long double score : scores) sum += std::exp(score - top);
    for (std::size_t k = 0; k < c.outputs; ++k) slopes[k] = std::exp(scores[k] - top) / sum;
    slopes[static_cast<std::size_t>(c.table.targets[row])] -= 1;
  }
  long double square = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (std::size_t k = 0; k < c.outputs; ++k) {
      const auto here = static_cast<long double>(got[i * c.outputs + k]) * static_cast<long double>(step);
      square += (here - u[i] * slopes[k]) * (here - u[i] * slopes[k]);
    }
  }
  return std::sqrt(square);
}

TEST(RowError, NoRowIsFartherFromItsGradient) {
  double closest[2] = {0, 0};  // one output, several
  for (const double norm : {1e-9, 1.0, 3000.0}) {
    for (const Case& c : cases(norm)) {
      const LinearRows rows = c.rows();
      const engine::TileSums sums = tests::sums_of(c.table);
      const double least = least_clip(rows);
      for (const double clip : {least, 1e4 * least}) {
        const RowError error = row_error(rows, clip);
        // The slopes of softmax are 1/2-Lipschitz in the scores.
        const double root = std::sqrt(static_cast<double>(rows.columns));
        const double allowed = error.gradient + (c.outputs > 1 ? root * error.score / 2 : 0);
        double largest = 0;
        for (const std::vector<double>& weights : weights_of(c, 5)) {
          for (std::size_t row = 0; row < kRows; ++row) {
            const std::vector<std::size_t> sample = {row};
            const auto got = sums.clipped_gradient({rows.shape, rows.loss, weights, clip}, sample, {1});
            const auto far = distance(c, row, weights, got, step_size(clip), error.score);
            largest = std::fmax(largest, static_cast<double>(far) / allowed);
          }
        }
        ASSERT_LE(largest, 1) << loss::name(c.loss.kind) << ", " << rows.shape.inputs << " inputs, " << c.outputs
                              << " outputs, norm " << norm << ", clip " << clip << " of " << least;
        double& here = closest[c.outputs > 1];
        here = std::fmax(here, largest);
      }
    }
  }
  EXPECT_GT(closest[0], 0.5) << "the bound is far from what happens";
  EXPECT_GT(closest[1], 0.4) << "the bound is far from what happens";
}

TEST(RowError, IsSmallWhereTheClipIsTheLongestGradient) {
  // 17 inputs, two features per row, logistic: about 3 of 2^20 steps of the longest gradient.
  const LinearRows rows{{.inputs = 17}, {}, 2, 1};
  EXPECT_GT(least_clip(rows), std::sqrt(2.0) / (1 + std::exp(-std::sqrt(2.0))));
  EXPECT_LT(least_clip(rows), 1.00001 * std::sqrt(2.0) / (1 + std::exp(-std::sqrt(2.0))));
  EXPECT_LT(row_error(rows, least_clip(rows)).gradient, 6e-6 * least_clip(rows));
  EXPECT_LT(row_error(rows, least_clip(rows)).score, 1e-6);
}

TEST(RowError, GrowsWithTheClip) {
  const LinearRows rows{{.inputs = 100, .outputs = 3}, {.kind = loss::LossKind::softmax}, 14, 2};
  double before = 0;
  for (double clip = least_clip(rows); clip < 1e4; clip *= 2) {
    const double here = row_error(rows, clip).gradient;
    EXPECT_GT(here, before);
    before = here;
  }
}

// No row is refused by the check of integers and none is shortened: twice the clip gives half the integers.
TEST(LeastClip, ShortensNothing) {
  for (const Case& c : cases(1)) {
    const LinearRows rows = c.rows();
    const engine::TileSums sums = tests::sums_of(c.table);
    const double least = least_clip(rows);
    for (const std::vector<double>& weights : weights_of(c, 6)) {
      for (std::size_t row = 0; row < kRows; ++row) {
        const auto norm = [&](double clip) {
          long double square = 0;
          const std::vector<std::size_t> sample = {row};
          for (const std::int64_t x : sums.clipped_gradient({rows.shape, rows.loss, weights, clip}, sample, {1})) {
            square += static_cast<long double>(x) * static_cast<long double>(x);
          }
          return static_cast<double>(std::sqrt(square)) * step_size(clip);
        };
        const double allowed = row_error(rows, least).gradient + row_error(rows, 4 * least).gradient;
        ASSERT_NEAR(norm(least), norm(4 * least), allowed) << loss::name(c.loss.kind);
      }
    }
  }
}

TEST(RowError, TheFloatExponentialIsAsGoodAsAssumed) {
  for (float x = 0; x > -87; x -= 0.00037f) {
    const auto exact = std::exp(static_cast<long double>(x));
    ASSERT_LE(std::fabs(static_cast<long double>(std::exp(x)) - exact), 0x1p-23L * exact) << x;
  }
}

TEST(RowError, RefusesWhatIsNotCovered) {
  const LinearRows good{{.inputs = 5}, {}, 2, 1};
  EXPECT_THROW(row_error(good, least_clip(good) * 0.999), ArgumentError);
  EXPECT_THROW(row_error(good, 2 * kLargestClip), ArgumentError);
  EXPECT_THROW(row_error(good, std::numeric_limits<double>::quiet_NaN()), ArgumentError);
  LinearRows bad = good;
  bad.shape.hidden = {3};
  EXPECT_THROW(least_clip(bad), ArgumentError);
  bad = good;
  bad.columns = 0;
  EXPECT_THROW(least_clip(bad), ArgumentError);
  for (const double norm : {-1.0, 0x1p51, std::numeric_limits<double>::infinity()}) {
    bad = good;
    bad.weight_norm = norm;
    EXPECT_THROW(least_clip(bad), ArgumentError) << norm;
  }
  bad = good;
  bad.loss.kind = loss::LossKind::softmax;
  EXPECT_THROW(least_clip(bad), ArgumentError) << "one output";
}

}  // namespace
}  // namespace dperm::network
