// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/options.hpp"

#include <gtest/gtest.h>

#include <array>

#include "dperm/core/error.hpp"

namespace dperm::methods {
namespace {

const std::array kSpecs = {
    OptionSpec{"steps", "auto", "", 1, 100, {}, true},
    OptionSpec{"size", "0.5", "", 0, 1},
    OptionSpec{"noise", "auto", "", 0, 0, {"auto", "pure"}},
};

OptionValues values(const std::map<std::string, std::string>& given) { return {"test", kSpecs, given}; }

TEST(Options, DefaultsHoldUntilGiven) {
  EXPECT_TRUE(values({}).is_auto("steps"));
  EXPECT_EQ(values({}).number("size"), 0.5);
  EXPECT_EQ(values({{"steps", "7"}}).number("steps"), 7);
  EXPECT_EQ(values({{"noise", "pure"}}).text("noise"), "pure");
}

TEST(Options, RefusesWhatTheTableDoesNotAllow) {
  EXPECT_THROW(values({{"speed", "1"}}), ArgumentError);
  EXPECT_THROW(values({{"steps", "1.5"}}), ArgumentError);
  EXPECT_THROW(values({{"steps", "0"}}), ArgumentError);
  EXPECT_THROW(values({{"steps", "many"}}), ArgumentError);
  EXPECT_THROW(values({{"size", "auto"}}), ArgumentError);
  EXPECT_THROW(values({{"size", "nan"}}), ArgumentError);
  EXPECT_THROW(values({{"noise", "loud"}}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
