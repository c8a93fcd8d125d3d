// SPDX-License-Identifier: Apache-2.0
// Text files: rows come out as an obvious reader would make them, for any number of threads and any cell content.
#include "dperm/data/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

const char* const kSchema = R"([target]
column = 'y'
kind = 'binary'
positive = ['p', '+1']
[[column]]
name = 'a'
kind = 'real'
lower = 0
upper = 10
[[column]]
name = 'c'
kind = 'category'
values = ['u', 'v', 'a b']
other = true
missing = 'category'
[[column]]
name = 'b'
kind = 'boolean'
[[column]]
name = 'i'
kind = 'ignore'
)";

const std::string kMultiLine = std::string("[format]\nmulti_line = true\n") + kSchema;

// Splits by hand, cell by cell, from the structure that made the text.
struct Table {
  std::vector<std::vector<std::string>> rows;
};

const char* const kCells[] = {"0",      "10",       " 3.5 ", "-1",    "1e3", "abc",   "",      "NA",  "u",       "v ",
                              "a b",    "zzz",      "true",  "f",     "+1",  "p",     "inf",   "nan", "\"q\"",   "x,y",
                              "l1\nl2", "\xff\xfe", "?",     "1e400", "007", "5\" p", "\t7\t", "+2",  "\xc3\xa9"};

std::string quoted(const std::string& cell, std::mt19937_64& random) {
  const bool needs = cell.find_first_of(",\"\n\r") != std::string::npos;
  if (!needs && random() % 4 != 0) return cell;
  std::string text("\"");
  for (const char c : cell) {
    if (c == '"') text.push_back('"');
    text.push_back(c);
  }
  text.push_back('"');
  return text;
}

std::string to_csv(const Table& table, std::mt19937_64& random) {
  const char* const ends[] = {"\n", "\r\n"};
  const std::string end = ends[random() % 2];
  std::string text = "i, c ,y,a,b" + end;
  for (const auto& row : table.rows) {
    for (std::size_t j = 0; j < row.size(); ++j) text.append(j > 0 ? "," : "").append(quoted(row[j], random));
    text += end;
  }
  return text;
}

bool slow_missing(const std::string& text) {
  return text.empty() || text == "NA" || text == "NaN" || text == "nan" || text == "null" || text == "?";
}

std::string slow_trim(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0]))) text.erase(0, 1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

std::int64_t slow_real(const std::string& cell) {
  const std::string text = slow_trim(cell);
  if (text == "true" || text == "True" || text == "TRUE") return -26214;
  if (text == "false" || text == "False" || text == "FALSE") return -32767;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(value)) return 0;
  const double inside = std::min(10.0, std::max(0.0, value));
  return static_cast<std::int64_t>(std::round((inside - 5) / 5 * 32767));
}

std::int64_t slow_category(const std::string& cell) {
  const std::string text = slow_trim(cell);
  if (slow_missing(text)) return 4;
  return text == "u" ? 0 : text == "v" ? 1 : text == "a b" ? 2 : 3;
}

std::int64_t slow_boolean(const std::string& cell) {
  const std::string text = slow_trim(cell);
  return text == "true" || text == "1" || text == "+1" || text == "1.0" || text == "yes" || text == "t" ||
                 text == "True" || text == "TRUE" || text == "Yes" || text == "y"
             ? 0
             : 1;
}

std::int64_t slow_target(const std::string& cell) {
  const std::string text = slow_trim(cell);
  return text == "p" || text == "+1" || text == "1" ? 1 : -1;
}

std::vector<Row> slow_rows(const Table& table) {
  std::vector<Row> rows;
  for (const auto& cells : table.rows) {
    rows.push_back({slow_real(cells[3]), slow_category(cells[1]), slow_boolean(cells[4]), slow_target(cells[2])});
  }
  return rows;
}

// Cells hold line ends in the multi-line mode only.
Table random_table(std::size_t rows, std::mt19937_64& random, bool multi_line) {
  Table table;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::string> cells;
    for (int j = 0; j < 5; ++j) {
      cells.emplace_back(kCells[random() % std::size(kCells)]);
      if (!multi_line) std::replace(cells.back().begin(), cells.back().end(), '\n', '\r');
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

TEST(ReadCsv, AgreesWithASlowObviousReaderOnRandomTables) {
  const TemporaryFolder folder;
  std::mt19937_64 random(11);
  const auto by_line = encoding_of(kSchema);
  const auto multi_line = encoding_of(kMultiLine);
  for (int round = 0; round < 200; ++round) {
    const auto& encoding = round % 2 == 0 ? by_line : multi_line;
    const Table table = random_table(1 + random() % 200, random, round % 2 == 1);
    const std::string path = folder.write("t.csv", to_csv(table, random));
    ReadOptions options;
    options.threads = 1 + static_cast<int>(random() % 3);
    options.tile_height = 64;
    ASSERT_EQ(read_rows({path}, encoding, options), slow_rows(table)) << "round " << round;
  }
}

TEST(ReadCsv, ManyBlocksGiveTheSameTilesForAnyThreads) {
  const TemporaryFolder folder;
  std::mt19937_64 random(12);
  const Table table = random_table(400'000, random, true);
  const std::string text = to_csv(table, random);
  ASSERT_GT(text.size(), 6u << 20) << "several blocks";
  const std::string path = folder.write("t.csv", text);
  const auto expected = slow_rows(table);
  for (const int threads : {1, 2, 3, 0}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_TRUE(read_rows({path}, encoding_of(kMultiLine), options) == expected) << threads;
  }
  ReadOptions options;
  options.tiles_path = folder.path("tiles");
  EXPECT_TRUE(read_rows({path}, encoding_of(kMultiLine), options) == expected) << "through a file";
}

TEST(ReadCsv, SeveralFilesByGlobInSortedOrder) {
  const TemporaryFolder folder;
  folder.write("b.csv", "a,c,b,y\n2,u,1,p\n");
  folder.write("a.csv", "y,b,c,a,extra\np,1,u,1,zz\n");
  folder.write("c.csv", "a,c,b,y\n3,u,1,p\n");
  const auto rows = read_rows({folder.path("?.csv")}, encoding_of(kSchema));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_LT(rows[0][0], rows[1][0]);
  EXPECT_LT(rows[1][0], rows[2][0]);
  const auto ordered = read_rows({folder.path("c.csv"), folder.path("a.csv")}, encoding_of(kSchema));
  EXPECT_GT(ordered[0][0], ordered[1][0]) << "explicit paths keep their order";
}

TEST(ReadCsv, WithoutAHeaderTheSchemaNamesTheColumns) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.data", "|note\n3; x\n4; y\n");
  const auto rows =
      read_rows({path}, encoding_of("[format]\ndelimiter=';'\nheader=false\nskip_rows=1\ncolumn_names=['n',"
                                    "'k']\n[[column]]\nname='k'\nkind='category'\nvalues=['x','y']\n"));
  EXPECT_EQ(rows, (std::vector<Row>{{0, 0}, {1, 0}}));
}

TEST(ReadCsv, TabsAreTheDefaultOfTsv) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of("[[column]]\nname='k'\nkind='category'\nvalues=['x','y']\n");
  EXPECT_EQ(read_rows({folder.write("t.tsv", "n\tk\n1\ty\n")}, encoding), (std::vector<Row>{{1, 0}}));
}

TEST(ReadCsv, ACellLongerThanABlockIsStillACell) {
  const TemporaryFolder folder;
  const std::string row = "1,u,1,p\n";
  std::string text = "a,c,b,y\n";
  for (int i = 0; i < 500'000; ++i) text += row;
  text += "2," + std::string(5 << 20, 'x') + ",1,p\n3,u,1,p\n";
  for (const int threads : {1, 2}) {
    ReadOptions options;
    options.threads = threads;
    const auto rows = read_rows({folder.write("t.csv", text)}, encoding_of(kSchema), options);
    ASSERT_EQ(rows.size(), 500'002u);
    EXPECT_EQ(rows[0], rows[499'999]);
    EXPECT_EQ(rows[500'000][1], 3) << "other";
    EXPECT_GT(rows[500'001][0], rows[500'000][0]);
  }
}

TEST(ReadCsv, LineEndsInsideQuotesMayFallAnywhereInABlock) {
  const TemporaryFolder folder;
  std::string text = "a,c,b,y\n";
  const std::string cell = "\"" + std::string(300'000, '\n') + "u\"";
  for (int i = 0; i < 40; ++i) text.append("1,").append(cell).append(",1,p\n");
  for (const int threads : {1, 2}) {
    ReadOptions options;
    options.threads = threads;
    const auto rows = read_rows({folder.write("t.csv", text)}, encoding_of(kMultiLine), options);
    ASSERT_EQ(rows.size(), 40u);
    for (const Row& row : rows) EXPECT_EQ(row[1], 0) << "u, with line ends before it";
  }
}

TEST(ReadCsv, MissingNumbersMayBeNumbers) {
  const TemporaryFolder folder;
  const auto encoding =
      encoding_of("[format]\nmissing=['-9','']\n[[column]]\nname='a'\nkind='real'\nlower=-10\nupper=10\n");
  EXPECT_EQ(read_rows({folder.write("t.csv", "a,z\n-9,\n-9.0,\n-10,\n")}, encoding),
            (std::vector<Row>{{0, 0}, {0, 0}, {-32767, 0}}));
}

TEST(ReadCsv, WithoutItsTargetADatasetCanStillBePredictedOn) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", "a,c,b\n1,u,1\n");
  ReadOptions options;
  options.target_required = false;
  EXPECT_EQ(read_rows({path}, encoding_of(kSchema), options)[0].back(), -1);
  EXPECT_TRUE(mentions(refusal({path}, encoding_of(kSchema)), {path, "no column 'y' (the target)"}));
}

TEST(CheckDataset, CountsWhatTheRulesWillChange) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("t.csv", "a,c,b,y\n1,u,1,p\n11,zz,maybe,\n,?,,n\nx,v,no,n\ninf,u,t,n\nnan,u,t,n\n-5,q,t,n\n");
  const CheckReport report = check_dataset({path}, *encoding_of(kSchema), {});
  EXPECT_EQ(report.rows, 7u);
  ASSERT_EQ(report.columns.size(), 4u);
  const auto counts = [](const ColumnCheck& c) {
    return std::vector<std::size_t>{c.missing, c.unreadable, c.out_of_bounds, c.unknown_values};
  };
  EXPECT_EQ(report.columns[0].name, "a");
  EXPECT_EQ(counts(report.columns[0]), (std::vector<std::size_t>{2, 2, 2, 0}));
  EXPECT_EQ(counts(report.columns[1]), (std::vector<std::size_t>{1, 0, 0, 2}));
  EXPECT_EQ(counts(report.columns[2]), (std::vector<std::size_t>{1, 1, 0, 0}));
  EXPECT_EQ(report.columns[3].name, "y");
  EXPECT_EQ(counts(report.columns[3]), (std::vector<std::size_t>{1, 0, 0, 0}));
}

TEST(ReadColumns, GivesNamesAndTypesOnly) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", "n, t ,b,t,e\n1,x,true,1,\n-2.5e3,3,no,2,\nNA,?,,3,\n");
  const auto columns = read_columns({path}, {});
  ASSERT_EQ(columns.size(), 5u);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"n", "number"}, {"t", "text"}, {"b", "boolean"}, {"t", "number"}, {"e", "text"}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(columns[i].name, expected[i].first);
    EXPECT_EQ(columns[i].type, expected[i].second);
  }
}

}  // namespace
}  // namespace dperm::data
