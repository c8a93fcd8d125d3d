// SPDX-License-Identifier: Apache-2.0
// Counting the cells a schema's rules have to be applied to: for the data owner, and for strict reading.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "dperm/data/cell_readers.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/source/cells.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

// How a cell fits: as a number within bounds, or as a text judged by Judge(text).
template <class Judge>
struct FitCell {
  using Result = Fit;
  const MissingTexts& missing_texts;
  bool as_number;
  double lower, upper;
  const schema::NumberStyle& style;
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
  Fit numeral(std::string_view digits) const {
    return as_number ? number(schema::parse_number(digits)) : text(schema::numeral_text(digits));
  }
  Fit truth(bool value) const { return text(value ? "true" : "false"); }
  Fit moment(const std::optional<schema::Moment>& moment) const {
    return text(moment ? schema::moment_text(*moment) : schema::kNoSuchMoment);
  }
  Fit text(std::string_view value) const {
    value = schema::trimmed(value);
    if (missing_texts.contains(value)) return Fit::missing;
    return as_number ? number(schema::parse_value(value, style)) : judge(value);
  }
};

ColumnCheck counted(const std::vector<Fit>& fits) {
  std::array<std::size_t, 5> counts{};
  for (const Fit fit : fits) ++counts[static_cast<std::size_t>(fit)];
  return {"", counts[1], counts[2], counts[3], counts[4]};
}

template <class Judge>
ColumnCheck count(const arrow::Array& cells, FitCell<Judge> cell) {
  std::vector<Fit> fits(static_cast<std::size_t>(cells.length()));
  map_cells(cells, cell, fits.data());
  return counted(fits);
}

ColumnCheck count_numbers(const arrow::Array& cells, const MissingTexts& missing, double lower, double upper,
                          const schema::NumberStyle& style) {
  const auto fits = [](std::string_view) { return Fit::fits; };
  return count(cells, FitCell<decltype(fits)>{missing, true, lower, upper, style, fits});
}

// Fits where `known` says so; missing are also the numbers among the missing texts where cells compare as numbers.
template <class Known>
ColumnCheck count_texts(const arrow::Array& cells, const MissingTexts& missing, schema::Compare compare, Fit otherwise,
                        const Known& known) {
  static const schema::NumberStyle plain;
  const auto judge = [&](std::string_view text) {
    if (is_missing_value(missing, compare, text)) return Fit::missing;
    return known(text) ? Fit::fits : otherwise;
  };
  return count(cells, FitCell<decltype(judge)>{missing, false, 0, 0, plain, judge});
}

}  // namespace

ColumnCheck ColumnSet::check(std::size_t index, const arrow::RecordBatch& batch) const {
  const Place& place = places_[index];
  const std::shared_ptr<arrow::Array> cells = cells_of(place, batch, 0);
  const schema::Target& target = encoding_.schema().target;
  if (place.part == Part::target) {
    if (encoding_.target_is_number()) {
      const double all = std::numeric_limits<double>::infinity();
      const bool real = target.kind == schema::TargetKind::real;
      return count_numbers(*cells, missing_, real ? target.lower : -all, real ? target.upper : all, target.style);
    }
    // Labels outside the list are -1, or share a code with the first class, so the list itself is asked.
    const bool any = target.kind == schema::TargetKind::binary;
    return count_texts(*cells, missing_, target.compare, Fit::unknown,
                       [&](std::string_view text) { return any || encoding_.is_known_class(text); });
  }
  const schema::Column& column = column_of(place);
  if (column.part != schema::DatePart::none) return date_check(place, batch);
  switch (column.kind) {
    case schema::ColumnKind::real:
    case schema::ColumnKind::integer:
      return count_numbers(*cells, missing_, column.lower, column.upper, column.style);
    case schema::ColumnKind::date:
    case schema::ColumnKind::days:
      return date_check(place, batch);
    case schema::ColumnKind::boolean:
      return count_texts(*cells, missing_, schema::Compare::text, Fit::unreadable, [](std::string_view text) {
        return schema::is_true_text(text) || schema::is_false_text(text);
      });
    case schema::ColumnKind::category:
      break;
  }
  return count_texts(*cells, missing_, column.compare, Fit::unknown, [&](std::string_view text) {
    return column.ordered ? encoding_.is_known_place(place.index, text)
                          : encoding_.encode_category(place.index, text, false) < column.values.size();
  });
}

ColumnCheck ColumnSet::date_check(const Place& place, const arrow::RecordBatch& batch) const {
  const schema::Column& column = column_of(place);
  std::vector<Fit> fits;
  for (const DateRow& row : date_rows(place, batch)) {
    const bool number = column.part == schema::DatePart::none;
    const bool outside = number && (row.value < column.lower || row.value > column.upper);
    fits.push_back(row.fit != Fit::fits ? row.fit : outside ? Fit::out_of_bounds : Fit::fits);
  }
  return counted(fits);
}

std::string ColumnSet::strict_problem(std::size_t index, const ColumnCheck& counts) const {
  const schema::Schema& schema = encoding_.schema();
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
