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
  file.path = folder.write("a.csv", "\xef\xbb\xbf\"comment\nmore\n\nx,\"y\nz\"\r\n1,2\n");
  const CsvHead head = read_csv_head(file, format);
  EXPECT_EQ(head.names, (Cells{"x", "y\nz"}));
  EXPECT_EQ(head.line, 6u);
  EXPECT_EQ((*head.records->Read(100))->ToString(), "1,2\n");
}

TEST(CsvText, DiagnosisNamesTheLineOfTheFirstWrongRecord) {
  const TemporaryFolder folder;
  InputFile file;
  file.path = folder.write("a.csv", "x,y\n1,2\n\"a\nb\",3\n\n4\n5,6,7\n");
  const CsvDiagnosis wrong = diagnose_csv(file, {});
  EXPECT_EQ(wrong.kind, CsvDiagnosis::Kind::wrong_cells);
  EXPECT_EQ(wrong.line, 6u);
  EXPECT_EQ(wrong.cells, 1u);
  file.path = folder.write("b.csv", "x,y\n1,2\n1,\"abc\n");
  const CsvDiagnosis unclosed = diagnose_csv(file, {});
  EXPECT_EQ(unclosed.kind, CsvDiagnosis::Kind::unclosed_quote);
  EXPECT_EQ(unclosed.line, 3u);
  file.path = folder.write("c.csv", "x,y\n\n");
  EXPECT_EQ(diagnose_csv(file, {}).kind, CsvDiagnosis::Kind::no_records);
}

}  // namespace
}  // namespace dperm::data
