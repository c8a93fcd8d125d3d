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

TEST(Coefficients, RefuseAForeignNumberOfWeights) {
  const schema::Encoding encoding{schema::Schema{}};
  EXPECT_ANY_THROW(coefficients(encoding, std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace dperm::model
