// SPDX-License-Identifier: Apache-2.0
#include "dperm/infer/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace dperm::infer {
namespace {

std::vector<std::int64_t> coarse_counts(const std::vector<std::pair<double, std::int64_t>>& rows) {
  std::vector<std::int64_t> counts(kCoarseBins);
  for (const auto& [value, count] : rows) counts[coarse_bin(value)] += count;
  return counts;
}

TEST(Bounds, TheGridsCoverEveryNumberOnce) {
  // In rising order, and never outside.
  const std::vector<double> rising = {-1e300, -1e9, -4,   -2.5, -2,  -1, -0.5, -1e-9, 0,    1e-300,
                                      0.3,    0.5,  0.75, 1,    1.5, 2,  3.99, 4,     1e14, 1e300};
  std::size_t last = 0;
  for (const double value : rising) {
    const std::size_t bin = coarse_bin(value);
    EXPECT_LT(bin, kCoarseBins);
    EXPECT_GE(bin, last) << value;
    last = bin;
  }
  EXPECT_EQ(coarse_bin(2), coarse_bin(3.99));
  EXPECT_NE(coarse_bin(2), coarse_bin(4));
  EXPECT_NE(coarse_bin(1), coarse_bin(1.25));
  EXPECT_EQ(coarse_bin(-0.0), coarse_bin(0));
  const FineGrid grid({.lower = -4, .upper = 12});
  for (const double value : {-1e308, -4.0, 0.0, 12.0, 1e308}) EXPECT_LT(grid.bin(value), kFineBins);
  EXPECT_EQ(grid.bin(-3.6), 0u);
  EXPECT_EQ(grid.bin(-3.4), 1u);
  EXPECT_DOUBLE_EQ(grid.edge(1), -3.5);
}

TEST(Bounds, SizesThatStandOutAreFoundWithOnePowerOfTwoToSpare) {
  const CountNoise noise{10, 10'000};
  const auto range = coarse_range(coarse_counts({{18, 3000}, {40, 5000}, {70, 1990}, {500, 10}}), noise);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->lower, 8);    // 16 to 32 holds 18
  EXPECT_EQ(range->upper, 256);  // 64 to 128 holds 70; the ten rows at 500 are within the noise
  EXPECT_EQ(range->scale, schema::Scale::linear);
  EXPECT_FALSE(coarse_range(coarse_counts({{5, 40}}), noise));  // 4 sigma
  EXPECT_TRUE(coarse_range(coarse_counts({{5, 50}}), noise));
}

TEST(Bounds, UnusualSizesAreFoundToo) {
  const CountNoise noise{10, 10'000};
  const auto great = coarse_range(coarse_counts({{-3e20, 4000}, {3e20, 6000}}), noise);
  ASSERT_TRUE(great);
  EXPECT_LT(great->lower, -3e20);
  EXPECT_GT(great->lower, -3e21);
  EXPECT_GT(great->upper, 3e20);
  EXPECT_LT(great->upper, 3e21);
  const auto small = coarse_range(coarse_counts({{3e-9, 6000}, {6e-9, 4000}}), noise);
  ASSERT_TRUE(small);
  EXPECT_GT(small->upper, 6e-9);
  EXPECT_LT(small->upper, 6e-8);
  // Noise makes up such a bin less often than one of usual sizes.
  EXPECT_TRUE(coarse_range(coarse_counts({{5, 50}}), noise));
  EXPECT_FALSE(coarse_range(coarse_counts({{3e20, 60}}), noise));
  EXPECT_FALSE(coarse_range(coarse_counts({{3e-9, 60}}), noise));
  // Of what size these are the grid does not say: better none than bounds that every number is beyond.
  EXPECT_FALSE(coarse_range(coarse_counts({{1e200, 10'000}}), noise));
  EXPECT_FALSE(coarse_range(coarse_counts({{-1e200, 5000}, {1, 5000}}), noise));
}

TEST(Bounds, NumbersFarFromZeroAreLookedAtAgain) {
  // Longitudes from -124.3 to -114.4: the second grid has bins of six degrees.
  const CountNoise noise{10, 10'000};
  const auto range = coarse_range(coarse_counts({{-120, 10'000}}), noise);
  ASSERT_TRUE(range);
  const FineGrid grid(*range);
  const auto bounds_on = [&](const FineGrid& on) {
    std::vector<std::int64_t> counts(kFineBins, 0);
    for (int i = 0; i < 10'000; ++i) ++counts[on.bin(-124.3 + 9.9 * i / 10'000)];
    return fine_bounds(on, counts, noise);
  };
  const Bounds first = bounds_on(grid);
  EXPECT_GT(first.upper - first.lower, 11.5);
  const auto closer = closer_range(grid, first);
  ASSERT_TRUE(closer);
  const Bounds second = bounds_on(FineGrid(*closer));
  EXPECT_LT(second.lower, -124.2);
  EXPECT_GT(second.lower, -125.3);
  EXPECT_GT(second.upper, -114.5);
  EXPECT_LT(second.upper, -113.4);
  EXPECT_FALSE(closer_range(grid, {grid.edge(3), grid.edge(20)})) << "it holds many bins";
  EXPECT_FALSE(closer_range(FineGrid({.lower = 0, .upper = 1000, .scale = schema::Scale::log}), {0, 10}));
}

TEST(Bounds, AThinTailThatOnlyItsPowerOfTwoShowsIsNotCut) {
  const CountNoise noise{100, 10'000};
  // 300 rows at 3 sigma, next to a bin that stands out: kept; alone it would not.
  const auto range = coarse_range(coarse_counts({{3, 5000}, {5, 4700}, {11, 300}}), noise);
  EXPECT_EQ(range->upper, 32);
  EXPECT_EQ(range->least_upper, 12);
  std::vector<std::int64_t> counts(kFineBins, 0);
  const FineGrid grid(*range);
  counts[grid.bin(3)] = 5000;
  counts[grid.bin(5)] = 4700;
  EXPECT_GE(fine_bounds(grid, counts, noise).upper, 12);
  EXPECT_LE(fine_bounds(grid, counts, noise).upper, 13);
  const auto alone = coarse_range(coarse_counts({{3, 5000}, {5, 4700}, {300, 300}}), noise);
  EXPECT_EQ(alone->upper, 16);
}

TEST(Bounds, ZerosAndOnesAreRecognisedAndRowsNearZeroGetALogScale) {
  const CountNoise noise{10, 10'000};
  const auto flags = coarse_range(coarse_counts({{0, 9000}, {1, 1000}}), noise);
  EXPECT_TRUE(flags->zero_or_one);
  EXPECT_EQ(flags->lower, 0);
  EXPECT_EQ(flags->upper, 1);
  EXPECT_FALSE(coarse_range(coarse_counts({{0, 9000}, {1, 900}, {2, 100}}), noise)->zero_or_one);
  EXPECT_TRUE(coarse_range(coarse_counts({{-1, 5000}, {1, 5000}}), noise)->sign);
  EXPECT_FALSE(coarse_range(coarse_counts({{-1, 5000}, {1, 5000}, {0, 500}}), noise)->sign);
  EXPECT_EQ(coarse_range(coarse_counts({{0, 9000}, {5000, 1000}}), noise)->scale, schema::Scale::log);
  EXPECT_EQ(coarse_range(coarse_counts({{3000, 9000}, {5000, 1000}}), noise)->scale, schema::Scale::linear);
  EXPECT_EQ(coarse_range(coarse_counts({{0, 9000}, {5000, 900}, {-5000, 100}}), noise)->scale, schema::Scale::linear);
}

TEST(Bounds, EndsAreCutWhereNothingButNoiseIsSeen) {
  const FineGrid grid({.lower = 0, .upper = 64});
  std::vector<std::int64_t> counts(kFineBins, 0);
  for (std::size_t bin = 5; bin < 20; ++bin) counts[bin] = 600;
  counts[1] = 9;
  counts[30] = -12;
  EXPECT_EQ(fine_bounds(grid, counts, {10, 9000}), (Bounds{10, 40}));
  counts[24] = 60;  // 6 sigma in one bin
  EXPECT_EQ(fine_bounds(grid, counts, {10, 9000}), (Bounds{10, 50}));
  counts[25] = 25;  // a tail that thins out
  counts[26] = 14;
  counts[27] = 4;
  EXPECT_EQ(fine_bounds(grid, counts, {10, 9000}), (Bounds{10, 54}));
  // Nothing is seen at all: the whole range.
  EXPECT_EQ(fine_bounds(grid, std::vector<std::int64_t>(kFineBins, 0), {10, 9000}), (Bounds{0, 64}));
}

}  // namespace
}  // namespace dperm::infer
