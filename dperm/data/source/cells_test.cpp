// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/cells.hpp"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dperm::data {
namespace {

struct Told {
  using Result = std::string;
  Result missing() const { return "missing"; }
  Result number(double value) const { return fmt::format("number {}", value); }
  template <class Integer>
  Result whole(Integer value) const {
    return fmt::format("whole {}", value);
  }
  Result numeral(std::string_view digits) const { return "numeral " + std::string(digits); }
  Result truth(bool value) const { return value ? "truth" : "untruth"; }
  Result text(std::string_view text) const { return std::string(text); }
  Result moment(const std::optional<schema::Moment>& moment) const {
    return moment ? "moment " + schema::moment_text(*moment) : "no moment";
  }
};

std::vector<std::string> told(const arrow::Array& array) {
  std::vector<std::string> cells(static_cast<std::size_t>(array.length()));
  map_cells(array, Told{}, cells.data());
  return cells;
}

template <class Builder, class... Values>
std::shared_ptr<arrow::Array> built(Builder&& builder, Values... values) {
  EXPECT_TRUE((builder.Append(values).ok() && ...));
  return builder.Finish().ValueOrDie();
}

// One row of each child, in order.
std::shared_ptr<arrow::Array> must_union(const arrow::ArrayVector& children, const std::vector<std::string>& names) {
  arrow::Int8Builder codes;
  arrow::Int32Builder offsets;
  for (std::size_t i = 0; i < children.size(); ++i) {
    EXPECT_TRUE(codes.Append(static_cast<std::int8_t>(i)).ok() && offsets.Append(0).ok());
  }
  return arrow::DenseUnionArray::Make(*codes.Finish().ValueOrDie(), *offsets.Finish().ValueOrDie(), children, names)
      .ValueOrDie();
}

TEST(Cells, ACellOfAUnionIsReadAsInAColumnOfItsType) {
  const auto pool = arrow::default_memory_pool();
  const arrow::ArrayVector children = {
      std::make_shared<arrow::NullArray>(1),
      built(arrow::BooleanBuilder(), true),
      built(arrow::Int64Builder(), std::int64_t{9007199254740993}),
      built(arrow::DoubleBuilder(), 1.5),
      built(arrow::LargeBinaryBuilder(), "tex\xff"),
      built(arrow::StringBuilder(), "123456789012345678901234567890"),
      built(arrow::Date32Builder(), 19782),
      built(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO), pool), std::int64_t{1709214310500000}),
  };
  const std::vector<std::string> names = {"null", "truth", "whole", "number", "text", "numeral", "date", "time"};
  const auto type = must_union(children, names);
  std::vector<std::string> expected;
  for (const auto& child : children) expected.push_back(told(*child).front());
  EXPECT_EQ(expected[5], "123456789012345678901234567890") << "a text elsewhere";
  expected[5] = "numeral " + expected[5];
  EXPECT_EQ(told(*type), expected);
  EXPECT_EQ(expected[7], "moment 2024-02-29 13:45:10.5");
  EXPECT_EQ(told(*type->Slice(5, 2)), (std::vector<std::string>{expected[5], expected[6]}));
}

// Every type that can hold a value hands over the same one.
TEST(Cells, TimesOfEveryUnitAreTheSameMoment) {
  const auto pool = arrow::default_memory_pool();
  std::int64_t scale = 1;
  for (const auto unit :
       {arrow::TimeUnit::SECOND, arrow::TimeUnit::MILLI, arrow::TimeUnit::MICRO, arrow::TimeUnit::NANO}) {
    for (const char* zone : {"", "Europe/Berlin"}) {
      const auto array =
          built(arrow::TimestampBuilder(arrow::timestamp(unit, zone), pool), std::int64_t{1709214310} * scale);
      EXPECT_EQ(told(*array).front(), "moment 2024-02-29 13:45:10");
    }
    scale *= 1000;
  }
  EXPECT_EQ(told(*built(arrow::Date32Builder(), 19782)), told(*built(arrow::Date64Builder(), 19782 * 86400000ll)));
  EXPECT_EQ(told(*built(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::SECOND), pool),
                        std::numeric_limits<std::int64_t>::max())),
            std::vector<std::string>{"no moment"});
}

TEST(Cells, ACodeBeyondItsDictionaryIsAMissingCell) {
  arrow::StringBuilder words;
  ASSERT_TRUE(words.AppendValues({"a", "b"}).ok());
  arrow::Int32Builder codes;
  ASSERT_TRUE(codes.AppendValues({1, 2, -1, 0, 2147483647}).ok());
  ASSERT_TRUE(codes.AppendNull().ok());
  const arrow::DictionaryArray array(arrow::dictionary(arrow::int32(), arrow::utf8()), codes.Finish().ValueOrDie(),
                                     words.Finish().ValueOrDie());
  EXPECT_EQ(told(array), (std::vector<std::string>{"b", "missing", "missing", "a", "missing", "missing"}));
}

}  // namespace
}  // namespace dperm::data
