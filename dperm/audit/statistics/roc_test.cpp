// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/statistics/roc.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"

namespace dperm::audit {
namespace {

// Counted by hand: scores 4 > 3 = 3 > 2 > 1, the middle pair one of each kind.
TEST(AuditRoc, CountsEveryThreshold) {
  const auto curve = roc({4, 3, 1}, {3, 2});
  ASSERT_EQ(curve.size(), 5u);
  const double expected[][2] = {{0, 0}, {0, 1.0 / 3}, {0.5, 2.0 / 3}, {1, 2.0 / 3}, {1, 1}};
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_DOUBLE_EQ(curve[i].false_positives, expected[i][0]);
    EXPECT_DOUBLE_EQ(curve[i].true_positives, expected[i][1]);
  }
  EXPECT_DOUBLE_EQ(true_positives_at(curve, 0.4), 1.0 / 3);
  EXPECT_DOUBLE_EQ(true_positives_at(curve, 0.5), 2.0 / 3);
  // Of six pairs the run with the record leads in 3 and ties in one.
  EXPECT_DOUBLE_EQ(area(curve), 3.5 / 6);
}

TEST(AuditRoc, ThresholdsOfTheCurveGiveItsRates) {
  const std::vector<double> with = {0.3, 0.7, 0.7, -1}, without = {0.7, 0.1, 0.2};
  for (const RocPoint& point : roc(with, without)) {
    const Guesses guesses = guesses_above(point.threshold, with, without);
    EXPECT_DOUBLE_EQ(static_cast<double>(guesses.hits) / 4, point.true_positives);
    EXPECT_DOUBLE_EQ(static_cast<double>(guesses.alarms) / 3, point.false_positives);
  }
}

TEST(AuditRoc, RefusesNoScoresAndNoNumbers) {
  EXPECT_THROW(roc({}, {1}), ArgumentError);
  EXPECT_THROW(roc({1}, {std::nan("")}), ArgumentError);
}

}  // namespace
}  // namespace dperm::audit
