// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/one_answer.hpp"

#include <gtest/gtest.h>

#include <random>

#include "dperm/schema/encoding.hpp"
#include "tests/support/models.hpp"

namespace dperm::model {
namespace {

Model binary_model() {
  random::SeededBits bits(1);
  return tests::small_model("gradient-descent", {1, 1e-5}, bits, {{"steps", "2"}});
}

// Weights: intercept, age, place=town, place=country.
TEST(OneAnswer, IsSaidWhereNoRowGetsAnother) {
  Model model = binary_model();
  model.weights = {3, 1, -1, 0.5};
  EXPECT_EQ(one_answer(model), 1u);
  model.weights = {-3, 1, 1.9, -4};
  EXPECT_EQ(one_answer(model), 0u);
}

TEST(OneAnswer, IsNotSaidWhereSomeRowGetsAnother) {
  Model model = binary_model();
  model.weights = {3, 2, -1, 0.5};  // 3 - 2 - 1: an old person in town
  EXPECT_EQ(one_answer(model), std::nullopt);
  model.weights = {-3, 1, 2.1, -4};
  EXPECT_EQ(one_answer(model), std::nullopt);
  model.weights = {0, 0, 1, 1};  // no category at all: score 0, which is the negative class
  EXPECT_EQ(one_answer(model), std::nullopt);
}

TEST(OneAnswer, OfSeveralClasses) {
  random::SeededBits bits(1);
  Model model = tests::class_model({1, 1e-5}, bits);
  model.weights = {0, 1, 3, 0, 0, -1};  // intercept and age of a, b, c
  EXPECT_EQ(one_answer(model), 1u);
  model.weights = {2.5, 1, 3, 0, 0, -1};
  EXPECT_EQ(one_answer(model), std::nullopt);
}

// Against every cell of a curve: what is said is true, and it is said unless a score is nearly 0.
TEST(OneAnswer, OfCurvesAgreesWithEveryCell) {
  Model model = binary_model();
  model.schema.columns.resize(1);
  model.schema.columns[0].shape = schema::ColumnShape::curve;
  model.schema.columns[0].pieces = 3;
  const schema::Encoding encoding(model.schema);
  ASSERT_EQ(encoding.dimension(), 6u);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  int said = 0;
  for (int round = 0; round < 300; ++round) {
    model.weights = {4 * normal(random)};
    for (int i = 0; i < 5; ++i) model.weights.push_back(normal(random));
    double least = 1e300, most = -1e300;
    for (std::int32_t q = -schema::kRealOne; q <= schema::kRealOne; q += 7) {
      const auto [piece, fraction] = schema::curve_point(q, 3, false, false);
      const double share = fraction / 32767.0;
      const double score = model.weights[0] + model.weights[1] * q / 32767.0 + (1 - share) * model.weights[2 + piece] +
                           share * model.weights[3 + piece];
      least = std::min(least, score);
      most = std::max(most, score);
    }
    const auto answer = one_answer(model);
    EXPECT_TRUE(answer != 1u || least > 0) << round;
    EXPECT_TRUE(answer != 0u || most < 0) << round;
    EXPECT_TRUE(least <= 0.01 || answer == 1u) << round;
    EXPECT_TRUE(most >= -0.01 || answer == 0u) << round;
    said += answer ? 1 : 0;
  }
  EXPECT_GT(said, 100);
}

}  // namespace
}  // namespace dperm::model
