// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/monotone.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/random/bits_for.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::methods {
namespace {

using schema::ColumnShape;
using schema::Monotone;

schema::Column number(const std::string& name, ColumnShape shape, std::uint32_t pieces, Monotone monotone) {
  return {.name = name, .lower = -1, .upper = 1, .shape = shape, .pieces = pieces, .monotone = monotone};
}

schema::Schema one_column(ColumnShape shape, std::uint32_t pieces, Monotone monotone) {
  schema::Schema schema;
  schema.columns.push_back(number("x", shape, pieces, monotone));
  schema.target = {.kind = schema::TargetKind::binary, .name = "y", .positive = {"yes"}};
  return schema;
}

std::vector<double> random_weights(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> weights(count);
  for (double& each : weights) each = normal(random);
  return weights;
}

std::vector<double> imposed(const schema::Encoding& encoding, std::vector<double> weights) {
  impose_directions(encoding, weights);
  return weights;
}

// A cell's part of the score as the engine has it.
double curve_value(const schema::RealCode& real, const std::vector<double>& w, std::int32_t q) {
  const auto [piece, fraction] = schema::curve_point(q, real.pieces, real.steps, real.from_zero);
  if (real.steps) return w[real.first_knot + piece];
  return w[real.weight] * q / 32767.0 +
         (w[real.first_knot + piece] * (32767 - fraction) + w[real.first_knot + piece + 1] * fraction) / 32767.0;
}

TEST(Monotone, PoolsStepsThatFallToTheirMean) {
  // By hand: 3, 1 become 2, 2; then 4, 0, 2 become 2, 2, 2 with no pool before them above 2.
  const schema::Encoding up(one_column(ColumnShape::steps, 5, Monotone::up));
  EXPECT_EQ(imposed(up, {7, 3, 1, 4, 0, 2}), (std::vector<double>{7, 2, 2, 2, 2, 2}));
  EXPECT_EQ(imposed(up, {7, -1, 5, 3, 8, 9}), (std::vector<double>{7, -1, 4, 4, 8, 9}));
  const schema::Encoding down(one_column(ColumnShape::steps, 5, Monotone::down));
  EXPECT_EQ(imposed(down, {7, 9, 8, 3, 5, -1}), (std::vector<double>{7, 9, 8, 4, 4, -1}));
}

TEST(Monotone, ALinearColumnLosesAWrongSign) {
  const schema::Encoding up(one_column(ColumnShape::linear, 0, Monotone::up));
  EXPECT_EQ(imposed(up, {-3, -2}), (std::vector<double>{-3, 0}));
  EXPECT_EQ(imposed(up, {-3, 2}), (std::vector<double>{-3, 2}));
  const schema::Encoding down(one_column(ColumnShape::linear, 0, Monotone::down));
  EXPECT_EQ(imposed(down, {-3, 2}), (std::vector<double>{-3, 0}));
  EXPECT_EQ(imposed(down, {-3, -2}), (std::vector<double>{-3, -2}));
}

TEST(Monotone, WhatObeysStaysBitForBit) {
  const schema::Encoding up(one_column(ColumnShape::curve, 4, Monotone::up));
  const std::vector<double> rising = {1, 0.7, -0.1, 0.05, 0.3, 0.1, 0.2};
  EXPECT_EQ(imposed(up, rising), rising) << "a knot falls, but less than the linear term rises";
  const schema::Encoding none(one_column(ColumnShape::curve, 4, Monotone::none));
  const std::vector<double> wild = {1, 0.7, 3, -4, 5, -6, 7};
  EXPECT_EQ(imposed(none, wild), wild);
}

// The conditions that hold at the nearest point of a convex cone, and nowhere else: the change is at a right angle to
// the point and turned away from everything that spans the cone, here constants, a linear term that the knots cancel
// (both ways), and a rise at any knot.
TEST(Monotone, ACurveMovesToTheNearestThatRises) {
  std::mt19937_64 random(11);
  for (const bool from_zero : {false, true}) {
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
      const std::uint32_t pieces = 1 + trial % 12;
      const double sign = trial % 2 == 0 ? 1 : -1;
      auto schema = one_column(ColumnShape::curve, pieces, sign > 0 ? Monotone::up : Monotone::down);
      if (from_zero) schema.columns[0].zero = schema::Zero::lower;
      const schema::Encoding encoding(schema);
      const std::vector<double> before = random_weights(encoding.dimension(), random);
      const std::vector<double> after = imposed(encoding, before);
      const auto at = [&](std::size_t j) { return static_cast<double>(j) / pieces * (from_zero ? 1 : 2) - !from_zero; };
      std::vector<double> change(before.size());
      for (std::size_t j = 0; j < before.size(); ++j) change[j] = sign * (before[j] - after[j]);
      double along = 0, constant = 0, cancelled = change[1], rise = 0;
      for (std::size_t j = 1; j < before.size(); ++j) along += change[j] * after[j];
      for (std::size_t j = 0; j <= pieces; ++j) {
        constant += change[2 + j];
        cancelled -= at(j) * change[2 + j];
      }
      EXPECT_EQ(after[0], before[0]) << "the intercept is no part of it";
      EXPECT_NEAR(along, 0, 1e-9);
      EXPECT_NEAR(constant, 0, 1e-9);
      EXPECT_NEAR(cancelled, 0, 1e-9);
      for (std::size_t j = pieces; j > 0; --j) {
        rise += change[2 + j];
        EXPECT_LE(rise, 1e-9);
        EXPECT_GE(sign * (after[2 + j] + after[1] * at(j) - after[1 + j] - after[1] * at(j - 1)), -1e-12);
      }
    }
  }
}

TEST(Monotone, NoCellScoresLessThanOneBelowItUpToTheEncodingsRounding) {
  std::mt19937_64 random(12);
  for (const bool steps : {false, true}) {
    const schema::Encoding encoding(one_column(steps ? ColumnShape::steps : ColumnShape::curve, 7, Monotone::up));
    const std::vector<double> w = imposed(encoding, random_weights(encoding.dimension(), random));
    const schema::RealCode& real = encoding.reals()[0];
    // Linear term and knots are rounded apart: by a step of the lattice, and 1 in 32767 of a piece.
    const double rounding = steps ? 0 : 3 * std::abs(w[real.weight]) / 32767;
    double highest = curve_value(real, w, -32767);
    EXPECT_GT(curve_value(real, w, 32767), highest);
    for (std::int32_t q = -32767; q <= 32767; ++q) {
      const double value = curve_value(real, w, q);
      ASSERT_GE(value, highest - rounding) << q;
      highest = std::fmax(highest, value);
    }
  }
}

TEST(Monotone, IsRefusedWhereItCannotBeKept) {
  const schema::Schema schema = one_column(ColumnShape::curve, 4, Monotone::up);
  Problem problem;
  EXPECT_NO_THROW(facts_of(schema::Encoding(schema), problem, 10));
  problem.feasible_set = {loss::SetKind::box, 1};
  EXPECT_THROW(facts_of(schema::Encoding(schema), problem, 10), ArgumentError);
  EXPECT_NO_THROW(facts_of(schema::Encoding(one_column(ColumnShape::curve, 4, Monotone::none)), problem, 10));
  problem = {};
  problem.hidden = {8};
  EXPECT_THROW(facts_of(schema::Encoding(schema), problem, 10), ArgumentError);
  problem = {};
  problem.loss.kind = loss::LossKind::zero_one;
  problem.rules = "stumps";
  EXPECT_THROW(facts_of(schema::Encoding(schema), problem, 10), ArgumentError);
  schema::Schema classes = schema;
  classes.target = {.kind = schema::TargetKind::classes, .name = "y", .values = {"a", "b", "c"}};
  problem = {};
  problem.loss.kind = loss::LossKind::softmax;
  EXPECT_THROW(facts_of(schema::Encoding(classes), problem, 10), ArgumentError);
  schema::Schema paired = schema;
  paired.columns.push_back(number("z", ColumnShape::linear, 0, Monotone::none));
  paired.pairs = {{"z", "x", 3}};
  EXPECT_THROW(facts_of(schema::Encoding(paired), {}, 10), ArgumentError);
}

TEST(Monotone, AFitGivesWeightsThatObeyWithinTheirBallAndNoOtherEvents) {
  // Answers that fall with x, and a direction that says they rise.
  tests::EncodedTable table = tests::random_table(300, 1, {}, true, 4);
  for (std::size_t i = 0; i < table.rows(); ++i) table.targets[i] = table.reals[0][i] > 0 ? -1 : 1;
  for (const Monotone direction : {Monotone::none, Monotone::up}) {
    const auto encoding = std::make_shared<const schema::Encoding>(one_column(ColumnShape::curve, 6, direction));
    const data::Dataset dataset =
        data::Dataset(std::make_shared<const schema::Encoding>(one_column(ColumnShape::linear, 0, Monotone::none)),
                      tests::shared_sums_of(table))
            .read_as(encoding);
    Task task;
    task.problem.feasible_set = {loss::SetKind::ball, 3};
    task.facts = facts_of(*encoding, task.problem, table.rows());
    task.budget = {20, 1e-6};
    const Plan plan = method_named("gradient-descent").plan(task, {{"steps", "50"}});
    const auto bits = random::bits_for(9);
    privacy::Curator curator(*bits);
    const FitResult result = fit(plan, dataset, curator, {});
    const std::vector<double>& w = result.weights.get();
    const schema::RealCode& real = encoding->reals()[0];
    const double rise = curve_value(real, w, 32767) - curve_value(real, w, -32767);
    if (direction == Monotone::none) {
      EXPECT_LT(rise, -1);
    } else {
      EXPECT_NEAR(rise, 0, 1e-3) << "flat is the nearest";
    }
    EXPECT_LE(std::sqrt(tests::dot(w, w)), 3 * (1 + 1e-12));
    EXPECT_EQ(result.events, plan.events);
  }
}

}  // namespace
}  // namespace dperm::methods
