// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "dperm/core/error.hpp"

namespace dperm::schema {
namespace {

// A valid schema with names and numbers that are awkward to write down.
Schema random_schema(std::mt19937_64& random) {
  const std::string pieces[] = {"a", "\"", "\\", "\xc3\xa9", " b", "#", "\t", "=", "\x01", "\x7f", "'", "]"};
  int serial = 0;
  const auto text = [&] {
    std::string made("x");
    made += std::to_string(serial++);
    for (int i = 0; i < 3; ++i) made += pieces[random() % std::size(pieces)];
    made += "z";
    return made;
  };
  const auto number = [&] {
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -static_cast<int>(random() % 90));
  };
  Schema schema;
  schema.format.missing = {"", text()};
  if (random() % 2 == 0) schema.format.delimiter = '\t';
  if (random() % 2 == 0) schema.format.line_end = '\r';
  if (random() % 2 == 0) {
    schema.format.header = false;
    schema.format.column_names = {text(), text()};
  }
  for (int i = 0; i < 8; ++i) {
    Column column;
    column.name = text();
    column.kind = static_cast<ColumnKind>(random() % 4);
    if (column.kind == ColumnKind::real || column.kind == ColumnKind::integer) {
      const double a = number();
      const double b = number();
      column.lower = std::min(a, b);
      column.upper = std::max(a, b);
      column.scale = random() % 2 == 0 ? Scale::log : Scale::linear;
      column.zero = random() % 2 == 0 ? Zero::lower : Zero::middle;
    } else {
      column.missing = random() % 2 == 0 ? MissingRule::none : MissingRule::category;
    }
    if (column.kind == ColumnKind::category) {
      column.values = {text(), text(), text()};
      column.other = random() % 2 == 0;
    }
    schema.columns.push_back(column);
  }
  if (random() % 2 == 0) schema.ignored = {text()};
  schema.target.kind = static_cast<TargetKind>(random() % 4);
  if (schema.target.kind != TargetKind::none) schema.target.name = text();
  if (schema.target.kind == TargetKind::binary && random() % 2 == 0) schema.target.threshold = number();
  if (schema.target.kind == TargetKind::binary && !schema.target.threshold) schema.target.positive = {text()};
  if (schema.target.kind == TargetKind::classes) schema.target.values = {text(), text()};
  if (schema.target.kind == TargetKind::real) schema.target.upper = 0.1;
  if (random() % 2 == 0) schema.columns.front().description = "years \"at\" school # \u00e9";
  if (schema.target.kind != TargetKind::none && random() % 2 == 0) schema.target.description = "1 if so, \\ 0 else";
  return schema;
}

TEST(Schema, CanonicalTextReadsBackAsTheSameSchema) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Schema schema = random_schema(random);
    const std::string text = to_toml(schema);
    EXPECT_EQ(parse_schema(text, "text"), schema) << text;
    EXPECT_EQ(to_toml(parse_schema(text, "text")), text);
  }
}

TEST(Schema, EqualSchemasGiveEqualText) {
  Schema a;
  a.columns.push_back({.name = "x", .lower = 0.0, .upper = 1});
  Schema b = a;
  b.columns[0].lower = -0.0;
  ASSERT_EQ(a, b);
  EXPECT_EQ(to_toml(a), to_toml(b));
}

TEST(Schema, WritingAColumnTwiceOrOnceWithNamesIsTheSameSchema) {
  const std::string twice =
      "version=1\n[[column]]\nname='a'\nkind='real'\nlower=0\nupper=1\n[[column]]\nname='b'\nkind='real'\nlower=0.0\n"
      "upper=1.0\n";
  const std::string once = "version = 1 # same\n[[column]]\nnames=['a','b']\nkind='real'\nupper=1\nlower=0\n";
  EXPECT_EQ(to_toml(parse_schema(twice, "t")), to_toml(parse_schema(once, "o")));
}

TEST(Schema, ADescriptionIsOneShortLine) {
  Schema schema;
  schema.columns.push_back({.name = "x", .lower = 0, .upper = 1});
  for (const std::string& bad : {std::string("two\nlines"), std::string(kLongestDescription + 1, 'x')}) {
    schema.columns[0].description = bad;
    EXPECT_THROW(validate(schema), DataError);
  }
  schema.columns[0].description = std::string(kLongestDescription, 'x');
  EXPECT_NO_THROW(validate(schema));
}

TEST(Schema, ValidateRefusesWhatTheParserWould) {
  Schema schema;
  schema.columns.push_back({.name = "x", .lower = 0, .upper = 1});
  EXPECT_NO_THROW(validate(schema));
  Schema reversed = schema;
  reversed.columns[0].upper = -1;
  EXPECT_THROW(validate(reversed), DataError);
  Schema twice = schema;
  twice.columns.push_back(twice.columns[0]);
  EXPECT_THROW(validate(twice), DataError);
  Schema unnamed_target = schema;
  unnamed_target.target.kind = TargetKind::real;
  EXPECT_THROW(validate(unnamed_target), DataError);
}

}  // namespace
}  // namespace dperm::schema
