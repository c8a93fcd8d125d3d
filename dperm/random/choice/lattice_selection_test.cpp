// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/lattice_selection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using Point = std::vector<std::uint64_t>;

// |u - centre|^2 / unit on a disc; the bound is the least over the box less a slack.
class Bowl final : public LatticeCosts {
 public:
  Bowl(std::size_t dimension, int bits, double centre, double unit, std::int64_t slack)
      : dimension_(dimension), bits_(bits), centre_(centre), unit_(unit), slack_(slack) {}
  std::size_t dimension() const override { return dimension_; }
  int bits() const override { return bits_; }
  bool contains(std::span<const std::uint64_t> point) const override {
    const double half = std::ldexp(1.0, bits_ - 1);
    double square = 0;
    for (const std::uint64_t u : point) square += std::pow(static_cast<double>(u) + 0.5 - half, 2);
    return square <= half * half;
  }
  std::int64_t cost(std::span<const std::uint64_t> point) const override {
    double square = 0;
    for (const std::uint64_t u : point) square += std::pow(static_cast<double>(u) - centre_, 2);
    return static_cast<std::int64_t>(square / unit_);
  }
  std::optional<BoxBound> bound(const LatticeBox& box) const override {
    double square = 0;
    std::size_t widest = 0;
    for (std::size_t j = 0; j < dimension_; ++j) {
      const auto low = static_cast<double>(box.first[j]), high = low + std::ldexp(1.0, box.bits[j]) - 1;
      square += std::pow(std::max({0.0, low - centre_, centre_ - high}), 2);
      if (box.bits[j] > box.bits[widest]) widest = j;
    }
    return BoxBound{static_cast<std::int64_t>(square / unit_) - slack_, widest};
  }

 private:
  std::size_t dimension_;
  int bits_;
  double centre_, unit_;
  std::int64_t slack_;
};

void for_each_point(const LatticeCosts& costs, const std::function<void(const Point&)>& visit) {
  Point point(costs.dimension(), 0);
  const std::uint64_t end = std::uint64_t{1} << costs.bits();
  for (;;) {
    if (costs.contains(point)) visit(point);
    std::size_t j = 0;
    while (j < point.size() && ++point[j] == end) point[j++] = 0;
    if (j == point.size()) return;
  }
}

void expect_distribution(const LatticeCosts& costs, CostScale scale, int samples) {
  std::map<Point, dperm::testing::Cell> cells;
  double total = 0;
  for_each_point(costs, [&](const Point& point) {
    const double weight = std::exp(-static_cast<double>(costs.cost(point)) * static_cast<double>(scale.denominator) /
                                   static_cast<double>(scale.numerator));
    cells[point] = {weight, 0};
    total += weight;
  });
  SeededBits bits(17);
  for (int i = 0; i < samples; ++i) {
    const Point point = choose_exponential(bits, costs, scale);
    ASSERT_TRUE(cells.contains(point)) << "a point outside the set";
    ++cells[point].observed;
  }
  std::vector<dperm::testing::Cell> list;
  for (const auto& [point, cell] : cells) list.push_back({cell.probability / total, cell.observed});
  const auto verdict = dperm::testing::test_cells(list);
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(LatticeSelection, HasTheExactDistributionInOneDimension) {
  expect_distribution(Bowl(1, 6, 20.3, 5, 0), {7, 2}, 20000);
  expect_distribution(Bowl(1, 6, 20.3, 5, 13), {7, 2}, 20000);
}

TEST(LatticeSelection, HasTheExactDistributionInTwoDimensions) {
  expect_distribution(Bowl(2, 4, 5.2, 3, 2), {9, 2}, 40000);
}

TEST(LatticeSelection, HasTheExactDistributionInThreeDimensions) {
  expect_distribution(Bowl(3, 3, 2.6, 1, 1), {5, 1}, 40000);
}

TEST(LatticeSelection, FindsASmallPeakOfAHugeLattice) {
  // 2^124 points, of which a ball holding a 2^-30th counts; each coordinate is nearly normal.
  const double unit = 0x1p32, scale = 30000;
  const Bowl costs(4, 31, 0x1p30 + 12345, unit, 0);
  const double deviation = std::sqrt(unit * scale / 2);
  SeededBits bits(3);
  std::uint64_t below[3] = {0, 0, 0};
  constexpr int kSamples = 60;
  for (int i = 0; i < kSamples; ++i) {
    for (const std::uint64_t u : choose_exponential(bits, costs, {30000, 1})) {
      const double z = (static_cast<double>(u) - 0x1p30 - 12345) / deviation;
      for (int k = 0; k < 3; ++k) below[k] += z < k - 1;
    }
  }
  for (int k = 0; k < 3; ++k) {
    const auto verdict = dperm::testing::test_event(below[k], 4 * kSamples, 0.5 * std::erfc((1 - k) / std::sqrt(2.0)));
    EXPECT_TRUE(verdict) << verdict.text;
  }
}

TEST(LatticeSelection, UsesEveryBitOfAFineLattice) {
  // Four dimensions leave cells of 2^16 points per side: the lowest bits must still be uniform.
  const Bowl costs(4, 31, 0x1p30, 0x1p62, 0);
  SeededBits bits(5);
  std::uint64_t odd = 0;
  for (int i = 0; i < 100; ++i) {
    for (const std::uint64_t u : choose_exponential(bits, costs, {1, 1})) odd += u % 2;
  }
  const auto verdict = dperm::testing::test_event(odd, 400, 0.5);
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(LatticeSelection, ABoundAboveACostIsABug) {
  SeededBits bits(1);
  EXPECT_THROW(choose_exponential(bits, Bowl(1, 3, 4, 1, -1000), {1, 1}), InternalError);
}

}  // namespace
}  // namespace dperm::random
