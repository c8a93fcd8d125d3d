// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/csv_text.hpp"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <gtest/gtest.h>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

std::vector<std::string> cells_of(const std::string& text) {
  std::vector<std::string> cells;
  EXPECT_TRUE(scan_record(text, ',', true, &cells).complete);
  return cells;
}

using Cells = std::vector<std::string>;

TEST(CsvText, SplitsARecord) {
  EXPECT_EQ(cells_of("a,b,c\nnext"), (Cells{"a", "b", "c"}));
  EXPECT_EQ(cells_of("a,,\r\n"), (Cells{"a", "", ""}));
  EXPECT_EQ(cells_of(",\n"), (Cells{"", ""}));
  EXPECT_EQ(cells_of("\n"), Cells{});
  EXPECT_EQ(cells_of("last"), Cells{"last"});
  EXPECT_EQ(cells_of("a\rb"), Cells{"a"});
}

TEST(CsvText, QuotesHoldDelimitersLineEndsAndQuotes) {
  EXPECT_EQ(cells_of("\"a,b\",\"c\nd\",\"e\"\"f\"\n"), (Cells{"a,b", "c\nd", "e\"f"}));
  EXPECT_EQ(cells_of("5\" pipe,x\n"), (Cells{"5\" pipe", "x"})) << "a quote inside a cell is an ordinary character";
  EXPECT_EQ(cells_of("\"a\"b,c\n"), (Cells{"ab", "c"}));
  EXPECT_EQ(cells_of("\"\"\n"), Cells{""});
  EXPECT_EQ(cells_of("\"x\""), Cells{"x"});
}

TEST(CsvText, SaysWhenMoreBytesAreNeeded) {
  for (const char* text : {"", "a", "a,b", "\"a", "\"a\"", "a\r", "\"a\nb"}) {
    EXPECT_FALSE(scan_record(text, ',', false, nullptr).complete) << text;
  }
  EXPECT_TRUE(scan_record("a\n", ',', false, nullptr).complete);
  EXPECT_TRUE(scan_record("\"a", ',', true, nullptr).unclosed);
  EXPECT_FALSE(scan_record("\"a\"", ',', true, nullptr).unclosed);
}

TEST(CsvText, CountsPhysicalLines) {
  EXPECT_EQ(scan_record("\"a\nb\r\nc\rd\",x\r\n", ',', true, nullptr).lines, 4u);
  EXPECT_EQ(scan_record("a\n", ',', true, nullptr).bytes, 2u);
  EXPECT_EQ(scan_record("a\r\n", ',', true, nullptr).bytes, 3u);
}

TEST(CsvText, FindsTheHeaderAfterSkippedAndEmptyLines) {
  const TemporaryFolder folder;
  InputFile file;
  schema::TextFormat format;
  format.skip_rows = 2;
  format.multi_line = true;
  file.path = folder.write("a.csv", "\xef\xbb\xbf\"comment\nmore\n\nx,\"y\nz\"\r\n1,2\n");
  const CsvHead head = read_csv_head(file, format);
  EXPECT_EQ(head.names, (Cells{"x", "y\nz"}));
  EXPECT_EQ(head.line, 6u);
  EXPECT_EQ((*head.records->Read(100))->ToString(), "1,2\n");
}

// Otherwise a record could close a quote that the header left open, and messages would depend on it.
TEST(CsvText, AHeaderIsALine) {
  const TemporaryFolder folder;
  InputFile file;
  for (const char* record : {"1,2\n", "1\",2\n"}) {
    file.path = folder.write("a.csv", std::string("x,\"y\n") + record);
    try {
      read_csv_head(file, {});
      ADD_FAILURE() << "no refusal";
    } catch (const DataError& error) {
      EXPECT_TRUE(mentions(error.what(), {"a.csv:1:", "no header line"}));
    }
  }
}

std::string refusal_of_head(const InputFile& file, const schema::TextFormat& format) {
  try {
    read_csv_head(file, format);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

// The byte after a header's carriage return is a record's: it must not decide how lines end.
TEST(CsvText, TheFormatSaysHowTheHeaderEnds) {
  const TemporaryFolder folder;
  InputFile file;
  schema::TextFormat format;
  for (const bool multi_line : {false, true}) {
    format.multi_line = multi_line;
    format.line_end = '\r';
    for (const std::string records : {"1,2\r3,4\r", "\n1,2\r3,4\r", ""}) {
      file.path = folder.write("a.csv", "x,y\r" + records);
      const CsvHead head = read_csv_head(file, format);
      EXPECT_EQ(head.names, (Cells{"x", "y"}));
      EXPECT_EQ((*head.records->Read(100))->ToString(), records);
    }
    file.path = folder.write("a.csv", "x,y\n1,2\n");
    EXPECT_TRUE(mentions(refusal_of_head(file, format), {"a.csv:1:", "line feed", "leave line_end out"}));
    format.line_end = '\n';
    for (const char* text : {"x,y\r1,2\r", "x,y\r", "x,y\r1,2\n", "x,y\r\r\n1,2\n"}) {
      file.path = folder.write("a.csv", text);
      EXPECT_TRUE(mentions(refusal_of_head(file, format), {"a.csv:1:", "line_end = \"\\r\"", "[format]"})) << text;
    }
    file.path = folder.write("a.csv", "x,y\r\n1,2\r");
    EXPECT_EQ((*read_csv_head(file, format).records->Read(100))->ToString(), "1,2\r");
  }
}

TEST(CsvText, SkippedLinesEndAsTheOthers) {
  const TemporaryFolder folder;
  InputFile file;
  schema::TextFormat format;
  format.skip_rows = 1;
  file.path = folder.write("a.csv", "remark\rx,y\r1,2\r");
  EXPECT_TRUE(mentions(refusal_of_head(file, format), {"a.csv:1:", "line_end"}));
  format.line_end = '\r';
  EXPECT_EQ(read_csv_head(file, format).names, (Cells{"x", "y"}));
}

TEST(CsvText, AnEndlessHeaderIsRefusedEarly) {
  const TemporaryFolder folder;
  InputFile file;
  file.path = folder.write("a.csv", std::string(std::size_t{66} << 20, 'x'));
  EXPECT_THROW(read_csv_head(file, {}), DataError);
}

}  // namespace
}  // namespace dperm::data
