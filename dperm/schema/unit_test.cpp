// SPDX-License-Identifier: Apache-2.0
// The [unit] of a schema: read, written, refused.
#include <gtest/gtest.h>

#include <string>

#include "dperm/core/error.hpp"
#include "dperm/schema/inferred.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::schema {
namespace {

constexpr const char* kColumns =
    "[target]\ncolumn = 'y'\nkind = 'binary'\npositive = '1'\n"
    "[[column]]\nname = 'x'\nkind = 'real'\nlower = 0\nupper = 1\n";

std::string refusal(const std::string& unit) {
  try {
    parse_schema("version = 1\n" + unit + kColumns, "s.toml");
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Unit, IsReadAndWritten) {
  const Schema schema =
      parse_schema(std::string("version = 1\n[unit]\ncolumn = 'person'\nrows = 5\n") + kColumns, "s.toml");
  ASSERT_TRUE(schema.unit);
  EXPECT_EQ(schema.unit->column, "person");
  EXPECT_EQ(schema.unit->rows, 5u);
  EXPECT_EQ(parse_schema(to_toml(schema), "again"), schema);
  Schema without = schema;
  without.unit.reset();
  EXPECT_NE(without, schema) << "tiles and models of one must not pass for those of the other";
  EXPECT_NE(to_toml(without), to_toml(schema));
}

TEST(Unit, MayBeAColumnThatIsIgnoredOtherwise) {
  EXPECT_EQ(refusal("[unit]\ncolumn = 'person'\nrows = 5\n[[column]]\nname = 'person'\nkind = 'ignore'\n"), "accepted");
}

TEST(Unit, RefusesWhatCannotBeMeant) {
  for (const char* rows : {"rows = 0", "rows = -1", "rows = 1001", ""}) {
    EXPECT_NE(refusal(std::string("[unit]\ncolumn = 'person'\n") + rows + "\n").find("1 to 1000"), std::string::npos)
        << rows;
  }
  EXPECT_NE(refusal("[unit]\nrows = 5\n").find("tells persons apart"), std::string::npos);
  EXPECT_NE(refusal("[unit]\ncolumn = 'x'\nrows = 5\n").find("no feature"), std::string::npos);
  EXPECT_NE(refusal("[unit]\ncolumn = 'y'\nrows = 5\n").find("is the target"), std::string::npos);
  EXPECT_NE(refusal("[unit]\ncolumn = 'person'\nrows = 5\nbig = 1\n").find("big"), std::string::npos);
  Schema built;
  built.columns = {{.name = "x", .lower = 0, .upper = 1}};
  built.unit = {"x", 5};
  EXPECT_THROW(validate(built), DataError);
  built.unit = {"person", 0};
  EXPECT_THROW(validate(built), DataError);
}

// Which texts name nobody decides who is protected: bounds that were asked under one list do not serve under another.
TEST(Unit, InferredBoundsCoverWhoIsNobody) {
  Schema schema = parse_schema(std::string("version = 1\n[unit]\ncolumn = 'person'\nrows = 5\n") + kColumns, "s.toml");
  schema.format.missing = {"NA", ""};
  Schema rows = schema;
  rows.unit.reset();
  add_inference(schema, {.nonce = "n", .unit = "person", .unit_rows = 5}, {"x"});
  add_inference(rows, {.nonce = "n"}, {"x"});
  EXPECT_EQ(inferred_problem(schema), "");
  schema.format.missing = {"", "NA"};
  EXPECT_EQ(inferred_problem(schema), "") << "their order does not matter";
  schema.format.missing = rows.format.missing = {""};
  EXPECT_NE(inferred_problem(schema).find("missing in [format]"), std::string::npos) << inferred_problem(schema);
  EXPECT_EQ(inferred_problem(rows), "") << "of rows nobody asks who they belong to";
}

}  // namespace
}  // namespace dperm::schema
