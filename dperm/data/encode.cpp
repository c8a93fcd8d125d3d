// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/encode.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/data/cell_readers.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::data {

MissingTexts::MissingTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) {
    if (const double number = schema::parse_number(text); !std::isnan(number)) numbers_.push_back(number);
    dates_ = dates_ || schema::parse_iso_date(text);
  }
}

bool MissingTexts::contains(std::string_view trimmed_text) const {
  return std::find(texts_.begin(), texts_.end(), trimmed_text) != texts_.end();
}

bool MissingTexts::contains(double value) const {
  return std::find(numbers_.begin(), numbers_.end(), value) != numbers_.end();
}

// As the moment is written, so that a typed date is missing where its text would be.
bool MissingTexts::contains(const schema::Moment& moment) const {
  return dates_ && contains(schema::moment_text(moment));
}

namespace {

// Only the values of rows that are stored.
void keep_stored(std::vector<std::int32_t>& values, const StoredRows& stored) {
  if (stored.of_batch.empty()) return;
  std::size_t kept = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (stored.of_batch[r]) values[kept++] = values[r];
  }
  values.resize(kept);
}

// Spreads values over the tiles; `offset` is the column's place in a tile.
template <class Stored>
void store(const std::vector<std::int32_t>& values, const TileWriter& writer, std::size_t first_row,
           std::size_t offset) {
  std::size_t done = 0;
  while (done < values.size()) {
    const TileWriter::Piece piece = writer.piece(first_row + done);
    const std::size_t count = std::min(piece.count, values.size() - done);
    auto* column = reinterpret_cast<Stored*>(piece.tile + offset) + piece.row;
    for (std::size_t r = 0; r < count; ++r) column[r] = static_cast<Stored>(values[done + r]);
    done += count;
  }
}

void store_codes(const std::vector<std::int32_t>& codes, const TileWriter& writer, std::size_t first_row,
                 std::size_t category) {
  const std::size_t offset = writer.layout().category_offset(category);
  switch (writer.layout().category_width(category)) {
    case 1:
      return store<std::uint8_t>(codes, writer, first_row, offset);
    case 2:
      return store<std::uint16_t>(codes, writer, first_row, offset);
    default:
      return store<std::uint32_t>(codes, writer, first_row, offset);
  }
}

}  // namespace

ColumnSet::ColumnSet(const schema::Encoding& encoding, bool by_unit)
    : encoding_(encoding), missing_(encoding.schema().format.missing) {
  std::size_t reals = 0;
  std::size_t categories = 0;
  for (const schema::Column& column : encoding.schema().columns) {
    const bool real = schema::enters_as_number(column);
    Place place{real ? Part::real : Part::category, real ? reals++ : categories++, column.name, {}};
    const bool plain_number = column.kind == schema::ColumnKind::real || column.kind == schema::ColumnKind::integer;
    for (const std::string& source : sources_of(column)) place.cells.push_back(want(source, !plain_number, false));
    places_.push_back(std::move(place));
  }
  if (encoding.schema().unit && by_unit) {
    unit_column_ = want(encoding.schema().unit->column, true, false);
  }
  const schema::Target& target = encoding.schema().target;
  if (target.kind != schema::TargetKind::none) {
    places_.push_back({Part::target, 0, target.name, {want(target.name, !encoding.target_is_number(), true)}});
  }
}

std::size_t ColumnSet::want(const std::string& name, bool as_text, bool is_target) {
  const auto [place, is_new] = wanted_places_.emplace(name, wanted_.size());
  if (is_new) wanted_.push_back({name, as_text, is_target});
  return place->second;
}

const schema::Column& ColumnSet::column_of(const Place& place) const {
  return encoding_.schema().columns[place.part == Part::real ? encoding_.reals()[place.index].column
                                                             : encoding_.categories()[place.index].column];
}

std::shared_ptr<arrow::Array> ColumnSet::cells_of(const Place& place, const arrow::RecordBatch& batch,
                                                  std::size_t which) const {
  const auto column = static_cast<int>(place.cells[which]);
  if (column < batch.num_columns()) return batch.column(column);
  return std::make_shared<arrow::NullArray>(batch.num_rows());
}

void ColumnSet::encode(std::size_t index, const arrow::RecordBatch& batch, const StoredRows& stored,
                       const TileWriter& writer, std::size_t first_row) const {
  const Place& place = places_[index];
  std::vector<std::int32_t> values = codes(index, batch);
  keep_stored(values, stored);
  switch (place.part) {
    case Part::real:
      return store<std::int16_t>(values, writer, first_row, writer.layout().real_offset(place.index));
    case Part::category:
      return store_codes(values, writer, first_row, place.index);
    case Part::target:
      return store<std::int32_t>(values, writer, first_row, writer.layout().target_offset());
  }
}

StoredRows ColumnSet::stored_rows(const arrow::RecordBatch& batch, UnitRule& rule) const {
  const arrow::Array& identifiers = *batch.column(static_cast<int>(unit_column_.value()));
  require_identifier_type(*identifiers.type());
  // Told apart first: a column may hold each text once, whatever the number of its rows.
  std::vector<UnitRule::Person> persons(static_cast<std::size_t>(identifiers.length()));
  const auto person = [&](std::string_view text, bool missing) {
    return missing ? UnitRule::kNobody : rule.person(text);
  };
  map_cells(identifiers, text_cell(missing_, schema::Compare::text, person), persons.data());
  StoredRows stored;
  for (const UnitRule::Person each : persons) {
    stored.of_batch.push_back(rule.counts(each));
    if (stored.of_batch.back()) ++stored.count;
  }
  stored.persons = std::move(persons);
  return stored;
}

}  // namespace dperm::data
