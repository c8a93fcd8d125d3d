// SPDX-License-Identifier: Apache-2.0
// Rows that count where a person is protected: read from files of every kind, and unmoved by what others hold.
#include "dperm/data/unit_rule.hpp"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dperm/data/stream.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

constexpr const char* kSchema =
    "[unit]\ncolumn = 'person'\nrows = 2\n"
    "[[column]]\nname = 'x'\nkind = 'real'\nlower = 0\nupper = 10\n"
    "[target]\ncolumn = 'y'\nkind = 'binary'\npositive = '1'\n";

const FilledRows& filled_of(const EncodedRows& rows) { return *SensitiveTestAccess::open(rows.filled); }

std::vector<bool> mask_of(const EncodedRows& rows) {
  std::vector<bool> mask;
  for (std::size_t row = 0; row < rows.rows; ++row) mask.push_back(filled_of(rows).is_filled(row));
  return mask;
}

using Table = std::vector<std::pair<std::string, int>>;  // identifier, x

EncodedRows read(const TemporaryFolder& folder, const Table& table, const ReadOptions& options = {}) {
  std::string text = "person,x,y\n";
  for (const auto& [person, x] : table) text += person + "," + std::to_string(x) + ",1\n";
  return read_tiles({folder.write("table.csv", text)}, encoding_of(kSchema), options);
}

TEST(UnitRule, CountsTheFirstRowsOfEveryPersonAndNoneOfNobody) {
  const TemporaryFolder folder;
  const EncodedRows rows =
      read(folder, {{"a", 0}, {"b", 1}, {"a", 2}, {"?", 3}, {" a ", 4}, {"c", 5}, {"a", 6}, {"b", 7}});
  EXPECT_EQ(rows.rows, 8u) << "blank rows stay in the public number of rows";
  EXPECT_EQ(mask_of(rows), (std::vector<bool>{true, true, true, false, false, true, false, true}));
  EXPECT_EQ(rows_of(tiles_of(rows)).size(), 5u);
  EXPECT_EQ(filled_of(rows).filled(), 5u);
}

TEST(UnitRule, IdentifiersAreTexts) {
  UnitRule rule(1);
  EXPECT_TRUE(rule.counts(rule.person("1")));
  EXPECT_TRUE(rule.counts(rule.person("01")));
  EXPECT_FALSE(rule.counts(rule.person("1")));
  EXPECT_FALSE(rule.counts(UnitRule::kNobody));
  rule.person("never in a row");
  EXPECT_EQ(rule.persons(), 2u);
  EXPECT_EQ(rule.surplus(), 1u);
  EXPECT_EQ(rule.without_identifier(), 1u);
  EXPECT_EQ(rule.most_of_one(), 2u);
}

// A column that holds each text once and rows that point to it: asked once a text, counted once a row.
TEST(UnitRule, CountsRowsOfADictionary) {
  const auto texts = [](std::vector<std::string> values) {
    arrow::StringBuilder builder;
    EXPECT_TRUE(builder.AppendValues(values).ok());
    return builder.Finish().ValueOrDie();
  };
  arrow::Int32Builder indices;
  EXPECT_TRUE(indices.AppendValues({0, 1, 0, 0, 1, 1}).ok());
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  const auto person =
      arrow::DictionaryArray::FromArrays(type, indices.Finish().ValueOrDie(), texts({"a", "b", "c"})).ValueOrDie();
  arrow::DoubleBuilder x;
  EXPECT_TRUE(x.AppendValues({0, 1, 2, 3, 4, 5}).ok());
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("person", type), arrow::field("x", arrow::float64()),
                                              arrow::field("y", arrow::utf8())}),
                               6, {person, x.Finish().ValueOrDie(), texts({"1", "1", "1", "1", "1", "1"})});
  const EncodedRows rows = read_batch_tiles({batch}, encoding_of(kSchema), {});
  EXPECT_EQ(mask_of(rows), (std::vector<bool>{true, true, true, false, true, false}));
}

TEST(UnitRule, ReplacingOnePersonsRowsLeavesEverybodyElsesAlone) {
  const TemporaryFolder folder;
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    Table before;
    for (int i = 0; i < 40; ++i)
      before.push_back({std::string(1, static_cast<char>('a' + random() % 9)), static_cast<int>(random() % 10)});
    // Rows of `a` become rows of `a`, of somebody new, or of nobody.
    Table after = before;
    const std::string names[] = {"a", "z", ""};
    const std::string other = names[random() % 2];
    for (auto& [person, x] : after) {
      if (person == "a") person = random() % 3 == 0 ? "" : other, x = static_cast<int>(random() % 10);
    }
    const EncodedRows first = read(folder, before), second = read(folder, after);
    ASSERT_EQ(first.rows, second.rows);
    const std::vector<bool> one = mask_of(first), two = mask_of(second);
    std::size_t own_first = 0, own_second = 0;
    for (std::size_t row = 0; row < before.size(); ++row) {
      if (before[row].first == "a") {
        own_first += one[row];
        own_second += two[row];
      } else {
        EXPECT_EQ(one[row], two[row]) << "row " << row;
      }
    }
    EXPECT_LE(own_first, 2u);
    EXPECT_LE(own_second, 2u);
  }
}

// A table in the order of a column: one person's other values move everybody's rows, and the same records count.
TEST(UnitRule, RowsThatMoveBetweenThoseOfOthersStayFilled) {
  const TemporaryFolder folder;
  std::mt19937_64 random(2);
  const auto filled = [&](Table table, auto key) {
    std::ranges::stable_sort(table, {}, key);
    const std::vector<bool> mask = mask_of(read(folder, table));
    Table counted;
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (mask[row] && table[row].first != "a") counted.push_back(table[row]);
    }
    std::ranges::sort(counted);
    return counted;
  };
  for (int trial = 0; trial < 50; ++trial) {
    Table before;
    for (int i = 0; i < 40; ++i)
      before.push_back({std::string(1, static_cast<char>('a' + random() % 9)), static_cast<int>(random() % 10)});
    Table after = before;
    for (auto& [person, x] : after) {
      if (person == "a") x = static_cast<int>(random() % 10);
    }
    const auto by_value = [](const auto& row) { return row.second; };
    const auto in_parts = [](const auto& row) { return row.second * 7 % 4; };
    EXPECT_EQ(filled(before, by_value), filled(after, by_value));
    EXPECT_EQ(filled(before, in_parts), filled(after, in_parts));
  }
}

TEST(UnitRule, ATableOfBlankRowsIsATable) {
  const TemporaryFolder folder;
  const EncodedRows rows = read(folder, {{"", 1}, {"", 2}});
  EXPECT_EQ(rows.rows, 2u);
  EXPECT_EQ(filled_of(rows).filled(), 0u);
  EXPECT_EQ(tiles_of(rows).rows(), 0u);
}

TEST(UnitRule, RowsToPredictForAllCountAndNeedNoIdentifier) {
  const TemporaryFolder folder;
  ReadOptions options;
  options.by_unit = false;
  const std::string path = folder.write("rows.csv", "x,y\n1,1\n2,1\n3,0\n");
  const EncodedRows rows = read_tiles({path}, encoding_of(kSchema), options);
  EXPECT_EQ(tiles_of(rows).rows(), 3u);
  EXPECT_EQ(SensitiveTestAccess::open(rows.filled), nullptr);
  EXPECT_TRUE(mentions(refusal({path}, encoding_of(kSchema)), {"there is no column 'person'"}));
}

TEST(UnitRule, TileFilesAreRefused) {
  const TemporaryFolder folder;
  ReadOptions options;
  options.tiles_path = folder.path("tiles");
  const std::string path = folder.write("rows.csv", "person,x,y\na,1,1\n");
  EXPECT_TRUE(mentions(refusal({path}, encoding_of(kSchema), options), {"tiles_path", "[unit]"}));
}

TEST(UnitRule, TheOwnerIsToldHowManyRowsAreBlank) {
  const TemporaryFolder folder;
  const std::string path = folder.write("rows.csv", "person,x,y\na,1,1\na,1,1\na,1,1\nb,1,1\nNA,1,1\n");
  const CheckReport report = check_dataset({path}, *encoding_of(kSchema), {});
  ASSERT_TRUE(report.unit);
  EXPECT_EQ(report.rows, 5u);
  EXPECT_EQ(report.unit->persons, 2u);
  EXPECT_EQ(report.unit->surplus, 1u);
  EXPECT_EQ(report.unit->without_identifier, 1u);
  EXPECT_EQ(report.unit->most_rows, 3u);
}

TEST(FilledRows, PlacesAcrossWords) {
  std::mt19937_64 random(2);
  FilledRows rows;
  std::vector<bool> mask;
  for (int i = 0; i < 300; ++i) {
    mask.push_back(random() % 3 == 0);
    rows.append(mask.back());
  }
  std::vector<std::size_t> asked, places;
  std::size_t before = 0;
  for (std::size_t row = 0; row < mask.size(); ++row) {
    EXPECT_EQ(rows.filled_before(row), before);
    if (row % 5 == 0) asked.push_back(row);
    if (row % 5 == 0 && mask[row]) places.push_back(before);
    before += mask[row];
  }
  EXPECT_EQ(rows.filled_before(300), before);
  EXPECT_EQ(rows.stored(asked), places);
  const FilledRows some = rows.selected(asked);
  EXPECT_EQ(some.rows(), asked.size());
  EXPECT_EQ(some.filled(), places.size());
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(some.is_filled(i), mask[asked[i]]);
}

}  // namespace
}  // namespace dperm::data
