// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/curves.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/model/coefficients.hpp"

namespace dperm::model {
namespace {

using schema::ColumnKind;
using schema::ColumnShape;

schema::Column number(const std::string& name, double lower, double upper, ColumnShape shape, std::uint32_t pieces) {
  return {.name = name, .lower = lower, .upper = upper, .shape = shape, .pieces = pieces};
}

schema::Column ordered(const std::string& name, std::size_t values, ColumnShape shape, std::uint32_t pieces) {
  schema::Column column{.name = name, .kind = ColumnKind::category, .ordered = true, .shape = shape, .pieces = pieces};
  for (std::size_t j = 0; j < values; ++j) column.values.push_back(fmt::format("level{}", j));
  return column;
}

// One column of every kind and shape, and two pairs.
schema::Schema every_shape() {
  schema::Schema schema;
  schema.columns.push_back(number("age", 20, 80, ColumnShape::curve, 7));
  schema.columns.push_back(number("income", 1000, 1e6, ColumnShape::curve, 5));
  schema.columns.back().scale = schema::Scale::log;
  schema.columns.push_back(number("hours", 0, 100, ColumnShape::curve, 0));
  schema.columns.back().knots = {20, 35, 40, 60};
  schema.columns.push_back(number("price", -3, 9, ColumnShape::linear, 0));
  schema.columns.push_back(number("count", 0, 90, ColumnShape::steps, 6));
  schema.columns.push_back(number("pixel", 0, 255, ColumnShape::curve, 4));
  schema.columns.back().zero = schema::Zero::lower;
  schema.columns.push_back(ordered("school", 6, ColumnShape::curve, 3));
  schema.columns.push_back(ordered("size", 4, ColumnShape::linear, 0));
  schema.columns.push_back(ordered("risk", 5, ColumnShape::steps, 2));
  schema::Column city{.name = "city", .kind = ColumnKind::category, .values = {"north", "south"}};
  city.missing = schema::MissingRule::none;
  schema.columns.push_back(city);
  schema.pairs = {{"age", "income", 4}, {"school", "price", 3}};
  for (schema::Column& column : schema.columns) {
    if (column.ordered) column.missing = schema::MissingRule::midpoint;
  }
  schema.target = {.kind = schema::TargetKind::real, .name = "cost", .lower = 100, .upper = 500};
  return schema;
}

std::vector<double> random_weights(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> weights(count);
  for (double& each : weights) each = normal(random);
  return weights;
}

// Rows in the columns' own units; a category, in order or not, by its place.
using Rows = std::vector<std::vector<double>>;

Rows random_rows(const schema::Schema& schema, std::size_t count, std::mt19937_64& random) {
  Rows rows(count);
  for (std::vector<double>& row : rows) {
    for (const schema::Column& column : schema.columns) {
      const double share = static_cast<double>(random() % 1001) / 1000;
      const bool log = column.scale == schema::Scale::log;
      row.push_back(!column.values.empty() ? static_cast<double>(random() % column.values.size())
                    : log                  ? column.lower + std::expm1(share * std::log1p(column.upper - column.lower))
                                           : column.lower + share * (column.upper - column.lower));
    }
  }
  return rows;
}

std::vector<double> engine_scores(const std::shared_ptr<const schema::Encoding>& encoding, const Rows& rows,
                                  const std::vector<double>& weights) {
  const auto& columns = encoding->schema().columns;
  const std::string path = testing::TempDir() + "dperm_curves_test.csv";
  {
    std::ofstream file(path);
    for (const schema::Column& column : columns) file << column.name << ",";
    file << "cost\n";
    for (const std::vector<double>& row : rows) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        file << (columns[c].values.empty() ? fmt::format("{}", row[c])
                                           : columns[c].values[static_cast<std::size_t>(row[c])])
             << ",";
      }
      file << "300\n";
    }
  }
  const data::Dataset dataset = data::read_dataset({path}, encoding, {});
  std::filesystem::remove(path);
  methods::Task task;
  task.problem.loss.kind = loss::LossKind::squared;
  task.facts = methods::facts_of(*encoding, task.problem, rows.size());
  const methods::FittedModel model{task, weights};
  return DeclaredPublicAccess::open(dataset.sums().map(
      [&](const engine::RowSums& sums) { return methods::outputs(sums, *encoding, model, Threads{1}); }));
}

// The same from what people are shown, without the encoding.
double shown_score(const schema::Schema& schema, const std::vector<double>& row,
                   const std::vector<Coefficient>& coefficients, const std::vector<Curve>& curves,
                   const std::vector<Surface>& surfaces) {
  const auto value_of = [&](const std::string& name) {
    std::size_t c = 0;
    while (schema.columns[c].name != name) ++c;
    return row[c];
  };
  double score = coefficients[0].original;
  for (const Coefficient& each : coefficients) {
    if (each.name == "price") score += each.original * value_of("price");
    if (each.name == (value_of("city") == 0 ? "city=north" : "city=south")) score += each.original;
  }
  for (const Curve& each : curves) score += effect_at(each, value_of(each.along.name));
  for (const Surface& each : surfaces) {
    score += effect_at(each, value_of(each.first.name), value_of(each.second.name));
  }
  return score;
}

TEST(Curves, TheInterceptAndAllEffectsAddUpToTheEnginesScore) {
  std::mt19937_64 random(5);
  const auto encoding = std::make_shared<const schema::Encoding>(every_shape());
  const std::vector<double> weights = random_weights(encoding->dimension(), random);
  const auto table = coefficients(*encoding, weights);
  const auto all_curves = curves(*encoding, weights);
  const auto all_surfaces = surfaces(*encoding, weights);
  ASSERT_EQ(all_curves.size(), 8u) << "all but price and city";
  ASSERT_EQ(all_surfaces.size(), 2u);
  Rows rows = random_rows(encoding->schema(), 400, random);
  std::erase_if(rows, [](const auto& row) { return std::abs(row[4] / 15 - std::round(row[4] / 15)) < 0.01; });
  ASSERT_GT(rows.size(), 300u) << "without those where a step begins, which rounding decides";
  const std::vector<double> scores = engine_scores(encoding, rows, weights);
  // Neighbouring weights differ by at most 6; each of 10 effects may be off by (7 + 2) / 32767 of that.
  const double rounding = 200 / std::sqrt(static_cast<double>(encoding->columns())) * 10 * 6 * 9 / 32767;
  double largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double shown = shown_score(encoding->schema(), rows[i], table, all_curves, all_surfaces);
    largest = std::max(largest, std::abs(shown - (300 + 200 * scores[i])));
  }
  EXPECT_LT(largest, rounding);
  EXPECT_LT(rounding, 1) << "of effects of tens";
}

TEST(Curves, HaveTheirPointsAtTheKnotsInTheColumnsUnit) {
  std::mt19937_64 random(6);
  const schema::Encoding encoding(every_shape());
  const std::vector<double> weights = random_weights(encoding.dimension(), random);
  const auto all = curves(encoding, weights);
  const double unit = 200 / std::sqrt(static_cast<double>(encoding.columns()));
  EXPECT_EQ(all[2].along.name, "hours");
  EXPECT_EQ(all[2].along.values, (std::vector<double>{0, 20, 35, 40, 60, 100}));
  EXPECT_TRUE(all[1].along.log);
  // age: weight 1 is its linear term, 2 to 9 its knots; the second knot lies at share 1/7.
  EXPECT_NEAR(all[0].effects[1], unit * (weights[1] * (2.0 / 7 - 1) + weights[3]), 1e-9);
  EXPECT_EQ(all[3].along.name, "count");
  EXPECT_EQ(all[3].kind, CurveKind::steps);
  EXPECT_EQ(all[3].along.values.size(), all[3].effects.size() + 1);
  EXPECT_EQ(effect_at(all[3], 15.1), all[3].effects[1]);
  EXPECT_EQ(effect_at(all[3], 1e9), all[3].effects[5]) << "beyond the bounds, that of the nearest";
  EXPECT_EQ(all[5].along.labels.size(), 6u);
  EXPECT_EQ(all[6].effects[0], 0) << "a linear category in order counts from its first value";
}

TEST(Curves, PlainCategoriesHaveTheEffectsOfTheirCoefficients) {
  std::mt19937_64 random(7);
  schema::Schema schema = every_shape();
  schema.columns.push_back({.name = "ill", .kind = ColumnKind::boolean, .missing = schema::MissingRule::category});
  const schema::Encoding encoding(schema);
  const std::vector<double> weights = random_weights(encoding.dimension(), random);
  const auto all = category_effects(encoding, weights);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].along.labels, (std::vector<std::string>{"north", "south"}));
  EXPECT_EQ(all[1].along.labels, (std::vector<std::string>{"true", "(missing)"}));
  double south = 0, missing = 0;
  for (const Coefficient& each : coefficients(encoding, weights)) {
    if (each.name == "city=south") south = each.original;
    if (each.name == "ill=(missing)") missing = each.original;
  }
  EXPECT_NEAR(all[0].effects[1], south, 1e-12);
  EXPECT_NEAR(all[1].effects[1], missing, 1e-12);
}

TEST(Curves, AModelOfLinearColumnsHasNone) {
  schema::Schema schema;
  schema.columns.push_back(number("age", 20, 80, ColumnShape::linear, 0));
  const schema::Encoding encoding(schema);
  EXPECT_TRUE(curves(encoding, std::vector<double>{1, 2}).empty());
  EXPECT_TRUE(surfaces(encoding, std::vector<double>{1, 2}).empty());
  EXPECT_ANY_THROW(curves(encoding, std::vector<double>{1, 2, 3}));
  EXPECT_ANY_THROW(surfaces(encoding, std::vector<double>{1, 2, 3}));
}

TEST(Curves, AStepOfOneLabelIsItsEffect) {
  schema::Schema schema;
  schema.columns.push_back(ordered("only", 1, ColumnShape::steps, 1));
  schema.columns.back().missing = schema::MissingRule::midpoint;
  const auto all = curves(schema::Encoding(schema), std::vector<double>{1, 3});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(effect_at(all[0], 0), 3 / std::sqrt(2.0), 1e-12);
}

}  // namespace
}  // namespace dperm::model
