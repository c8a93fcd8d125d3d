// SPDX-License-Identifier: Apache-2.0
// Counting the cells a schema's rules have to be applied to: for the data owner, and for strict reading.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dperm/data/encode.hpp"
#include "dperm/data/source/cells.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

enum class Fit : unsigned char { fits, missing, unreadable, out_of_bounds, unknown };

// How a cell fits: as a number within bounds, or as a text judged by Judge(text).
template <class Judge>
struct FitCell {
  using Result = Fit;
  const MissingTexts& missing_texts;
  bool as_number;
  double lower, upper;
  Judge judge;

  Fit missing() const { return Fit::missing; }
  Fit number(double value) const {
    if (!as_number) return std::isnan(value) ? Fit::missing : text(schema::number_text(value));
    if (missing_texts.contains(value)) return Fit::missing;
    if (!std::isfinite(value)) return Fit::unreadable;
    return value >= lower && value <= upper ? Fit::fits : Fit::out_of_bounds;
  }
  template <class Integer>
  Fit whole(Integer value) const {
    return as_number ? number(static_cast<double>(value)) : text(fmt::format("{}", value));
  }
  Fit truth(bool value) const { return as_number ? number(value ? 1 : 0) : text(value ? "true" : "false"); }
  Fit text(std::string_view value) const {
    value = schema::trimmed(value);
    if (missing_texts.contains(value)) return Fit::missing;
    return as_number ? number(schema::parse_number(value)) : judge(value);
  }
};

template <class Judge>
ColumnCheck count(const arrow::Array& cells, FitCell<Judge> cell) {
  std::vector<Fit> fits(static_cast<std::size_t>(cells.length()));
  map_cells(cells, cell, fits.data());
  std::array<std::size_t, 5> counts{};
  for (const Fit fit : fits) ++counts[static_cast<std::size_t>(fit)];
  return {"", counts[1], counts[2], counts[3], counts[4]};
}

template <class Judge>
FitCell<Judge> text_fit(const MissingTexts& missing, Judge judge) {
  return {missing, false, 0, 0, std::move(judge)};
}

}  // namespace

ColumnCheck ColumnSet::check(std::size_t index, const arrow::Array& cells) const {
  const Place place = places_[index];
  const schema::Schema& schema = encoding_.schema();
  const auto fits = [](std::string_view) { return Fit::fits; };
  const double all = std::numeric_limits<double>::infinity();
  if (place.part == Part::real) {
    const schema::Column& column = schema.columns[encoding_.reals()[place.index].column];
    if (column.ordered) {
      return count(cells, text_fit(missing_, [&](std::string_view text) {
                     return encoding_.is_known_place(place.index, text) ? Fit::fits : Fit::unknown;
                   }));
    }
    return count(cells, FitCell<decltype(fits)>{missing_, true, column.lower, column.upper, fits});
  }
  if (place.part == Part::category) {
    const schema::Column& column = schema.columns[encoding_.categories()[place.index].column];
    if (column.kind == schema::ColumnKind::boolean) {
      return count(cells, text_fit(missing_, [](std::string_view text) {
                     return schema::is_true_text(text) || schema::is_false_text(text) ? Fit::fits : Fit::unreadable;
                   }));
    }
    return count(cells, text_fit(missing_, [&](std::string_view text) {
                   return encoding_.encode_category(place.index, text, false) < column.values.size() ? Fit::fits
                                                                                                     : Fit::unknown;
                 }));
  }
  if (place.part == Part::unit) return count(cells, text_fit(missing_, fits));
  const schema::Target& target = schema.target;
  if (encoding_.target_is_number()) {
    const bool real = target.kind == schema::TargetKind::real;
    return count(cells,
                 FitCell<decltype(fits)>{missing_, true, real ? target.lower : -all, real ? target.upper : all, fits});
  }
  if (target.kind == schema::TargetKind::binary) return count(cells, text_fit(missing_, fits));
  return count(cells, text_fit(missing_, [&](std::string_view text) {
                 // Unknown labels share a code with the first class, so the list itself is asked.
                 return encoding_.is_known_class(text) ? Fit::fits : Fit::unknown;
               }));
}

std::string ColumnSet::strict_problem(std::size_t index, const ColumnCheck& counts) const {
  const schema::Schema& schema = encoding_.schema();
  if (places_[index].part == Part::unit) return counts.missing > 0 ? "a row without an identifier" : "";
  const bool target = places_[index].part == Part::target;
  const bool own_missing = !target && schema.columns[index].missing == schema::MissingRule::category;
  const bool own_other = !target && schema.columns[index].other;
  if (counts.unreadable > 0) return "a cell that cannot be read as the declared kind";
  if (counts.out_of_bounds > 0) return "a number outside the declared lower and upper";
  if (counts.unknown_values > 0 && !own_other) return "a value outside the declared list";
  if (counts.missing > 0 && !own_missing) return "a missing cell";
  return {};
}

}  // namespace dperm::data
