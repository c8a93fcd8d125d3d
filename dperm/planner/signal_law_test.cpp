// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/signal_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dperm::planner {
namespace {

TEST(SignalLaw, EverythingFallsAsTheSignalGrowsAndEndsLieInOrder) {
  for (double signal = 1; signal < 1e6; signal *= 1.5) {
    const auto lines = [](double at) { return log_loss_added(at, false); };
    const auto curves = [](double at) { return log_loss_added(at, true); };
    for (const std::function<Range(double)>& law :
         {std::function<Range(double)>(share_lost), {layers_share_lost}, {layers_moved}, {lines}, {curves}}) {
      const Range here = law(signal), more = law(1.5 * signal);
      EXPECT_LT(more.expected, here.expected);
      EXPECT_LT(more.upper, here.upper);
      EXPECT_LT(here.lower, here.expected);
      EXPECT_LT(here.expected, here.upper);
    }
    EXPECT_LT(scores_moved(1.5 * signal, 10).upper, scores_moved(signal, 10).upper);
    EXPECT_LT(scores_moved(signal, 10).upper, scores_moved(signal, 20).upper);
  }
}

// Means of 5 seeds on the tables that chose the constants: points lost, log loss added, root mean square move.
TEST(SignalLaw, IsNearWhatWasMeasured) {
  EXPECT_NEAR(share_lost(236.9).expected, 0.0174, 0.003) << "adult, epsilon 0.1";
  EXPECT_NEAR(share_lost(98.3).expected, 0.0400, 0.006) << "adult, 3000 rows, epsilon 0.5";
  EXPECT_NEAR(share_lost(396.6).expected, 0.0021, 0.01) << "credit, 3000 rows, epsilon 3";
  EXPECT_NEAR(log_loss_added(236.9, true).expected, 0.0440, 0.012) << "adult, epsilon 0.1";
  EXPECT_NEAR(log_loss_added(2559.8, true).expected, 0.0122, 0.006) << "covertype, epsilon 0.5";
  EXPECT_NEAR(log_loss_added(103.3, true).expected, 0.0826, 0.035) << "covertype, 3000 rows, epsilon 0.5";
  EXPECT_NEAR(log_loss_added(1183, false).expected, 0.0046, 0.001) << "adult with lines, epsilon 0.5";
  EXPECT_NEAR(log_loss_added(217, false).expected, 0.0185, 0.004) << "credit with lines, 3000 rows, epsilon 1";
  EXPECT_NEAR(scores_moved(237.5, 9).expected, std::sqrt(0.0132), 0.05) << "california, epsilon 0.1";
  EXPECT_NEAR(scores_moved(1302.8, 17).expected, std::sqrt(0.0037), 0.02) << "california, epsilon 1";
}

// Against the same network without privacy, means of 2 seeds: 22 of the 24 cells.
TEST(SignalLaw, NetworksOfRealTargetsLieWithinTheirInterval) {
  const std::map<std::string, std::vector<std::pair<double, double>>> signal_and_move = {
      {"california", {{210, 0.156}, {900, 0.127}, {1750, 0.119}, {4400, 0.100}}},
      {"protein", {{494, 0.264}, {2200, 0.257}, {4100, 0.178}, {10300, 0.128}}},
      {"kin8nm", {{93, 0.26}, {400, 0.2}, {780, 0.185}, {1900, 0.175}}},
      {"naval", {{103, 0.6}, {460, 0.58}, {860, 0.49}, {2150, 0.28}}},
      {"power", {{135, 0.088}, {600, 0.068}, {1100, 0.059}, {2800, 0.045}}},
      {"concrete", {{11.6, 0.48}, {51, 0.2}, {97, 0.158}, {240, 0.114}}}};
  std::size_t within = 0;
  for (const auto& [table, cells] : signal_and_move) {
    for (const auto& [signal, move] : cells) {
      const Range told = layers_moved(signal);
      within += move >= told.lower && move <= told.upper;
    }
  }
  EXPECT_EQ(within, 22u);
}

TEST(Range, LossesTooSmallForATestHaveNoLowerEnd) {
  // One row in ten differs, 2,500 rows are tested: sqrt(0.1 / 2500).
  EXPECT_NEAR(least_told_share(10000), 0.00632, 1e-5);
  // Residuals of variance 1/16 and 2,500 rows: the square root of sqrt(2 / 2500) / 16.
  EXPECT_NEAR(least_told_move(10000), 0.04204, 1e-5);
  const Range clear = told({0.02, 0.01, 0.06}, 0.005), unclear = told({0.004, 0.001, 0.02}, 0.005);
  EXPECT_EQ(clear.lower, 0.01);
  EXPECT_EQ(clear.upper, 0.06);
  EXPECT_EQ(unclear.lower, 0);
  EXPECT_EQ(unclear.expected, 0.004);
  EXPECT_EQ(told({0.001, 0.0005, 0.002}, 0.005).upper, 0.005);
}

}  // namespace
}  // namespace dperm::planner
