// SPDX-License-Identifier: Apache-2.0
// Arrow columns to tile columns by the schema's rules, and the same look at a column that only counts what does not
// fit.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dperm/data/reader.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/data/unit_rule.hpp"
#include "dperm/schema/dates.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::data {

// The texts that mean "missing", and the numbers and dates among them.
class MissingTexts {
 public:
  explicit MissingTexts(std::vector<std::string> texts);
  bool contains(std::string_view trimmed_text) const;
  bool contains(double value) const;
  bool contains(const schema::Moment& moment) const;

 private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
  bool dates_ = false;  // is any of them a date?
};

// How a cell fits its column.
enum class Fit : unsigned char { fits, missing, unreadable, out_of_bounds, unknown };

// What a date column, a part of a date or the days between two dates are in a row: a number of days or a place in the
// list of the part's values; NaN unless it fits.
struct DateRow {
  Fit fit;
  double value;
};

// Which rows of a batch are stored, one entry a row, and how many those are; empty: all of them.
struct StoredRows {
  std::vector<bool> of_batch;
  std::size_t count = 0;
  std::vector<std::size_t> persons = {};  // whose rows the batch has, where persons are told apart
};

// All columns a schema needs: its features in order, then the target. A column may be read from another one of the
// file, and one of the file may serve several; where persons are told apart, the column that does so is read too.
// Immutable; any thread may use it.
class ColumnSet {
 public:
  explicit ColumnSet(const schema::Encoding& encoding, bool by_unit = true);

  // The columns of the file, each once, the target last: batches have them in this order.
  const std::vector<WantedColumn>& wanted() const { return wanted_; }

  std::size_t size() const { return places_.size(); }
  const std::string& name(std::size_t index) const { return places_[index].name; }
  bool is_target(std::size_t index) const { return places_[index].part == Part::target; }

  // The encoded cells of column `index`: q, codes or targets. Total: any arrays of supported types. The cells of a
  // target that the file does not have are all missing.
  std::vector<std::int32_t> codes(std::size_t index, const arrow::RecordBatch& batch) const;
  // Those of the stored rows into the rows from `first_row` on.
  void encode(std::size_t index, const arrow::RecordBatch& batch, const StoredRows& stored, const TileWriter& writer,
              std::size_t first_row) const;
  // Which rows count by the rule, which sees the batches in the order of the file. For a set that tells persons apart.
  StoredRows stored_rows(const arrow::RecordBatch& batch, UnitRule& rule) const;
  // Counts cells to which a rule of the schema has to be applied.
  ColumnCheck check(std::size_t index, const arrow::RecordBatch& batch) const;
  // What strict reading does not accept in this column according to `counts`; empty when it accepts all.
  std::string strict_problem(std::size_t index, const ColumnCheck& counts) const;

 private:
  enum class Part { real, category, target };
  struct Place {
    Part part;
    std::size_t index;  // among the reals or the categories of the encoding
    std::string name;
    std::vector<std::size_t> cells;  // which of wanted(): one, or the two dates of days
  };

  std::size_t want(const std::string& name, bool as_text, bool is_target);
  const schema::Column& column_of(const Place& place) const;
  std::shared_ptr<arrow::Array> cells_of(const Place& place, const arrow::RecordBatch& batch, std::size_t which) const;
  std::vector<std::int32_t> number_codes(const Place& place, const arrow::RecordBatch& batch) const;
  std::vector<std::int32_t> text_codes(const Place& place, const arrow::RecordBatch& batch) const;
  std::vector<std::int32_t> date_codes(const Place& place, const arrow::RecordBatch& batch) const;
  std::vector<DateRow> date_rows(const Place& place, const arrow::RecordBatch& batch) const;
  ColumnCheck date_check(const Place& place, const arrow::RecordBatch& batch) const;

  const schema::Encoding& encoding_;
  MissingTexts missing_;
  std::vector<WantedColumn> wanted_;
  std::unordered_map<std::string, std::size_t> wanted_places_;
  std::vector<Place> places_;
  std::optional<std::size_t> unit_column_;  // among wanted()
};

}  // namespace dperm::data
