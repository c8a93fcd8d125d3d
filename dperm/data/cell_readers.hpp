// SPDX-License-Identifier: Apache-2.0
// Function objects for map_cells: a cell as a number, as a text or as a date. Internal to the room.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
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

// A cell as a number; NaN when missing or unreadable.
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
  double truth(bool value) const { return number(value ? 1 : 0); }
  double text(std::string_view value) const { return number(schema::parse_number(value, style)); }
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
  Result truth(bool value) const { return text(value ? "true" : "false"); }
};

template <class Look>
TextCell<Look> text_cell(const MissingTexts& missing_texts, schema::Compare compare, Look look) {
  return {missing_texts, compare, std::move(look)};
}

// What Arrow's own types of dates and times count: ticks of map_cells in a day, and whether there is a time; 0 ticks
// for other types, whose cells are read as texts.
struct DateTicks {
  double per_day = 0;
  bool timed = false;
};
inline DateTicks date_ticks(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return {1, false};
    case arrow::Type::TIMESTAMP:
      return {86400, true};
    case arrow::Type::DICTIONARY:
      return date_ticks(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return {};
  }
}

// Times lose their last digits on the way to a text, so that two persons could become one. A type is public.
inline void require_identifier_type(const arrow::DataType& type) {
  if (date_ticks(type).per_day == 0) return;
  throw DataError(
      fmt::format("the column of [unit] has type {}; identifiers must be texts or whole numbers", type.ToString()));
}

struct ReadDate {
  Fit fit = Fit::missing;
  schema::Moment moment = {};
};

struct DateCell {
  using Result = ReadDate;
  const MissingTexts& missing_texts;
  const std::vector<std::string>& formats;
  DateTicks ticks;

  static ReadDate found(const std::optional<schema::Moment>& moment) {
    return moment ? ReadDate{Fit::fits, *moment} : ReadDate{Fit::unreadable, {}};
  }
  ReadDate missing() const { return {}; }
  ReadDate text(std::string_view value) const {
    value = schema::trimmed(value);
    return missing_texts.contains(value) ? missing() : found(schema::parse_date(value, formats));
  }
  ReadDate number(double value) const {
    if (std::isnan(value)) return missing();
    if (ticks.per_day > 0) return found(schema::moment_at(value / ticks.per_day, ticks.timed));
    return text(schema::number_text(value));
  }
  template <class Integer>
  ReadDate whole(Integer value) const {
    const fmt::format_int digits(value);
    return text(std::string_view(digits.data(), digits.size()));
  }
  ReadDate truth(bool) const { return {Fit::unreadable, {}}; }
};

}  // namespace dperm::data
