// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/encode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "dperm/data/source/cells.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::data {

MissingTexts::MissingTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) {
    if (const double number = schema::parse_number(text); !std::isnan(number)) numbers_.push_back(number);
  }
}

bool MissingTexts::contains(std::string_view trimmed_text) const {
  return std::find(texts_.begin(), texts_.end(), trimmed_text) != texts_.end();
}

bool MissingTexts::contains(double value) const {
  return std::find(numbers_.begin(), numbers_.end(), value) != numbers_.end();
}

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A cell as a number; NaN when missing or unreadable.
struct NumberCell {
  using Result = double;
  const MissingTexts& missing_texts;

  double missing() const { return kNan; }
  double number(double value) const { return missing_texts.contains(value) ? kNan : value; }
  template <class Integer>
  double whole(Integer value) const {
    return number(static_cast<double>(value));
  }
  double truth(bool value) const { return number(value ? 1 : 0); }
  double text(std::string_view value) const { return number(schema::parse_number(value)); }
};

// A cell as a text, handed to Look(text, missing).
template <class Look>
struct TextCell {
  using Result = std::invoke_result_t<Look, std::string_view, bool>;
  const MissingTexts& missing_texts;
  Look look;

  Result missing() const { return look(std::string_view(), true); }
  Result text(std::string_view value) const {
    value = schema::trimmed(value);
    return look(value, missing_texts.contains(value));
  }
  Result number(double value) const { return std::isnan(value) ? missing() : text(schema::number_text(value)); }
  template <class Integer>
  Result whole(Integer value) const {
    const fmt::format_int digits(value);
    return text(std::string_view(digits.data(), digits.size()));
  }
  Result truth(bool value) const { return text(value ? "true" : "false"); }
};

template <class Look>
TextCell<Look> text_cell(const MissingTexts& missing_texts, Look look) {
  return {missing_texts, std::move(look)};
}

// Only the values of rows that are stored.
template <class T>
void keep_stored(std::vector<T>& values, const StoredRows& stored) {
  if (stored.of_batch.empty()) return;
  std::size_t kept = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (stored.of_batch[r]) values[kept++] = values[r];
  }
  values.resize(kept);
}

// Where a column's values go.
struct Destination {
  const StoredRows& stored;
  const TileWriter& writer;
  std::size_t first_row;
};

// Spreads values over the tiles; `offset` is the column's place in a tile.
template <class Stored, class T>
void store(std::vector<T> values, const Destination& place, std::size_t offset) {
  const auto& [stored, writer, first_row] = place;
  keep_stored(values, stored);
  std::size_t done = 0;
  while (done < values.size()) {
    const TileWriter::Piece piece = writer.piece(first_row + done);
    const std::size_t count = std::min(piece.count, values.size() - done);
    auto* column = reinterpret_cast<Stored*>(piece.tile + offset) + piece.row;
    for (std::size_t r = 0; r < count; ++r) column[r] = static_cast<Stored>(values[done + r]);
    done += count;
  }
}

void store_codes(std::vector<std::uint32_t> codes, const Destination& place, std::size_t category) {
  const TileLayout& layout = place.writer.layout();
  const std::size_t offset = layout.category_offset(category);
  switch (layout.category_width(category)) {
    case 1:
      return store<std::uint8_t>(std::move(codes), place, offset);
    case 2:
      return store<std::uint16_t>(std::move(codes), place, offset);
    default:
      return store<std::uint32_t>(std::move(codes), place, offset);
  }
}

}  // namespace

ColumnSet::ColumnSet(const schema::Encoding& encoding, bool by_unit)
    : encoding_(encoding), missing_(encoding.schema().format.missing) {
  std::size_t reals = 0;
  std::size_t categories = 0;
  for (const schema::Column& column : encoding.schema().columns) {
    const bool real = schema::enters_as_number(column);
    wanted_.push_back({column.name, !real || column.ordered, false});
    places_.push_back(real ? Place{Part::real, reals++} : Place{Part::category, categories++});
  }
  if (encoding.schema().unit && by_unit) {
    unit_column_ = wanted_.size();
    wanted_.push_back({encoding.schema().unit->column, true, false});
    places_.push_back({Part::unit, 0});
  }
  const schema::Target& target = encoding.schema().target;
  if (target.kind != schema::TargetKind::none) {
    wanted_.push_back({target.name, !encoding.target_is_number(), true});
    places_.push_back({Part::target, 0});
  }
}

void ColumnSet::encode(std::size_t index, const arrow::Array& cells, const StoredRows& stored, const TileWriter& writer,
                       std::size_t first_row) const {
  const auto [part, number] = places_[index];
  if (part == Part::unit) return;
  const Destination place{stored, writer, first_row};
  const TileLayout& layout = writer.layout();
  const auto rows = static_cast<std::size_t>(cells.length());
  if (!wanted_[index].as_text) {
    std::vector<double> numbers(rows);
    map_cells(cells, NumberCell{missing_}, numbers.data());
    std::vector<std::int32_t> encoded(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      encoded[r] =
          part == Part::real ? encoding_.encode_real(number, numbers[r]) : encoding_.encode_target_number(numbers[r]);
    }
    if (part == Part::real) return store<std::int16_t>(std::move(encoded), place, layout.real_offset(number));
    return store<std::int32_t>(std::move(encoded), place, layout.target_offset());
  }
  if (part == Part::real) {
    std::vector<std::int16_t> places(rows);
    map_cells(cells,
              text_cell(missing_, [&](std::string_view text,
                                      bool missing) { return encoding_.encode_ordered(number, text, missing); }),
              places.data());
    return store<std::int16_t>(std::move(places), place, layout.real_offset(number));
  }
  if (part == Part::category) {
    std::vector<std::uint32_t> codes(rows);
    map_cells(cells,
              text_cell(missing_, [&](std::string_view text,
                                      bool missing) { return encoding_.encode_category(number, text, missing); }),
              codes.data());
    return store_codes(std::move(codes), place, number);
  }
  std::vector<std::int32_t> labels(rows);
  map_cells(cells,
            text_cell(missing_,
                      [&](std::string_view text, bool missing) { return encoding_.encode_target_text(text, missing); }),
            labels.data());
  store<std::int32_t>(std::move(labels), place, layout.target_offset());
}

void ColumnSet::encode_absent(std::size_t index, std::size_t rows, const StoredRows& stored, const TileWriter& writer,
                              std::size_t first_row) const {
  arrow::NullArray nothing(static_cast<std::int64_t>(rows));
  encode(index, nothing, stored, writer, first_row);
}

StoredRows ColumnSet::stored_rows(const arrow::Array& identifiers, UnitRule& rule) const {
  const auto rows = static_cast<std::size_t>(identifiers.length());
  // Told apart first: a column may hold each text once, whatever the number of its rows.
  std::vector<UnitRule::Person> persons(rows);
  map_cells(identifiers,
            text_cell(missing_, [&](std::string_view text,
                                    bool missing) { return missing ? UnitRule::kNobody : rule.person(text); }),
            persons.data());
  StoredRows stored;
  for (const UnitRule::Person person : persons) {
    stored.of_batch.push_back(rule.counts(person));
    if (stored.of_batch.back()) ++stored.count;
  }
  return stored;
}

}  // namespace dperm::data
