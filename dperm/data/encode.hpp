// SPDX-License-Identifier: Apache-2.0
// Arrow columns to tile columns by the schema's rules, and the same look at a column that only counts what does not
// fit.
#pragma once

#include <arrow/array.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/data/reader.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/data/unit_rule.hpp"
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

// Which rows of a batch are stored, one entry a row, and how many those are; empty: all of them.
struct StoredRows {
  std::vector<bool> of_batch;
  std::size_t count = 0;
};

// All columns a schema needs: its features in order, the column that tells persons apart where it has one and it is
// asked for, then the target. Immutable; any thread may use it.
class ColumnSet {
 public:
  explicit ColumnSet(const schema::Encoding& encoding, bool by_unit = true);

  const std::vector<WantedColumn>& wanted() const { return wanted_; }
  // Encodes the stored rows of column `index` into the rows from `first_row` on; nothing for the one that tells persons
  // apart. Total: any array of a supported type.
  void encode(std::size_t index, const arrow::Array& cells, const StoredRows& stored, const TileWriter& writer,
              std::size_t first_row) const;
  // A target column that the file does not have: every cell missing.
  void encode_absent(std::size_t index, std::size_t rows, const StoredRows& stored, const TileWriter& writer,
                     std::size_t first_row) const;
  // The column that tells persons apart, if it is wanted.
  std::optional<std::size_t> unit_column() const { return unit_column_; }
  // Which rows count by the rule, which sees the batches in the order of the file.
  StoredRows stored_rows(const arrow::Array& identifiers, UnitRule& rule) const;
  // Counts cells to which a rule of the schema has to be applied.
  ColumnCheck check(std::size_t index, const arrow::Array& cells) const;
  // What strict reading does not accept in this column according to `counts`; empty when it accepts all.
  std::string strict_problem(std::size_t index, const ColumnCheck& counts) const;

 private:
  enum class Part { real, category, unit, target };
  struct Place {
    Part part;
    std::size_t index;  // among the reals or the categories of the encoding
  };

  const schema::Encoding& encoding_;
  MissingTexts missing_;
  std::vector<WantedColumn> wanted_;
  std::vector<Place> places_;
  std::optional<std::size_t> unit_column_;
};

}  // namespace dperm::data
