// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/cells.hpp"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dperm::data {
namespace {

struct Told {
  using Result = std::string;
  Result missing() const { return "missing"; }
  Result number(double) const { return "number"; }
  template <class Integer>
  Result whole(Integer) const {
    return "whole";
  }
  Result truth(bool) const { return "truth"; }
  Result text(std::string_view text) const { return std::string(text); }
};

TEST(Cells, ACodeBeyondItsDictionaryIsAMissingCell) {
  arrow::StringBuilder words;
  ASSERT_TRUE(words.AppendValues({"a", "b"}).ok());
  arrow::Int32Builder codes;
  ASSERT_TRUE(codes.AppendValues({1, 2, -1, 0, 2147483647}).ok());
  ASSERT_TRUE(codes.AppendNull().ok());
  const arrow::DictionaryArray array(arrow::dictionary(arrow::int32(), arrow::utf8()), codes.Finish().ValueOrDie(),
                                     words.Finish().ValueOrDie());
  std::vector<std::string> cells(6);
  map_cells(array, Told{}, cells.data());
  EXPECT_EQ(cells, (std::vector<std::string>{"b", "missing", "missing", "a", "missing", "missing"}));
}

}  // namespace
}  // namespace dperm::data
