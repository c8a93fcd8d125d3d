// SPDX-License-Identifier: Apache-2.0
// Function objects for map_cells: a cell as a number, as a text or as a date. Internal to the room.
//
// Together with map_cells they are the one function of (declared kind, cell) by which every cell is read. A value and
// the text of that value read alike wherever a text can say the value, so that a text file, a typed column and a column
// of Python objects agree: true is "true" and 1, a whole number its digits, a date its ISO text.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/source/cells.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::data {

// Where cells compare as numbers, a missing text that is a number matches as one.
inline bool is_missing_value(const MissingTexts& missing, schema::Compare compare, std::string_view trimmed_text) {
  if (missing.contains(trimmed_text)) return true;
  return compare == schema::Compare::number && missing.contains(schema::parse_value(trimmed_text));
}

// [proof data_cells.readers]
// A cell as a number; NaN when missing or unreadable, as dates are: days, seconds or nanoseconds would depend on the
// type that holds them.
struct NumberCell {
  using Result = double;
  const MissingTexts& missing_texts;
  const schema::NumberStyle& style;

  double missing() const { return std::numeric_limits<double>::quiet_NaN(); }
  double number(double value) const { return missing_texts.contains(value) ? missing() : value; }
  template <class Integer>
  double whole(Integer value) const {
    return number(static_cast<double>(value));
  }
  double numeral(std::string_view digits) const { return number(schema::parse_number(digits)); }
  double truth(bool value) const {
    return missing_texts.contains(value ? "true" : "false") ? missing() : number(value ? 1 : 0);
  }
  double text(std::string_view value) const {
    const double plain = schema::parse_number(value, style);
    if (!std::isnan(plain)) return number(plain);
    const double word = schema::parse_value(value, style);
    return std::isnan(word) || missing_texts.contains(schema::trimmed(value)) ? missing() : number(word);
  }
  double moment(const std::optional<schema::Moment>&) const { return missing(); }
};

// A cell as a text, handed to Look(text, missing).
template <class Look>
struct TextCell {
  using Result = std::invoke_result_t<Look, std::string_view, bool>;
  const MissingTexts& missing_texts;
  schema::Compare compare;
  Look look;

  Result missing() const { return look(std::string_view(), true); }
  Result text(std::string_view value) const {
    value = schema::trimmed(value);
    return look(value, is_missing_value(missing_texts, compare, value));
  }
  Result number(double value) const { return std::isnan(value) ? missing() : text(schema::number_text(value)); }
  template <class Integer>
  Result whole(Integer value) const {
    const fmt::format_int digits(value);
    return text(std::string_view(digits.data(), digits.size()));
  }
  Result numeral(std::string_view digits) const { return text(schema::numeral_text(digits)); }
  Result truth(bool value) const { return text(value ? "true" : "false"); }
  Result moment(const std::optional<schema::Moment>& moment) const {
    return text(moment ? schema::moment_text(*moment) : schema::kNoSuchMoment);
  }
};

template <class Look>
TextCell<Look> text_cell(const MissingTexts& missing_texts, schema::Compare compare, Look look) {
  return {missing_texts, compare, std::move(look)};
}

// Floating point has one number for several large identifiers, so that two people would become one; and it is what
// tools make of a column of whole numbers in which one cell is missing, so that one record would merge others. Dates
// and times do not identify people. Always refused: a type is public.
inline void require_identifier_type(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIMESTAMP:
      throw DataError(
          fmt::format("the column of [unit] has type {}; identifiers must be texts or whole numbers. Read them as such "
                      "from the start: converting the column later does not bring lost digits back",
                      type.ToString()));
    case arrow::Type::DICTIONARY:
      return require_identifier_type(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return;
  }
}

struct ReadDate {
  Fit fit = Fit::missing;
  schema::Moment moment = {};
};

struct DateCell {
  using Result = ReadDate;
  const MissingTexts& missing_texts;
  const std::vector<std::string>& formats;

  static ReadDate found(const std::optional<schema::Moment>& moment) {
    return moment ? ReadDate{Fit::fits, *moment} : ReadDate{Fit::unreadable, {}};
  }
  ReadDate missing() const { return {}; }
  ReadDate text(std::string_view value) const {
    value = schema::trimmed(value);
    return missing_texts.contains(value) ? missing() : found(schema::parse_date(value, formats));
  }
  ReadDate number(double value) const { return std::isnan(value) ? missing() : text(schema::number_text(value)); }
  template <class Integer>
  ReadDate whole(Integer value) const {
    const fmt::format_int digits(value);
    return text(std::string_view(digits.data(), digits.size()));
  }
  ReadDate numeral(std::string_view digits) const { return text(schema::numeral_text(digits)); }
  ReadDate truth(bool value) const { return text(value ? "true" : "false"); }
  ReadDate moment(const std::optional<schema::Moment>& moment) const {
    return moment && missing_texts.contains(*moment) ? missing() : found(moment);
  }
};
// [/proof]

}  // namespace dperm::data
