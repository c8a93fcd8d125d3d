// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/rules.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace dperm::schema {
namespace {

TEST(Rules, WeightsOfAColumnCountItsExtraCategories) {
  EXPECT_EQ(weight_count({.name = "a"}), 1u);
  Column category{.name = "a", .kind = ColumnKind::category, .values = {"x", "y"}, .missing = MissingRule::none};
  EXPECT_EQ(weight_count(category), 2u);
  category.other = true;
  EXPECT_EQ(weight_count(category), 3u);
  category.missing = MissingRule::category;
  EXPECT_EQ(weight_count(category), 4u);
  EXPECT_EQ(weight_count({.name = "b", .kind = ColumnKind::boolean, .missing = MissingRule::none}), 1u);
  EXPECT_EQ(weight_count({.name = "b", .kind = ColumnKind::boolean, .missing = MissingRule::category}), 2u);
}

TEST(Rules, NanBoundsNeverPass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(bounds_problem(nan, 1, Scale::linear), "");
  EXPECT_NE(bounds_problem(0, nan, Scale::linear), "");
  EXPECT_NE(bounds_problem(nan, nan, Scale::log), "");
  EXPECT_EQ(bounds_problem(0, 1, Scale::log), "");
}

TEST(Rules, KeysOfAnotherKindAreRefused) {
  const TextFormat format;
  EXPECT_NE(column_problem({.name = "a", .lower = 0, .upper = 1, .values = {"x"}}, format), "");
  EXPECT_NE(
      column_problem({.name = "a", .kind = ColumnKind::boolean, .upper = 1, .missing = MissingRule::none}, format), "");
  EXPECT_NE(column_problem({.name = "a", .kind = ColumnKind::boolean}, format), "") << "midpoint is for numbers";
  EXPECT_NE(column_problem({.name = "a", .lower = 0, .upper = 1, .missing = MissingRule::none}, format), "");
}

TEST(Rules, NamesDpermUsesItselfAreRefused) {
  const Column column{
      .name = "a", .kind = ColumnKind::category, .values = {"x", "(other)"}, .missing = MissingRule::none};
  EXPECT_NE(column_problem(column, TextFormat{}), "");
}

}  // namespace
}  // namespace dperm::schema
