// SPDX-License-Identifier: Apache-2.0
// Arrow cells to codes, column by column.
#include <limits>

#include "dperm/data/cell_readers.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::data {

std::vector<std::int32_t> ColumnSet::codes(std::size_t index, const arrow::RecordBatch& batch) const {
  const Place& place = places_[index];
  if (place.part == Part::target) {
    return encoding_.target_is_number() ? number_codes(place, batch) : text_codes(place, batch);
  }
  const schema::Column& column = column_of(place);
  if (column.part != schema::DatePart::none) return date_codes(place, batch);
  switch (column.kind) {
    case schema::ColumnKind::real:
    case schema::ColumnKind::integer:
      return number_codes(place, batch);
    case schema::ColumnKind::date:
    case schema::ColumnKind::days:
      return date_codes(place, batch);
    case schema::ColumnKind::category:
    case schema::ColumnKind::boolean:
      break;
  }
  return text_codes(place, batch);
}

std::vector<std::int32_t> ColumnSet::number_codes(const Place& place, const arrow::RecordBatch& batch) const {
  const bool target = place.part == Part::target;
  const schema::NumberStyle& style = target ? encoding_.schema().target.style : column_of(place).style;
  const auto cells = cells_of(place, batch, 0);
  std::vector<double> numbers(static_cast<std::size_t>(cells->length()));
  map_cells(*cells, NumberCell{missing_, style}, numbers.data());
  std::vector<std::int32_t> codes(numbers.size());
  for (std::size_t r = 0; r < codes.size(); ++r) {
    codes[r] = target ? encoding_.encode_target_number(numbers[r]) : encoding_.encode_real(place.index, numbers[r]);
  }
  return codes;
}

std::vector<std::int32_t> ColumnSet::text_codes(const Place& place, const arrow::RecordBatch& batch) const {
  const auto cells = cells_of(place, batch, 0);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(cells->length()));
  const auto fill = [&](schema::Compare compare, auto look) {
    map_cells(*cells, text_cell(missing_, compare, look), codes.data());
  };
  if (place.part == Part::target) {
    fill(encoding_.schema().target.compare,
         [&](std::string_view text, bool missing) { return encoding_.encode_target_text(text, missing); });
  } else if (place.part == Part::real) {
    fill(column_of(place).compare, [&](std::string_view text, bool missing) -> std::int32_t {
      return encoding_.encode_ordered(place.index, text, missing);
    });
  } else {
    fill(column_of(place).compare, [&](std::string_view text, bool missing) {
      return static_cast<std::int32_t>(encoding_.encode_category(place.index, text, missing));
    });
  }
  return codes;
}

std::vector<DateRow> ColumnSet::date_rows(const Place& place, const arrow::RecordBatch& batch) const {
  const schema::Column& column = column_of(place);
  const auto read = [&](std::size_t which) {
    const auto cells = cells_of(place, batch, which);
    std::vector<ReadDate> dates(static_cast<std::size_t>(cells->length()));
    map_cells(*cells, DateCell{missing_, column.date_formats}, dates.data());
    return dates;
  };
  const std::vector<ReadDate> dates = read(0);
  const std::vector<ReadDate> since =
      column.kind == schema::ColumnKind::days ? read(1) : std::vector<ReadDate>(dates.size(), {Fit::fits, {}});
  std::vector<DateRow> rows(dates.size(), {Fit::fits, std::numeric_limits<double>::quiet_NaN()});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].fit = dates[r].fit != Fit::fits ? dates[r].fit : since[r].fit;
    if (rows[r].fit != Fit::fits) continue;
    if (column.part == schema::DatePart::none) {
      rows[r].value = dates[r].moment.days() - since[r].moment.days();
    } else if (const auto part = schema::date_part(dates[r].moment, column.part)) {
      rows[r].value = static_cast<double>(*part);
    } else {
      rows[r].fit = Fit::missing;
    }
  }
  return rows;
}

std::vector<std::int32_t> ColumnSet::date_codes(const Place& place, const arrow::RecordBatch& batch) const {
  const schema::Column& column = column_of(place);
  const std::vector<DateRow> rows = date_rows(place, batch);
  std::vector<std::int32_t> codes(rows.size());
  for (std::size_t r = 0; r < codes.size(); ++r) {
    if (place.part == Part::real) {
      codes[r] = encoding_.encode_real(place.index, rows[r].value);
    } else {
      const bool missing = rows[r].fit != Fit::fits;
      std::string_view value;
      if (!missing) value = column.values[static_cast<std::size_t>(rows[r].value)];
      codes[r] = static_cast<std::int32_t>(encoding_.encode_category(place.index, value, missing));
    }
  }
  return codes;
}

}  // namespace dperm::data
