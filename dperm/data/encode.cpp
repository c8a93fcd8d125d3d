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

// Spreads values over the tiles; `offset` is the column's place in a tile.
template <class Stored, class T>
void store(const std::vector<T>& values, const TileWriter& writer, std::size_t first_row, std::size_t offset) {
  std::size_t done = 0;
  while (done < values.size()) {
    const TileWriter::Piece piece = writer.piece(first_row + done);
    const std::size_t count = std::min(piece.count, values.size() - done);
    auto* column = reinterpret_cast<Stored*>(piece.tile + offset) + piece.row;
    for (std::size_t r = 0; r < count; ++r) column[r] = static_cast<Stored>(values[done + r]);
    done += count;
  }
}

void store_codes(const std::vector<std::uint32_t>& codes, const TileWriter& writer, std::size_t first_row,
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

ColumnSet::ColumnSet(const schema::Encoding& encoding)
    : encoding_(encoding), missing_(encoding.schema().format.missing) {
  std::size_t reals = 0;
  std::size_t categories = 0;
  for (const schema::Column& column : encoding.schema().columns) {
    const bool real = schema::enters_as_number(column);
    wanted_.push_back({column.name, !real || column.ordered, false});
    places_.push_back(real ? Place{Part::real, reals++} : Place{Part::category, categories++});
  }
  const schema::Target& target = encoding.schema().target;
  if (target.kind != schema::TargetKind::none) {
    wanted_.push_back({target.name, !encoding.target_is_number(), true});
    places_.push_back({Part::target, 0});
  }
}

void ColumnSet::encode(std::size_t index, const arrow::Array& cells, const TileWriter& writer,
                       std::size_t first_row) const {
  const Place place = places_[index];
  const auto rows = static_cast<std::size_t>(cells.length());
  if (!wanted_[index].as_text) {
    std::vector<double> numbers(rows);
    map_cells(cells, NumberCell{missing_}, numbers.data());
    std::vector<std::int32_t> encoded(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      encoded[r] = place.part == Part::real ? encoding_.encode_real(place.index, numbers[r])
                                            : encoding_.encode_target_number(numbers[r]);
    }
    if (place.part == Part::real) {
      return store<std::int16_t>(encoded, writer, first_row, writer.layout().real_offset(place.index));
    }
    return store<std::int32_t>(encoded, writer, first_row, writer.layout().target_offset());
  }
  if (place.part == Part::real) {
    std::vector<std::int16_t> places(rows);
    map_cells(cells,
              text_cell(missing_, [&](std::string_view text,
                                      bool missing) { return encoding_.encode_ordered(place.index, text, missing); }),
              places.data());
    return store<std::int16_t>(places, writer, first_row, writer.layout().real_offset(place.index));
  }
  if (place.part == Part::category) {
    std::vector<std::uint32_t> codes(rows);
    map_cells(cells,
              text_cell(missing_, [&](std::string_view text,
                                      bool missing) { return encoding_.encode_category(place.index, text, missing); }),
              codes.data());
    return store_codes(codes, writer, first_row, place.index);
  }
  std::vector<std::int32_t> labels(rows);
  map_cells(cells,
            text_cell(missing_,
                      [&](std::string_view text, bool missing) { return encoding_.encode_target_text(text, missing); }),
            labels.data());
  store<std::int32_t>(labels, writer, first_row, writer.layout().target_offset());
}

void ColumnSet::encode_absent(std::size_t index, std::size_t rows, const TileWriter& writer,
                              std::size_t first_row) const {
  arrow::NullArray nothing(static_cast<std::int64_t>(rows));
  encode(index, nothing, writer, first_row);
}

}  // namespace dperm::data
