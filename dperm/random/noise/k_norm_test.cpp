// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/k_norm.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "dperm/core/error.hpp"
#include "dperm/random/noise/lazy_normal.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::Verdict;

double length(const std::vector<std::int64_t>& noise) {
  double squares = 0;
  for (const std::int64_t b : noise) squares += static_cast<double>(b) * static_cast<double>(b);
  return std::sqrt(squares);
}

// In one dimension: P(X < e) of a Laplace variable rounded to the nearest integer.
Verdict judge_line(double drawn_scale, double scale, std::size_t samples, std::uint64_t seed) {
  SeededBits bits(seed);
  std::vector<std::int64_t> noise(samples);
  for (std::int64_t& b : noise) b = rounded_k_norm(bits, 1, drawn_scale)[0];
  const auto below = [&](std::int64_t edge) {
    const double x = (static_cast<double>(edge) - 0.5) / scale;
    return x < 0 ? 0.5 * std::exp(x) : 1 - 0.5 * std::exp(-x);
  };
  std::vector<std::int64_t> edges;
  for (int step = -6; step <= 6; ++step) {
    const auto edge = static_cast<std::int64_t>(std::floor(0.6 * step * scale + 0.5));
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  return testing::test_cells(testing::count_between(noise, edges, below));
}

TEST(RoundedKNorm, OnALineIsTheRoundedLaplace) {
  for (const double scale : {0.5, 2.3, 0x1p30}) {
    const Verdict verdict = judge_line(scale, scale, 60'000, 1);
    EXPECT_TRUE(verdict) << scale << ": " << verdict.text;
  }
  EXPECT_FALSE(judge_line(2.3 * 1.05, 2.3, 60'000, 2)) << "a scale 5% off must be seen";
}

// The chance of one unit square under the density exp(-|b| / s) / (2 pi s^2). Along each axis the square is cut at its
// middle, so that the kink at the origin lies on a corner.
double square_probability(int row, int column, double scale) {
  using boost::math::quadrature::gauss;
  const auto density = [&](double x, double y) {
    return std::exp(-std::hypot(x, y) / scale) / (2 * std::numbers::pi * scale * scale);
  };
  const auto inner = [&](double x) {
    const auto along = [&](double y) { return density(x, y); };
    return gauss<double, 30>::integrate(along, column - 0.5, double(column)) +
           gauss<double, 30>::integrate(along, double(column), column + 0.5);
  };
  return gauss<double, 30>::integrate(inner, row - 0.5, double(row)) +
         gauss<double, 30>::integrate(inner, double(row), row + 0.5);
}

Verdict judge_squares(const std::function<std::pair<std::int64_t, std::int64_t>()>& sampler, double scale) {
  constexpr int kReach = 3;
  std::vector<Cell> cells;
  double rest = 1;
  for (int row = -kReach; row <= kReach; ++row) {
    for (int column = -kReach; column <= kReach; ++column) {
      cells.push_back({square_probability(row, column, scale), 0});
      rest -= cells.back().probability;
    }
  }
  cells.push_back({rest, 0});
  for (int i = 0; i < 60'000; ++i) {
    const auto [x, y] = sampler();
    const bool inside = std::abs(x) <= kReach && std::abs(y) <= kReach;
    const std::int64_t cell = (x + kReach) * (2 * kReach + 1) + y + kReach;
    ++cells[inside ? static_cast<std::size_t>(cell) : cells.size() - 1].observed;
  }
  return testing::test_cells(cells);
}

TEST(RoundedKNorm, InThePlaneHasItsDistributionSquareBySquare) {
  SeededBits bits(3);
  const Verdict exact = judge_squares(
      [&] {
        const auto b = rounded_k_norm(bits, 2, 1.5);
        return std::pair(b[0], b[1]);
      },
      1.5);
  EXPECT_TRUE(exact) << exact.text;
  // Two independent Laplace coordinates of the same spread are not this distribution, nor is a floor in place of the
  // nearest.
  const Verdict product =
      judge_squares([&] { return std::pair(rounded_k_norm(bits, 1, 1.8)[0], rounded_k_norm(bits, 1, 1.8)[0]); }, 1.5);
  EXPECT_FALSE(product) << product.text;
  const Verdict floored = judge_squares(
      [&] {
        const auto b = rounded_k_norm(bits, 2, 3.0);
        return std::pair(b[0] >> 1, b[1] >> 1);
      },
      1.5);
  EXPECT_FALSE(floored) << floored.text;
}

// Rounding moves the length by at most sqrt(d) / 2, here less than 2^-38 scales.
Verdict judge_radius(std::size_t dimension, double shape, std::size_t samples) {
  const double scale = 0x1p40;
  SeededBits bits(4 + dimension);
  std::vector<Cell> cells;
  const double spread = std::sqrt(shape);
  const auto edge = [&](int step) { return std::max(0.0, shape + 0.4 * step * spread); };
  constexpr int kSteps = 6;
  double previous = 0;
  for (int step = -kSteps; step <= kSteps; ++step) {
    const double below = edge(step) > 0 ? boost::math::gamma_p(shape, edge(step)) : 0.0;
    cells.push_back({below - previous, 0});
    previous = below;
  }
  cells.push_back({1 - previous, 0});
  for (std::size_t i = 0; i < samples; ++i) {
    const double radius = length(rounded_k_norm(bits, dimension, scale)) / scale;
    std::size_t cell = 0;
    while (cell < cells.size() - 1 && radius >= edge(static_cast<int>(cell) - kSteps)) ++cell;
    ++cells[cell].observed;
  }
  return testing::test_cells(cells);
}

TEST(RoundedKNorm, TheLengthIsGammaDistributed) {
  for (const std::size_t dimension : {1u, 2u, 3u, 10u, 100u}) {
    const std::size_t samples = 100'000 / (dimension + 1);
    const Verdict verdict = judge_radius(dimension, static_cast<double>(dimension), samples);
    EXPECT_TRUE(verdict) << dimension << ": " << verdict.text;
  }
  // Gamma(d + 1), the distribution of a density in the norm of one more dimension.
  EXPECT_FALSE(judge_radius(10, 11, 10'000));
}

TEST(RoundedKNorm, TheDirectionIsUniform) {
  SeededBits bits(5);
  std::vector<Cell> angles(24, Cell{1.0 / 24, 0});
  std::vector<Cell> heights(24, Cell{1.0 / 24, 0});  // on the sphere in three dimensions each coordinate is uniform
  for (int i = 0; i < 60'000; ++i) {
    const auto b = rounded_k_norm(bits, 2, 0x1p40);
    const double turn = std::atan2(static_cast<double>(b[1]), static_cast<double>(b[0])) / (2 * std::numbers::pi) + 0.5;
    ++angles[std::min<std::size_t>(23, static_cast<std::size_t>(24 * turn))].observed;
    const auto c = rounded_k_norm(bits, 3, 0x1p40);
    const double height = (static_cast<double>(c[2]) / length(c) + 1) / 2;
    ++heights[std::min<std::size_t>(23, static_cast<std::size_t>(24 * height))].observed;
  }
  EXPECT_TRUE(testing::test_cells(angles)) << testing::test_cells(angles).text;
  EXPECT_TRUE(testing::test_cells(heights)) << testing::test_cells(heights).text;
}

TEST(RoundedKNorm, LengthAndDirectionAreIndependent) {
  SeededBits bits(6);
  const double median = 1.678346990016661;  // of Gamma(2)
  std::vector<Cell> cells(8, Cell{1.0 / 8, 0});
  for (int i = 0; i < 60'000; ++i) {
    const auto b = rounded_k_norm(bits, 2, 0x1p40);
    const std::size_t quadrant = (b[0] < 0 ? 1u : 0u) + (b[1] < 0 ? 2u : 0u);
    ++cells[quadrant + (length(b) * 0x1p-40 < median ? 4u : 0u)].observed;
  }
  EXPECT_TRUE(testing::test_cells(cells)) << testing::test_cells(cells).text;
}

// Replays the draws and computes the real vector in long double: each integer must be the nearest one.
TEST(RoundedKNorm, EachCoordinateIsTheNearestIntegerOfTheRealVector) {
  const double scale = 1234.5;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SeededBits bits(seed);
    SeededBits replay(seed);
    const auto noise = rounded_k_norm(bits, 5, scale);
    std::vector<long double> normals;
    long double radius = 0;
    long double squares = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      const detail::LazyNormal normal = detail::draw_normal(replay);
      const long double t =
          static_cast<long double>(normal.whole) + static_cast<long double>(normal.fraction.head()) * 0x1p-64L;
      normals.push_back(normal.negative ? -t : t);
      squares += t * t;
      radius -= std::log(static_cast<long double>(replay.next()) * 0x1p-64L);
    }
    for (std::size_t j = 0; j < 5; ++j) {
      const long double real = static_cast<long double>(scale) * radius * normals[j] / std::sqrt(squares);
      ASSERT_LE(std::fabs(static_cast<long double>(noise[j]) - real), 0.5L + 1e-9L) << seed;
    }
  }
}

// One dimension, scale 1: b = -ln u. The uniform's first digits spell exp(-3/2), where b + 1/2 is the integer 2; the
// next 64 digits say on which side it lies.
TEST(RoundedKNorm, AnUndecidedCoordinateIsDecidedByMoreDigits) {
  const std::uint64_t accepted_word = 2;  // whole 0, coin 0: accepted
  const std::uint64_t fraction = std::uint64_t{1} << 62;
  const std::uint64_t head = 0x391f0ee496b83ac8;  // exp(-3/2) = 0.2231301601484298289... in 64 binary digits
  const auto draw = [&](std::uint64_t next_digits) {
    testing::ScriptedBits bits({accepted_word, fraction, head, 0, next_digits, 0, 0});
    const std::int64_t b = rounded_k_norm(bits, 1, 1.0)[0];
    return std::pair(b, bits.used());
  };
  EXPECT_EQ(draw(0), std::pair(std::int64_t{2}, std::size_t{5}));
  EXPECT_EQ(draw(~std::uint64_t{0}), std::pair(std::int64_t{1}, std::size_t{5}));
}

TEST(RoundedKNorm, ServesManyDimensionsAndTheLargestScale) {
  SeededBits bits(7);
  const auto noise = rounded_k_norm(bits, 20'000, 0x1p50);
  ASSERT_EQ(noise.size(), 20'000u);
  // Gamma(20000) lies within 7 of its standard deviations except with probability below 1e-11.
  EXPECT_NEAR(length(noise) * 0x1p-50, 20'000, 7 * std::sqrt(20'000.0));
}

TEST(RoundedKNorm, RefusesArgumentsOutsideItsRange) {
  SeededBits bits(1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double scale : {nan, 0.0, -1.0, 0.49, 0x1.1p50, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(rounded_k_norm(bits, 2, scale), ArgumentError) << scale;
  }
  EXPECT_THROW(rounded_k_norm(bits, 0, 1.0), ArgumentError);
  EXPECT_THROW(rounded_k_norm(bits, kMaximumKNormDimension + 1, 1.0), ArgumentError);
}

}  // namespace
}  // namespace dperm::random
