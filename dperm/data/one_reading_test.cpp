// SPDX-License-Identifier: Apache-2.0
// What a cell becomes does not depend on the type that holds it: cell_readers.md.
#include <gtest/gtest.h>

#include "tests/support/arrow_tables.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

// What is no number reads as missing in a number column, whatever holds it: a typed date as its text does.
TEST(OneReading, DecimalsAreNumbersAndDatesAreNot) {
  const TemporaryFolder folder;
  arrow::Decimal128Builder decimals(arrow::decimal128(10, 2));
  must(decimals.Append(arrow::Decimal128(250)));
  arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MILLI), arrow::default_memory_pool());
  must(times.Append(7500));
  const auto days = array_of<arrow::Date32Builder, std::int32_t>({5});
  const auto table = table_of({"d", "t", "day"}, {must(decimals.Finish()), must(times.Finish()), days});
  write_parquet(*table, folder.path("t.parquet"), 10);
  write_ipc(*table, folder.path("t.feather"), false);
  const auto encoding = encoding_of("[[column]]\nnames=['d','t','day']\nkind='real'\nlower=0\nupper=10\n");
  const std::vector<Row> expected = {{-16384, 0, 0, 0}};  // 2.5, and twice the middle
  EXPECT_EQ(read_rows({folder.path("t.parquet")}, encoding), expected);
  EXPECT_EQ(read_rows({folder.path("t.feather")}, encoding), expected);
  EXPECT_EQ(read_rows({folder.write("t.csv", "d,t,day\n2.50,1970-01-01 00:00:07.5,1970-01-06\n")}, encoding), expected);
}

TEST(OneReading, ANumbersStyleIsThatOfTexts) {
  const TemporaryFolder folder;
  arrow::Decimal128Builder decimals(arrow::decimal128(10, 3));
  must(decimals.Append(arrow::Decimal128(2500)));
  const auto table = table_of({"a", "b"}, {must(decimals.Finish()), array_of<arrow::DoubleBuilder, double>({2.5})});
  write_parquet(*table, folder.path("t.parquet"), 10);
  const auto encoding =
      encoding_of("[[column]]\nnames=['a','b']\nkind='real'\nlower=0\nupper=10\ndecimal=','\nthousands='.'\n");
  EXPECT_EQ(read_rows({folder.path("t.parquet")}, encoding), (std::vector<Row>{{-16384, -16384, 0}}));
  EXPECT_EQ(read_rows({folder.write("t.csv", "a;b\n2,5;2,500\n")},
                      encoding_of("[format]\ndelimiter=';'\n[[column]]\nnames=['a','b']\nkind='real'\nlower=0\n"
                                  "upper=10\ndecimal=','\nthousands='.'\n")),
            (std::vector<Row>{{-16384, -16384, 0}}));
}

TEST(OneReading, TrueAndFalseAreOneAndZeroInANumberColumn) {
  const TemporaryFolder folder;
  const auto truths = array_of<arrow::BooleanBuilder, bool>({true, false, std::nullopt});
  write_parquet(*table_of({"a"}, {truths}), folder.path("t.parquet"), 10);
  const std::string column = "[[column]]\nname='a'\nkind='real'\nlower=0\nupper=1\n";
  const std::string csv = folder.write("t.csv", "a\nTRUE\nfalse\n\"\"\n");
  const std::vector<Row> expected = {{32767, 0}, {-32767, 0}, {0, 0}};
  EXPECT_EQ(read_rows({folder.path("t.parquet")}, encoding_of(column)), expected);
  EXPECT_EQ(read_rows({csv}, encoding_of(column)), expected);
  const auto missing = encoding_of("[format]\nmissing=['true']\n" + column);
  const std::string lower = folder.write("l.csv", "a\ntrue\nfalse\n\"\"\n");
  for (const std::string& path : {folder.path("t.parquet"), lower}) {
    EXPECT_EQ(read_rows({path}, missing), (std::vector<Row>{{0, 0}, {-32767, 0}, {0, 0}})) << path;
  }
}

// Dates in categories are compared as their ISO texts, and a date can be one of the texts for a missing cell.
TEST(OneReading, TypedDatesAreTheirTexts) {
  const TemporaryFolder folder;
  const auto days = array_of<arrow::Date32Builder, std::int32_t>({0, 19782, -25567});
  arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), arrow::default_memory_pool());
  for (const std::int64_t day : {0, 19782, -25567}) must(times.Append(day * 86'400'000'000'000));
  write_parquet(*table_of({"c", "d"}, {days, days}), folder.path("d.parquet"), 10);
  const auto midnight = must(times.Finish());
  write_ipc(*table_of({"c", "d"}, {midnight, midnight}), folder.path("t.arrow"), false);
  const std::string csv =
      folder.write("t.csv", "c,d\n1970-01-01,1970-01-01\n2024-02-29,2024-02-29T00:00Z\n1900-01-01,1900-01-01\n");
  const auto encoding = encoding_of(
      "[format]\nmissing=['1900-01-01']\n[[column]]\nname='c'\nkind='category'\nvalues=['2024-02-29']\n"
      "missing='category'\n[[column]]\nname='d'\nkind='date'\nlower=1970-01-01\nupper=2024-02-29\n");
  const std::vector<Row> expected = {{-32767, 2, 0}, {32767, 0, 0}, {0, 1, 0}};
  for (const std::string& path : {folder.path("d.parquet"), folder.path("t.arrow"), csv}) {
    EXPECT_EQ(read_rows({path}, encoding), expected) << path;
  }
}

}  // namespace
}  // namespace dperm::data
