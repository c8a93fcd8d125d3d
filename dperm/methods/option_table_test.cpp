// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/option_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {
namespace {

GradientDescentOptions read(const Texts& texts) { return options_from<GradientDescentOptions>(texts); }

TEST(OptionTable, DefaultsHoldUntilGiven) {
  EXPECT_FALSE(read({}).steps);
  EXPECT_EQ(read({}).momentum, 0);
  EXPECT_EQ(read({{"steps", "7"}}).steps, 7u);
  EXPECT_EQ(read({{"steps", "1e3"}}).steps, 1000u);
  EXPECT_FALSE(read({{"steps", "auto"}}).steps);
  EXPECT_EQ(read({{"schedule", "strongly-convex"}}).schedule, StepSchedule::strongly_convex);
}

TEST(OptionTable, RefusesWhatItDoesNotAllow) {
  for (const auto& [name, text] : Texts{{"speed", "1"},
                                        {"steps", "1.5"},
                                        {"step_size", "many"},
                                        {"momentum", "auto"},
                                        {"average_fraction", "nan"},
                                        {"schedule", "loud"}}) {
    EXPECT_THROW(read({{name, text}}), ArgumentError) << name;
  }
  EXPECT_THROW(read({{"steps", "0"}}), ArgumentError);
  try {
    read({{"momentum", "1"}});
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_EQ(error.field(), "momentum");
  }
}

TEST(OptionTable, AStructMadeInCodeIsCheckedToo) {
  EXPECT_NO_THROW(check_options(GradientDescentOptions{.steps = 5, .momentum = 0.5}));
  EXPECT_THROW(check_options(GradientDescentOptions{.steps = 0}), ArgumentError);
  EXPECT_THROW(check_options(GradientDescentOptions{.momentum = std::nan("")}), ArgumentError);
}

TEST(OptionTable, TextAndSpecsFollowFromTheStruct) {
  const Texts texts = texts_of(GradientDescentOptions{.steps = 5, .step_size = 0.1});
  EXPECT_EQ(texts, (Texts{{"steps", "5"},
                          {"step_size", "0.1"},
                          {"average_fraction", "auto"},
                          {"schedule", "auto"},
                          {"momentum", "0"}}));
  const auto specs = option_specs<GradientDescentOptions>();
  EXPECT_EQ(specs.at(0).default_value, "auto");
  EXPECT_EQ(specs.at(3).choices, (std::vector<std::string_view>{"auto", "constant", "strongly-convex"}));
}

}  // namespace
}  // namespace dperm::methods
