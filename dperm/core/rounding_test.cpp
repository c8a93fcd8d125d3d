// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/rounding.hpp"

#include <gtest/gtest.h>

namespace dperm {
namespace {

TEST(Rounding, BoundsBracketTheValue) {
  for (const double x : {1e-200, 1e-10, 1.0, 3.7, 1e17}) {
    EXPECT_LT(rounded_down(x), x);
    EXPECT_GT(rounded_up(x), x);
    EXPECT_LT(rounded_up(x) / x - 1, 1e-11);
  }
  EXPECT_EQ(rounded_down(0), 0);
  EXPECT_GT(rounded_up(0), 0);
}

}  // namespace
}  // namespace dperm
