// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_location/location_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {
namespace {

constexpr std::int32_t kOne = schema::kTargetOne;

std::vector<std::int64_t> expanded(const std::vector<random::CostRun>& runs) {
  std::vector<std::int64_t> costs;
  for (const random::CostRun& run : runs) {
    for (std::uint64_t j = 0; j < run.size; ++j) costs.push_back(run.cost + run.slope * static_cast<std::int64_t>(j));
  }
  return costs;
}

// A grid of 2^bits + 1 points and targets anywhere, ends and ties among them.
std::vector<std::int32_t> some_targets(std::size_t rows, std::mt19937_64& random) {
  std::vector<std::int32_t> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto any = static_cast<std::int32_t>(static_cast<std::int64_t>(random() % ((1ull << 31) + 1)) - kOne);
    const std::int32_t choices[] = {any, any, kOne, -kOne, 0, i > 0 ? targets.back() : any};
    targets.push_back(choices[random() % 6]);
  }
  std::sort(targets.begin(), targets.end());
  return targets;
}

TEST(LocationGrid, EveryTargetGoesToItsNearestPoint) {
  for (const auto& [bits, limit] : {std::pair{3, kOne}, {5, kOne / 3}, {31, kOne}, {31, 12345}, {1, kOne}}) {
    const LocationGrid grid = LocationGrid::with(bits, limit);
    std::mt19937_64 random(1);
    for (const std::int32_t target : some_targets(200, random)) {
      const double value = grid.value(grid.nearest(target)) * kOne;
      const double bound = static_cast<double>(grid.half * grid.step);
      const double clamped = std::clamp<double>(target, -bound, bound);
      EXPECT_LE(std::abs(value - clamped), static_cast<double>(grid.step) / 2) << bits << " " << limit;
    }
  }
  EXPECT_EQ(LocationGrid::with(31, kOne).candidates(), (1ull << 31) + 1);
  EXPECT_EQ(LocationGrid::with(31, kOne).value(0), -1);
  EXPECT_EQ(LocationGrid::with(31, kOne).value(1ull << 31), 1);
  EXPECT_THROW(LocationGrid::with(0, kOne), ArgumentError);
  EXPECT_THROW(LocationGrid::with(32, kOne), ArgumentError);
}

TEST(LocationCosts, RunsAreTheDefinitionPointByPoint) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 1 + random() % 9;
    const auto sorted = some_targets(rows, random);
    const LocationGrid grid = LocationGrid::with(1 + static_cast<int>(random() % 5), round % 2 == 0 ? kOne : kOne / 3);
    const auto doubled_rank = static_cast<std::int64_t>(random() % (2 * rows + 1));
    const LossWeights weights{1 + static_cast<std::int64_t>(random() % 4), 1 + static_cast<std::int64_t>(random() % 4)};
    const auto ranks = expanded(rank_costs(sorted, doubled_rank, grid));
    const auto losses = expanded(loss_costs(sorted, weights, grid));
    ASSERT_EQ(ranks.size(), grid.candidates());
    ASSERT_EQ(losses.size(), grid.candidates());
    for (std::uint64_t w = 0; w < grid.candidates(); ++w) {
      std::int64_t below = 0, up_to = 0, loss = 0;
      for (const std::int32_t target : sorted) {
        const std::uint64_t x = grid.nearest(target);
        below += x < w;
        up_to += x <= w;
        loss +=
            x > w ? weights.below * static_cast<std::int64_t>(x - w) : weights.above * static_cast<std::int64_t>(w - x);
      }
      std::int64_t miss = 0;
      if (2 * up_to < doubled_rank) miss = doubled_rank - 2 * up_to;
      if (2 * below > doubled_rank) miss = 2 * below - doubled_rank;
      ASSERT_EQ(ranks[w], miss) << "round " << round << ", point " << w;
      ASSERT_EQ(losses[w], loss) << "round " << round << ", point " << w;
    }
    EXPECT_EQ(*std::min_element(ranks.begin(), ranks.end()), 0) << "some point has the wanted rank";
  }
}

// All replacements of a record: the costs' difference varies by at most the stated range, which is attained.
TEST(LocationCosts, RangeHoldsForEveryNeighbourAndIsAttained) {
  const LocationGrid grid = LocationGrid::with(3, kOne);
  const LossWeights weights{3, 1};
  const std::vector<std::int32_t> values{-kOne, -kOne / 2, 0, kOne / 4, kOne};
  std::int64_t rank_most = 0, loss_most = 0;
  const auto range = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    std::int64_t high = a[0] - b[0], low = high;
    for (std::size_t i = 0; i < a.size(); ++i) {
      high = std::max(high, a[i] - b[i]);
      low = std::min(low, a[i] - b[i]);
    }
    return high - low;
  };
  for (std::size_t code = 0; code < 625; ++code) {
    std::vector<std::int32_t> data{values[code % 5], values[code / 5 % 5], values[code / 25 % 5], values[code / 125]};
    for (const std::int32_t other : values) {
      std::vector<std::int32_t> neighbour = data;
      neighbour[0] = other;
      std::vector<std::int32_t> a = data;
      std::sort(a.begin(), a.end());
      std::sort(neighbour.begin(), neighbour.end());
      for (const std::int64_t rank : {0, 1, 4, 7, 8}) {
        rank_most = std::max(rank_most,
                             range(expanded(rank_costs(a, rank, grid)), expanded(rank_costs(neighbour, rank, grid))));
      }
      loss_most = std::max(
          loss_most, range(expanded(loss_costs(a, weights, grid)), expanded(loss_costs(neighbour, weights, grid))));
    }
  }
  EXPECT_EQ(rank_most, static_cast<std::int64_t>(kRankRange));
  EXPECT_EQ(loss_most, static_cast<std::int64_t>(loss_range(weights, grid)));
}

}  // namespace
}  // namespace dperm::methods
