// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/template.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dperm/core/error.hpp"

namespace dperm::schema {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text) {
  try {
    parse_schema(text, "t.toml");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(SchemaTemplate, SaysWhyBoundsMustNotBeReadOffTheData) {
  const std::string text = schema_template({{"age", "number"}}, TextFormat{});
  EXPECT_NE(text.find("Do NOT look at the records"), std::string::npos);
  EXPECT_NE(text.find("lower = \"FILL IN\""), std::string::npos);
}

TEST(SchemaTemplate, IsRefusedUntilEveryPlaceIsFilledIn) {
  std::string text = schema_template(
      {{"age", "number"}, {"job", "text"}, {"ok \"x\"", "boolean"}, {"list", "unsupported"}}, TextFormat{});
  EXPECT_NE(message_of(text).find("column still has to be filled in"), std::string::npos);
  text = replaced(text, "column = \"FILL IN\"", "column = \"income\"");
  EXPECT_NE(message_of(text).find("kind still has to be filled in"), std::string::npos);
  text = replaced(text, "kind = \"FILL IN\"", "kind = \"binary\"\nthreshold = 5");
  EXPECT_NE(message_of(text).find("column 'age': lower still has to be filled in"), std::string::npos);
  text = replaced(text, "lower = \"FILL IN\"", "lower = 0");
  EXPECT_NE(message_of(text).find("column 'age': upper still has to be filled in"), std::string::npos);
  text = replaced(text, "upper = \"FILL IN\"", "upper = 120");
  EXPECT_NE(message_of(text).find("column 'job': values still has to be filled in"), std::string::npos);
  text = replaced(text, "[\"FILL IN\"]", "[\"cook\"]");
  EXPECT_EQ(message_of(text), "");
  const Schema schema = parse_schema(text, "t");
  EXPECT_EQ(schema.columns.size(), 3u);
  EXPECT_EQ(schema.columns[2].name, "ok \"x\"");
  EXPECT_EQ(schema.ignored, std::vector<std::string>{"list"});
}

}  // namespace
}  // namespace dperm::schema
