// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/coefficients.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dperm::model {
namespace {

TEST(Coefficients, ReproduceTheEncodedScoreInOriginalUnits) {
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .lower = 20, .upper = 80});
  schema.columns.push_back({.name = "gain", .lower = 0, .upper = 1000, .scale = schema::Scale::log});
  schema::Column place{.name = "place", .kind = schema::ColumnKind::category, .values = {"town", "country"}};
  place.missing = schema::MissingRule::none;
  schema.columns.push_back(place);
  schema.target = {.kind = schema::TargetKind::real, .name = "cost", .lower = 100, .upper = 500};
  const schema::Encoding encoding(schema);
  const std::vector<double> weights = {0.5, -1.25, 2, 0.75, -0.3};
  const auto table = coefficients(encoding, weights);
  ASSERT_EQ(table.size(), 5u);

  const double age = 47, gain = 123;
  const double u_age = (age - 50) / 30;
  const double u_gain = 2 * std::log(1 + gain) / std::log(1001.0) - 1;
  const double score = (0.5 - 1.25 * u_age + 2 * u_gain - 0.3) / std::sqrt(4.0);  // the row lives in the country
  const double by_hand = 300 + 200 * score;
  const double by_table =
      table[0].original + table[1].original * age + table[2].original * std::log(1 + gain) + table[4].original;
  EXPECT_NEAR(by_table, by_hand, 1e-9);
  EXPECT_EQ(table[1].name, "age");
  EXPECT_EQ(table[2].per, "unit of log(1 + value - 0)");
  EXPECT_EQ(table[4].name, "place=country");
}

TEST(Coefficients, OfCurvesArePerRangeAndMoveNoIntercept) {
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .lower = 20, .upper = 80, .shape = schema::ColumnShape::curve, .pieces = 2});
  schema.columns.push_back({.name = "pixel",
                            .lower = 0,
                            .upper = 255,
                            .zero = schema::Zero::lower,
                            .shape = schema::ColumnShape::curve,
                            .pieces = 2});
  schema.columns.push_back(
      {.name = "hours", .lower = 0, .upper = 100, .shape = schema::ColumnShape::steps, .pieces = 2});
  schema.pairs = {{"age", "hours", 1}};
  const schema::Encoding encoding(schema);
  std::vector<double> weights(encoding.dimension());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = static_cast<double>(j + 1);
  const auto table = coefficients(encoding, weights);
  const double scale = 1 / std::sqrt(7.0);  // intercept, two curves of two blocks, steps, a pair
  for (std::size_t j = 0; j < weights.size(); ++j) {
    EXPECT_NEAR(table[j].original, scale * weights[j], 1e-12) << table[j].name;
  }
  EXPECT_EQ(table[0].per, "before the effects of all columns");
  EXPECT_EQ(table[1].per, "half of its range");
  EXPECT_EQ(table[2].per, "at this value");
  EXPECT_EQ(table[5].per, "all of its range");
  EXPECT_EQ(table[9].per, "in this range");
  EXPECT_EQ(table.back().per, "at these values");
}

TEST(Coefficients, RefuseAForeignNumberOfWeights) {
  const schema::Encoding encoding{schema::Schema{}};
  EXPECT_ANY_THROW(coefficients(encoding, std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace dperm::model
