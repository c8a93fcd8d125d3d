// SPDX-License-Identifier: Apache-2.0
// Shapes of columns and pairs in schema.toml: what is read, written again, refused and filled in.
#include "dperm/schema/shapes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dperm/core/error.hpp"
#include "dperm/schema/encoding.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::schema {
namespace {

Schema parsed(const std::string& body) { return parse_schema("version = 1\n" + body, "s.toml"); }

std::string message_of(const std::string& body) {
  try {
    parsed(body);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

// One column of numbers from 0 to 10 with these lines more, line 2 of the file on.
std::string number(const std::string& lines, const std::string& name = "x") {
  return "[[column]]\nname = \"" + name + "\"\nkind = \"real\"\nlower = 0\nupper = 10\n" + lines + "\n";
}

std::string category(const std::string& lines, const std::string& name = "c") {
  return "[[column]]\nname = \"" + name + "\"\nkind = \"category\"\nvalues = [\"a\", \"b\", \"c\"]\n" + lines + "\n";
}

TEST(Shapes, EveryKeyIsReadAndWrittenAgain) {
  const std::string text =
      "pairs = [[\"x\", \"y\"], [\"x\", \"c\", 5]]\n" + number("shape = \"curve\"\npieces = 7\nmonotone = \"up\"") +
      number("shape = \"steps\"\nknots = [1, 2.5]\nmonotone = \"down\"", "y") + number("shape = \"linear\"", "z") +
      number("shape = \"steps\"", "w") + category("ordered = true\npieces = 2");
  const Schema schema = parsed(text);
  ASSERT_EQ(schema.columns.size(), 5u);
  EXPECT_EQ(schema.columns[0].shape, ColumnShape::curve);
  EXPECT_EQ(schema.columns[0].pieces, 7u);
  EXPECT_EQ(schema.columns[0].monotone, Monotone::up);
  EXPECT_EQ(schema.columns[1].shape, ColumnShape::steps);
  EXPECT_EQ(schema.columns[1].knots, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(schema.columns[1].monotone, Monotone::down);
  EXPECT_EQ(schema.columns[2].shape, ColumnShape::linear);
  EXPECT_EQ(schema.columns[3].shape, ColumnShape::steps);
  EXPECT_EQ(schema.columns[3].pieces, 0u);
  EXPECT_TRUE(schema.columns[4].ordered);
  EXPECT_EQ(schema.columns[4].missing, MissingRule::midpoint);
  EXPECT_EQ(schema.columns[4].shape, ColumnShape::curve) << "pieces ask for a curve";
  EXPECT_EQ(schema.pairs, (std::vector<ColumnPair>{{"x", "y", 0}, {"x", "c", 5}}));
  EXPECT_EQ(parse_schema(to_toml(schema), "again"), schema);
  EXPECT_EQ(to_toml(parse_schema(to_toml(schema), "again")), to_toml(schema));
}

TEST(Shapes, DefaultsAreLeftOpen) {
  const Schema schema = parsed(number("") + category(""));
  EXPECT_EQ(schema.columns[0].shape, ColumnShape::automatic);
  EXPECT_EQ(schema.columns[0].monotone, Monotone::none);
  EXPECT_FALSE(schema.columns[1].ordered);
  EXPECT_EQ(to_toml(schema).find("shape"), std::string::npos) << "schemas from before read and write as they did";
  EXPECT_EQ(Encoding(schema).dimension(), 5u) << "an open shape counts as linear";
  EXPECT_EQ(parsed(number("knots = [5]")).columns[0].shape, ColumnShape::curve);
}

TEST(Shapes, MistakesAreRefusedWithTheirReason) {
  const auto expect = [](const std::string& body, const char* part) {
    const std::string message = message_of(body);
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  };
  expect(number("shape = \"wavy\""), "shape must be");
  expect(number("pieces = 0"), "between 1 and 63");
  expect(number("pieces = 64"), "between 1 and 63");
  expect(number("pieces = -3"), "between 1 and 63");
  expect(number("shape = \"linear\"\npieces = 4"), "pieces and knots are for");
  expect(number("shape = \"auto\"\nknots = [4]"), "pieces and knots are for");
  expect(number("shape = \"linear\"\nknots = [4]"), "pieces and knots are for");
  expect(number("pieces = 4\nknots = [4]"), "not both");
  expect(number("knots = [4, 4]"), "increase strictly");
  expect(number("knots = [5, 4]"), "increase strictly");
  expect(number("knots = [0, 4]"), "increase strictly");
  expect(number("knots = [4, 10]"), "increase strictly");
  expect(number("knots = [4, nan]"), "increase strictly");
  expect(number("knots = [\"4\"]"), "list of numbers");
  expect(number("knots = 4"), "list of numbers");
  expect(number("monotone = \"sideways\""), "monotone must be");
  expect(number("ordered = true"), "ordered");
  std::string many = "knots = [1";
  for (int i = 0; i < 62; ++i) many += ", " + std::to_string(1.01 + i * 0.1);
  expect(number(many + "]"), "at most 63 pieces");
  expect("[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1.7e308\nupper = 1.7e308\nknots = [0]\n", "finite");
  expect(category("pieces = 2"), "ordered = true");
  expect(category("shape = \"curve\""), "ordered = true");
  expect(category("monotone = \"up\""), "ordered = true");
  expect(category("ordered = true\nknots = [1]"), "knots");
  expect(category("ordered = true\nother = true"), "no other");
  expect(category("ordered = true\nmissing = \"none\""), "midpoint");
}

TEST(Shapes, PairsThatMakeNoSurfaceAreRefused) {
  const auto expect = [](const std::string& pairs, const char* part) {
    const std::string message = message_of("pairs = " + pairs + "\n" + number("") + number("", "y") + category(""));
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  };
  EXPECT_EQ(message_of("pairs = [[\"x\", \"y\", 31]]\n" + number("") + number("", "y")), "no error");
  expect("[[\"x\", \"x\"]]", "paired with itself");
  expect("[[\"x\", \"unknown\"]]", "no column 'unknown'");
  expect("[[\"x\", \"c\"]]", "'c' is no number");
  expect("[[\"x\", \"y\"], [\"y\", \"x\", 3]]", "paired twice");
  expect("[[\"x\", \"y\", 32]]", "between 1 and 31");
  expect("[[\"x\", \"y\", 0]]", "between 1 and 31");
  expect("[[\"x\", \"y\", 2.5]]", "list of pairs");
  expect("[[\"x\"]]", "list of pairs");
  expect("[\"x\", \"y\"]", "list of pairs");
  expect("[[\"x\", 1]]", "list of pairs");
  expect("[[\"x\", \"y\", 3, 4]]", "list of pairs");
  expect("3", "list of pairs");
}

TEST(Shapes, ASchemaMadeByHandIsCheckedToo) {
  Schema schema = parsed(number("") + number("", "y"));
  schema.columns[0].shape = ColumnShape::curve;
  schema.columns[0].pieces = kMostPieces;
  schema.pairs = {{"x", "y", kMostPairPieces}};
  EXPECT_NO_THROW(validate(schema));
  schema.columns[0].pieces = kMostPieces + 1;
  EXPECT_THROW(validate(schema), DataError);
  schema.columns[0].pieces = 3;
  schema.pairs[0].pieces = kMostPairPieces + 1;
  EXPECT_THROW(validate(schema), DataError);
  schema.pairs = {{"x", "z", 2}};
  EXPECT_THROW(validate(schema), DataError);
  schema.pairs.clear();
  schema.columns[0].ordered = true;
  EXPECT_THROW(validate(schema), DataError) << "numbers have an order anyway";
}

TEST(WithShapes, FillsInWhatIsLeftOpenAndNothingElse) {
  const Schema schema = parsed("pairs = [[\"x\", \"y\"], [\"x\", \"z\", 2]]\n" + number("") +
                               number("shape = \"linear\"", "y") + number("pieces = 3", "z") +
                               number("shape = \"steps\"", "w") + category("ordered = true") + category("", "d"));
  const Schema filled = with_shapes(schema, ColumnShape::curve, 8, 5);
  EXPECT_EQ(filled.columns[0].shape, ColumnShape::curve);
  EXPECT_EQ(filled.columns[0].pieces, 8u);
  EXPECT_EQ(filled.columns[1].shape, ColumnShape::linear);
  EXPECT_EQ(filled.columns[1].pieces, 0u);
  EXPECT_EQ(filled.columns[2].pieces, 3u);
  EXPECT_EQ(filled.columns[3].shape, ColumnShape::steps);
  EXPECT_EQ(filled.columns[3].pieces, 8u);
  EXPECT_EQ(filled.columns[4].pieces, 2u) << "three values have two steps between them";
  EXPECT_EQ(filled.columns[5], schema.columns[5]);
  EXPECT_EQ(filled.pairs, (std::vector<ColumnPair>{{"x", "y", 5}, {"x", "z", 2}}));
  EXPECT_NO_THROW(validate(filled));
  EXPECT_EQ(with_shapes(filled, ColumnShape::linear, 1, 1), filled) << "nothing is left open";
  const Schema linear = with_shapes(schema, ColumnShape::linear, 8, 5);
  EXPECT_EQ(linear.columns[0].shape, ColumnShape::linear);
  EXPECT_EQ(linear.columns[3].pieces, 8u) << "steps were asked for";
  // A curve of one piece is the linear term again.
  EXPECT_EQ(with_shapes(schema, ColumnShape::curve, 1, 1).columns[0].shape, ColumnShape::linear);
  EXPECT_EQ(with_shapes(schema, ColumnShape::curve, 1000, 1000).columns[0].pieces, kMostPieces);
  EXPECT_EQ(with_shapes(schema, ColumnShape::curve, 1000, 1000).pairs[0].pieces, kMostPairPieces);
}

TEST(WithShapes, IntegersHaveNoMorePiecesThanStepsBetweenThem) {
  Schema schema = parsed("[[column]]\nname = \"n\"\nkind = \"integer\"\nlower = 0\nupper = 5\n");
  EXPECT_EQ(with_shapes(schema, ColumnShape::curve, 8, 1).columns[0].pieces, 5u);
  schema.columns[0].upper = 1;
  EXPECT_EQ(with_shapes(schema, ColumnShape::curve, 8, 1).columns[0].shape, ColumnShape::linear);
}

TEST(WithoutShapes, LeavesWhatDecidesTheCells) {
  const std::string knots = number("shape = \"steps\"\nknots = [2, 5]\nmonotone = \"up\"", "k");
  const Schema shaped = parsed("pairs = [[\"x\", \"k\", 3]]\n" + number("pieces = 3\nmonotone = \"down\"") + knots +
                               category("ordered = true\npieces = 2"));
  const Schema plain = parsed(number("") + number("knots = [2, 5]", "k") + category("ordered = true"));
  EXPECT_EQ(without_shapes(shaped), without_shapes(plain));
  EXPECT_EQ(without_shapes(without_shapes(shaped)), without_shapes(shaped));
  EXPECT_NO_THROW(validate(without_shapes(shaped)));
  const Encoding a(shaped), b(without_shapes(shaped));
  for (double x = -1; x < 12; x += 0.13) {
    EXPECT_EQ(a.encode_real(0, x), b.encode_real(0, x));
    EXPECT_EQ(a.encode_real(1, x), b.encode_real(1, x));
  }
  EXPECT_EQ(a.encode_ordered(2, "b", false), b.encode_ordered(2, "b", false));
  EXPECT_NE(without_shapes(shaped), without_shapes(parsed(number("") + number("", "k") + category("ordered = true"))))
      << "knots say where values lie";
  EXPECT_NE(without_shapes(shaped), without_shapes(parsed(number("") + number("knots = [2, 5]", "k") + category(""))));
}

TEST(Rules, BlocksAndWeightsFollowTheShape) {
  Column column{.name = "x", .lower = 0, .upper = 1};
  EXPECT_EQ(weight_count(column), 1u);
  EXPECT_EQ(block_count(column), 1u);
  column.shape = ColumnShape::curve;
  EXPECT_EQ(weight_count(column), 1u) << "pieces not chosen yet";
  EXPECT_EQ(block_count(column), 1u);
  column.pieces = 8;
  EXPECT_EQ(weight_count(column), 10u);
  EXPECT_EQ(block_count(column), 2u);
  column.shape = ColumnShape::steps;
  EXPECT_EQ(weight_count(column), 8u);
  EXPECT_EQ(block_count(column), 1u);
  EXPECT_EQ(weight_count(ColumnPair{"a", "b", 4}), 25u);
  EXPECT_EQ(weight_count(ColumnPair{"a", "b", 0}), 0u);
}

}  // namespace
}  // namespace dperm::schema
