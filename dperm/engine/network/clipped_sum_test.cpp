// SPDX-License-Identifier: Apache-2.0
// What one row adds to a sum of clipped gradients, attacked with rows and weights at their extremes and compared with
// gradients written out one by one.
#include "dperm/engine/network/clipped_sum.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "dperm/core/error.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/network_reference.hpp"

namespace dperm::network {
namespace {

using tests::EncodedTable;
using tests::NetworkReference;

struct Case {
  const char* name;
  EncodedTable table;
  NetworkReference network;

  ClippedQuery query(double clip) const { return {network.shape, network.loss, network.weights, clip}; }
};

std::vector<Case> cases(std::size_t rows, double weight_size, std::uint64_t seed) {
  std::vector<Case> out;
  const auto add = [&](const char* name, EncodedTable table, const loss::Loss& loss, std::vector<std::size_t> hidden,
                       std::size_t outputs, Activation activation) {
    const Shape shape{table.dimension(), std::move(hidden), outputs, activation};
    out.push_back({name, std::move(table), {shape, loss, tests::network_weights(shape, weight_size, ++seed)}});
  };
  const loss::Loss softmax{.kind = loss::LossKind::softmax};
  const loss::Loss squared{.kind = loss::LossKind::squared};
  add("softmax regression", tests::class_table(rows, 3, {4}, 3, seed), softmax, {}, 3, Activation::relu);
  add("relu classes", tests::class_table(rows, 20, {4, 9}, 4, seed), softmax, {33}, 4, Activation::relu);
  add("tanh squared", tests::random_table(rows, 2, {3}, false, seed), squared, {5, 3}, 1, Activation::tanh);
  add("relu logistic", tests::random_table(rows, 1, {17}, true, seed), loss::Loss{}, {17, 18}, 1, Activation::relu);
  add("classes of curves", tests::with_curves(tests::class_table(rows, 4, {4}, 3, seed)), softmax, {}, 3,
      Activation::relu);
  add("relu curves", tests::with_curves(tests::random_table(rows, 3, {2}, true, seed)), loss::Loss{}, {5}, 1,
      Activation::relu);
  add("linear logistic", tests::random_table(rows, 5, {}, true, seed), loss::Loss{}, {}, 1, Activation::tanh);
  return out;
}

using Sum = std::vector<std::int64_t>;

Sum sum_of(const RowTable& table, const std::vector<std::size_t>& rows, const ClippedQuery& query, int threads = 1) {
  return clipped_gradient_sum(table, rows, query, {threads});
}

std::vector<std::size_t> numbers(std::size_t first, std::size_t end) {
  std::vector<std::size_t> out(end - first);
  std::iota(out.begin(), out.end(), first);
  return out;
}

Sum operator+(Sum a, const Sum& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// Exact for the small networks here: at most 2^13 entries, each refused above 2^25.
std::uint64_t square_norm(const Sum& sum) {
  std::uint64_t square = 0;
  for (const std::int64_t x : sum) {
    if (std::abs(x) > 2 * kClipSteps) return std::numeric_limits<std::uint64_t>::max();
    square += static_cast<std::uint64_t>(x * x);
  }
  return square;
}

constexpr auto kClipSquare = static_cast<std::uint64_t>(kClipSteps) * static_cast<std::uint64_t>(kClipSteps);
constexpr double kWeightSizes[] = {0, 1e-30, 1e-3, 1, 100, 1e9, 1e19, 1e28};
constexpr double kClips[] = {0x1p-60, 1e-9, 1e-3, 1, 1e3, 1e9, 0x1p60};

TEST(RowNorm, NeverExceedsTheClipWhateverTheWeightsAndTheRow) {
  for (const double size : kWeightSizes) {
    for (const Case& c : cases(20, size, 10)) {
      const RowTable table(tests::build_tiles(c.table), {1});
      for (const double clip : kClips) {
        for (std::size_t row = 0; row < table.rows(); ++row) {
          ASSERT_LE(square_norm(sum_of(table, {row}, c.query(clip))), kClipSquare)
              << c.name << " weights " << size << " clip " << clip << " row " << row;
        }
      }
    }
  }
}

TEST(RowNorm, ComesCloseToTheClipWhereGradientsAreLarge) {
  for (const Case& c : cases(20, 1, 20)) {
    const RowTable table(tests::build_tiles(c.table), {1});
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double norm = tests::norm_of(c.network.gradient(c.table, row));
      if (norm < 1e-6) continue;
      EXPECT_GE(square_norm(sum_of(table, {row}, c.query(norm / 10))), 0.99 * kClipSquare) << c.name;
    }
  }
}

TEST(RowNorm, IsZeroWhereTheGradientOverflows) {
  // Two layers of weights of 1e28 leave the range of float: the slopes are infinite or not a number.
  std::vector<Case> all = cases(20, 1, 30);
  Case& c = all[3];
  std::fill(c.network.weights.begin(), c.network.weights.end(), 1e28);
  const RowTable table(tests::build_tiles(c.table), {1});
  EXPECT_EQ(sum_of(table, numbers(0, 20), c.query(1)), Sum(c.network.weights.size(), 0));
  std::fill(c.network.weights.begin(), c.network.weights.end(), -1e28);
  EXPECT_LE(square_norm(sum_of(table, {3}, c.query(1))), kClipSquare);
}

TEST(RowNorm, HoldsWhereSquaresOfSlopesUnderflow) {
  // Hidden units of about 1e9 and slopes of about 1e-22: the norm that scales are chosen by is wrong by up to a half.
  EncodedTable data = tests::random_table(200, 3, {}, false, 31);
  std::fill(data.targets.begin(), data.targets.end(), 0);
  const Shape shape{data.dimension(), {8}, 1, Activation::relu};
  std::vector<double> weights = tests::network_weights(shape, 1e9, 32);
  for (std::size_t w = layers(shape)[1].first_weight; w < weights.size(); ++w) weights[w] *= 1e-40;
  const RowTable table(tests::build_tiles(data), {1});
  const loss::Loss squared{.kind = loss::LossKind::squared};
  int zero = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::uint64_t square = square_norm(sum_of(table, {row}, {shape, squared, weights, kSmallestClip}));
    EXPECT_LE(square, kClipSquare) << row;
    zero += square == 0;
  }
  EXPECT_GT(zero, 0) << "no row was refused: the test has lost its bite";
  EXPECT_LT(zero, 200);
}

TEST(ClippedSum, IsTheSumOfItsRowsWhateverTheCompany) {
  for (const double size : {1.0, 1e19, 1e28}) {
    for (const Case& c : cases(400, size, 40)) {
      const RowTable table(tests::build_tiles(c.table, 64), {1});
      const ClippedQuery query = c.query(0.3);
      std::vector<std::size_t> batch;
      Sum expected(c.network.weights.size(), 0);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (row % 7 == 3) continue;
        batch.push_back(row);
        expected = expected + sum_of(table, {row}, query);
      }
      EXPECT_EQ(sum_of(table, batch, query), expected) << c.name;
    }
  }
}

TEST(ClippedSum, OneMoreRowAddsItsVectorAndMovesNothingElse) {
  for (const Case& c : cases(300, 1, 50)) {
    const RowTable table(tests::build_tiles(c.table), {1});
    const ClippedQuery query = c.query(0.3);
    const std::vector<std::size_t> all = numbers(0, 260);
    const Sum with = sum_of(table, all, query);
    for (const std::size_t row : {0u, 1u, 119u, 120u, 131u, 259u}) {
      std::vector<std::size_t> without = all;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(row));
      EXPECT_EQ(sum_of(table, without, query) + sum_of(table, {row}, query), with) << c.name << " row " << row;
    }
  }
}

TEST(ClippedSum, OfNeighboursDiffersByNoMoreThanTheSensitivity) {
  for (const double size : {1.0, 1e9, 1e28}) {
    for (const Case& c : cases(30, size, 60)) {
      const RowTable table(tests::build_tiles(c.table), {1});
      const ClippedQuery query = c.query(1e-2);
      const std::vector<std::size_t> batch = numbers(0, 10);
      const Sum before = sum_of(table, batch, query);
      for (std::size_t other = 10; other < 30; ++other) {
        EncodedTable changed = c.table;
        for (auto& column : changed.reals) column[4] = column[other];
        for (auto& column : changed.codes) column[4] = column[other];
        changed.targets[4] = changed.targets[other];
        Sum difference = sum_of(RowTable(tests::build_tiles(changed), {1}), batch, query);
        for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= before[i];
        ASSERT_LE(std::sqrt(static_cast<double>(square_norm(difference))), kReplaceSensitivity) << c.name;
      }
    }
  }
}

// How far rounding may move a row, in steps: half a step in each factor, and what the clip leaves for it.
double row_error(const Shape& shape) {
  double root = 0;
  double corner = 0;
  for (const Layer& layer : layers(shape)) {
    const double size = std::sqrt(static_cast<double>(layer.inputs * layer.outputs));
    root += std::sqrt(static_cast<double>(kClipSteps) * size);
    corner += size / 4;
  }
  return 1.5 * root + corner + 1e-4 * static_cast<double>(kClipSteps);
}

TEST(ClippedSum, IsTheClippedGradientUpToRounding) {
  for (const double size : {0.3, 1.0, 3.0}) {
    for (const Case& c : cases(50, size, 70)) {
      const RowTable table(tests::build_tiles(c.table), {1});
      for (const double clip : {0.05, 1.0, 20.0}) {
        for (std::size_t row = 0; row < table.rows(); ++row) {
          std::vector<double> gradient = c.network.gradient(c.table, row);
          const double scale = std::fmin(1.0, clip / tests::norm_of(gradient)) / step_size(clip);
          const Sum got = sum_of(table, {row}, c.query(clip));
          double square = 0;
          for (std::size_t i = 0; i < got.size(); ++i) {
            square += std::pow(static_cast<double>(got[i]) - gradient[i] * scale, 2);
          }
          ASSERT_LE(std::sqrt(square), row_error(c.network.shape)) << c.name << " clip " << clip << " row " << row;
        }
      }
    }
  }
}

TEST(ClippedSum, WithAClipAboveEveryGradientIsThePlainGradientSum) {
  for (const Case& c : cases(150, 1, 80)) {
    const RowTable table(tests::build_tiles(c.table), {1});
    std::vector<double> plain(c.network.weights.size(), 0.0);
    double largest = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::vector<double> gradient = c.network.gradient(c.table, row);
      largest = std::fmax(largest, tests::norm_of(gradient));
      for (std::size_t i = 0; i < plain.size(); ++i) plain[i] += gradient[i];
    }
    const double clip = 1.1 * largest;
    const Sum got = sum_of(table, numbers(0, 150), c.query(clip));
    double square = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      square += std::pow(static_cast<double>(got[i]) * step_size(clip) - plain[i], 2);
    }
    // Roundings of different rows hardly add up.
    EXPECT_LE(std::sqrt(square), 150 * row_error(c.network.shape) * step_size(clip) / 5) << c.name;
  }
}

TEST(NetworkReference, HasTheGradientOfItsValue) {
  for (Case& c : cases(5, 1, 90)) {
    for (std::size_t row = 0; row < 5; ++row) {
      const std::vector<double> gradient = c.network.gradient(c.table, row);
      for (std::size_t w = 0; w < gradient.size(); w += 1 + gradient.size() / 40) {
        const double at = c.network.weights[w];
        c.network.weights[w] = at + 1e-5;
        const double above = c.network.value(c.table, row);
        c.network.weights[w] = at - 1e-5;
        const double below = c.network.value(c.table, row);
        c.network.weights[w] = at;
        EXPECT_NEAR(gradient[w], (above - below) / 2e-5, 1e-7) << c.name << " weight " << w;
      }
    }
  }
}

TEST(SameBits, ForEveryInstructionSetAndNumberOfThreads) {
  for (const Case& c : cases(500, 1, 100)) {
    const RowTable table(tests::build_tiles(c.table), {2});
    const Sum expected = sum_of(table, numbers(0, 500), c.query(0.5));
    for (const int threads : {2, 3, 0}) EXPECT_EQ(sum_of(table, numbers(0, 500), c.query(0.5), threads), expected);
    int targets = 0;
    testing::for_each_target([&](const char* target) {
      EXPECT_EQ(sum_of(table, numbers(0, 500), c.query(0.5)), expected) << c.name << " on " << target;
      ++targets;
    });
    EXPECT_GE(targets, 2) << "nothing was compared";
  }
}

TEST(ClippedSum, DoesNotOverflowWhereAllRowsPullOneWeight) {
  EncodedTable data = tests::random_table(500, 0, {}, true, 105);
  std::fill(data.targets.begin(), data.targets.end(), 1);
  const RowTable table(tests::build_tiles(data), {1});
  const std::vector<double> weights = {0};
  const ClippedQuery query{{.inputs = 1}, {}, weights, 0.01};
  const Sum one = sum_of(table, {0}, query);
  EXPECT_LT(one[0], -0.999 * static_cast<double>(kClipSteps));
  EXPECT_EQ(sum_of(table, numbers(0, 500), query), Sum{500 * one[0]});
}

TEST(ClippedSum, OfNoRowsIsZero) {
  const Case c = cases(3, 1, 110)[1];
  const RowTable table(tests::build_tiles(c.table), {1});
  EXPECT_EQ(sum_of(table, {}, c.query(1)), Sum(c.network.weights.size(), 0));
}

TEST(ClippedSum, RefusesBadArguments) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Case c = cases(3, 1, 120)[1];
  const RowTable table(tests::build_tiles(c.table), {1});
  for (const double clip : {nan, infinity, 0.0, -1.0, 1e-30, 1e30}) {
    EXPECT_THROW(sum_of(table, {0}, c.query(clip)), ArgumentError) << clip;
  }
  EXPECT_THROW(sum_of(table, {0, 0}, c.query(1)), ArgumentError);
  EXPECT_THROW(sum_of(table, {1, 0}, c.query(1)), ArgumentError);
  EXPECT_THROW(sum_of(table, {3}, c.query(1)), ArgumentError);
  EXPECT_THROW(sum_of(table, {0}, c.query(1), -1), ArgumentError);
  for (const double bad : {nan, infinity, -infinity, 1e31}) {
    Case spoiled = c;
    spoiled.network.weights[5] = bad;
    EXPECT_THROW(sum_of(table, {0}, spoiled.query(1)), ArgumentError) << bad;
  }
  Case other = c;
  other.network.weights.pop_back();
  EXPECT_THROW(sum_of(table, {0}, other.query(1)), ArgumentError);
  other = c;
  other.network.loss = loss::Loss{};
  EXPECT_THROW(sum_of(table, {0}, other.query(1)), ArgumentError) << "one score from four outputs";
  other = cases(3, 1, 120)[0];
  EXPECT_THROW(sum_of(table, {0}, other.query(1)), ArgumentError) << "another number of inputs";
}

}  // namespace
}  // namespace dperm::network
