// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/check.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"

namespace dperm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Check, NanFailsEveryCheck) {
  EXPECT_THROW(require_positive_finite("x", kNan), ArgumentError);
  EXPECT_THROW(require_nonnegative_finite("x", kNan), ArgumentError);
  EXPECT_THROW(require_in_closed_range("x", kNan, 0, 1), ArgumentError);
  EXPECT_THROW(require_in_open_range("x", kNan, 0, 1), ArgumentError);
}

TEST(Check, EdgesAreAsNamed) {
  EXPECT_THROW(require_positive_finite("x", 0), ArgumentError);
  EXPECT_THROW(require_positive_finite("x", kInf), ArgumentError);
  EXPECT_NO_THROW(require_positive_finite("x", 1e-300));
  EXPECT_NO_THROW(require_nonnegative_finite("x", 0));
  EXPECT_THROW(require_nonnegative_finite("x", -1e-300), ArgumentError);
  EXPECT_NO_THROW(require_in_closed_range("x", 1, 0, 1));
  EXPECT_THROW(require_in_open_range("x", 1, 0, 1), ArgumentError);
}

TEST(Check, MessageNamesParameterRuleAndValue) {
  try {
    require_positive_finite("epsilon", -2);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "`epsilon` must be positive and finite; got -2");
    EXPECT_EQ(error.field(), "epsilon");
  }
}

TEST(Check, ARuleOfOneFieldNamesIt) {
  EXPECT_NO_THROW(require(true, "threads", "must be 0 or more"));
  try {
    require(false, "threads", "must be 0 or more");
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "`threads` must be 0 or more");
    EXPECT_EQ(error.field(), "threads");
  }
}

TEST(Check, AFalsePromiseOfOurOwnIsAnInternalError) { EXPECT_THROW(ensure(false, "x"), InternalError); }

}  // namespace
}  // namespace dperm
