// SPDX-License-Identifier: Apache-2.0
// Counts over the cells of raw columns, for facts about a table that its schema does not have yet. Everything here is
// computed from records and stays Sensitive.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::data {

struct RawTable {
  std::vector<std::string> patterns;  // paths or globs
  schema::TextFormat format;
  int threads = 0;
  std::string kind = {};                  // of the files, where their names do not say it
  std::optional<schema::Unit> unit = {};  // rows that are blank by its rule add nothing
};

template <class T>
struct Counted {
  std::size_t rows;  // public
  Sensitive<T> counts;
};

struct RawColumnName {
  std::string name;
  schema::NumberStyle style = {};  // how its numbers are written
};

// Four numbers per column: cells that read as a whole number, as another number, cells that hold another text, and
// codes with leading zeros, which only look like numbers. A record adds at most 1 to one of them. Note:
// column_counts.md.
inline constexpr std::size_t kKinds = 4;
Counted<std::vector<std::int64_t>> kind_counts(const RawTable& table, const std::vector<RawColumnName>& columns);

// A histogram of one column: a cell that reads as a finite number adds 1 to bin place(number), below `bins`; others add
// nothing.
struct ColumnBins {
  RawColumnName column;
  std::size_t bins = 0;
  std::function<std::size_t(double)> place;
};
// One after the other, in the order given.
Counted<std::vector<std::int64_t>> histograms(const RawTable& table, const std::vector<ColumnBins>& columns);

// Longer texts are no categories.
inline constexpr std::size_t kLongestValue = 200;

// Per column every value with the number of its cells. A value is a trimmed text that is not missing, valid UTF-8, at
// most kLongestValue bytes long and without control characters; other cells add nothing.
using ValueCounts = std::vector<std::vector<std::pair<std::string, std::int64_t>>>;
Counted<ValueCounts> value_counts(const RawTable& table, const std::vector<std::string>& columns);

}  // namespace dperm::data
