// SPDX-License-Identifier: Apache-2.0
// Arrow columns to tile columns by the schema's rules, and the same look at a column that only counts what does not
// fit.
#pragma once

#include <arrow/array.h>

#include <string>
#include <string_view>
#include <vector>

#include "dperm/data/reader.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::data {

// The texts that mean "missing", and the numbers among them.
class MissingTexts {
 public:
  explicit MissingTexts(std::vector<std::string> texts);
  bool contains(std::string_view trimmed_text) const;
  bool contains(double value) const;

 private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

// All columns a schema needs: its features in order, then the target. Immutable; any thread may use it.
class ColumnSet {
 public:
  explicit ColumnSet(const schema::Encoding& encoding);

  const std::vector<WantedColumn>& wanted() const { return wanted_; }
  // Encodes column `index` into the rows from `first_row` on. Total: any array of a supported type.
  void encode(std::size_t index, const arrow::Array& cells, const TileWriter& writer, std::size_t first_row) const;
  // A target column that the file does not have: every cell missing.
  void encode_absent(std::size_t index, std::size_t rows, const TileWriter& writer, std::size_t first_row) const;
  // Counts cells to which a rule of the schema has to be applied.
  ColumnCheck check(std::size_t index, const arrow::Array& cells) const;
  // What strict reading does not accept in this column according to `counts`; empty when it accepts all.
  std::string strict_problem(std::size_t index, const ColumnCheck& counts) const;

 private:
  enum class Part { real, category, target };
  struct Place {
    Part part;
    std::size_t index;  // among the reals or the categories of the encoding
  };

  const schema::Encoding& encoding_;
  MissingTexts missing_;
  std::vector<WantedColumn> wanted_;
  std::vector<Place> places_;
};

}  // namespace dperm::data
