// SPDX-License-Identifier: Apache-2.0
// Cells of an Arrow array, whatever its type, through one function object. The array's type only says which of the
// values below a cell is. Types that can hold the same value hand over the same one, so that what a cell becomes
// depends on its value and on the function alone, never on the column that holds it: a union of types, which has the
// cells of Python's object columns, is read cell by cell as the types in it are.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/float16.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::data {

// "number", "text", "boolean" or "unsupported".
std::string type_name(const arrow::DataType& type);
bool is_supported(const arrow::DataType& type);

namespace detail {

// The field of a union whose texts are decimal numbers: Python's integers beyond 64 bits and its decimals.
inline constexpr std::string_view kNumeralField = "numeral";

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMillisecondsPerDay = 1'000 * kSecondsPerDay;

inline std::int64_t units_per_day(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return kSecondsPerDay;
    case arrow::TimeUnit::MILLI:
      return kMillisecondsPerDay;
    case arrow::TimeUnit::MICRO:
      return 1'000 * kMillisecondsPerDay;
    default:
      return schema::kTicksPerDay;
  }
}

template <class ArrayType, class Cell, class Convert>
void map_array(const arrow::Array& array, const Cell& cell, typename Cell::Result* out, Convert convert) {
  const auto& typed = static_cast<const ArrayType&>(array);
  const std::int64_t length = typed.length();
  if (typed.null_count() == 0) {
    for (std::int64_t i = 0; i < length; ++i) out[i] = convert(typed, i);
    return;
  }
  for (std::int64_t i = 0; i < length; ++i) out[i] = typed.IsNull(i) ? cell.missing() : convert(typed, i);
}

template <class ArrayType, class Cell>
void map_whole(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<ArrayType>(array, cell, out, [&](const auto& a, auto i) { return cell.whole(a.Value(i)); });
}

template <class ArrayType, class Cell>
void map_real(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<ArrayType>(array, cell, out,
                       [&](const auto& a, auto i) { return cell.number(static_cast<double>(a.Value(i))); });
}

template <class ArrayType, class Cell>
void map_text(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<ArrayType>(array, cell, out,
                       [&](const auto& a, auto i) { return cell.text(std::string_view(a.GetView(i))); });
}

template <class ArrayType, class Cell>
void map_decimal(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<ArrayType>(array, cell, out, [&](const auto& a, auto i) { return cell.numeral(a.FormatValue(i)); });
}

// Texts of decimal numbers.
template <class Cell>
void map_numerals(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<arrow::BinaryArray>(array, cell, out, [&](const auto& a, auto i) { return cell.numeral(a.GetView(i)); });
}

template <class ArrayType, class Cell>
void map_truth(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<ArrayType>(array, cell, out, [&](const auto& a, auto i) { return cell.truth(a.Value(i)); });
}

template <class ArrayType, class Cell>
void map_half(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  map_array<ArrayType>(array, cell, out, [&](const auto& a, auto i) {
    return cell.number(arrow::util::Float16::FromBits(a.Value(i)).ToDouble());
  });
}

template <class ArrayType, class Cell>
void map_moments(const arrow::Array& array, const Cell& cell, typename Cell::Result* out, std::int64_t per_day,
                 bool timed) {
  map_array<ArrayType>(array, cell, out, [&](const auto& a, auto i) {
    return cell.moment(schema::moment_at(a.Value(i), per_day, timed));
  });
}

template <class Cell>
void map_times(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
  map_moments<arrow::TimestampArray>(array, cell, out, units_per_day(unit), true);
}

// Each dictionary entry is looked at once, however many rows point to it. A row of a damaged file may point to none:
// its cell is missing.
template <class Cell>
void map_dictionary(const arrow::Array& array, const Cell& cell, typename Cell::Result* out);

// The cells of each type of the union by themselves; a row then takes its own.
template <class Cell>
void map_union(const arrow::Array& array, const Cell& cell, typename Cell::Result* out);

}  // namespace detail

// [proof data_cells.values]
// out[i] = the cell function of row i. Cell has Result and, all const: missing(), number(double), whole(integer),
// numeral(string_view) for a decimal number, truth(bool), text(string_view) and moment(optional<Moment>) for dates and
// times, those with a zone in UTC; no moment lies outside the years 1 to 9999.
template <class Cell>
void map_cells(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  using arrow::Type;
  switch (array.type_id()) {
      // clang-format off
    case Type::NA: std::fill_n(out, array.length(), cell.missing()); return;
    case Type::BOOL: return detail::map_truth<arrow::BooleanArray>(array, cell, out);
    case Type::INT8: return detail::map_whole<arrow::Int8Array>(array, cell, out);
    case Type::INT16: return detail::map_whole<arrow::Int16Array>(array, cell, out);
    case Type::INT32: return detail::map_whole<arrow::Int32Array>(array, cell, out);
    case Type::INT64: return detail::map_whole<arrow::Int64Array>(array, cell, out);
    case Type::UINT8: return detail::map_whole<arrow::UInt8Array>(array, cell, out);
    case Type::UINT16: return detail::map_whole<arrow::UInt16Array>(array, cell, out);
    case Type::UINT32: return detail::map_whole<arrow::UInt32Array>(array, cell, out);
    case Type::UINT64: return detail::map_whole<arrow::UInt64Array>(array, cell, out);
    case Type::HALF_FLOAT: return detail::map_half<arrow::HalfFloatArray>(array, cell, out);
    case Type::FLOAT: return detail::map_real<arrow::FloatArray>(array, cell, out);
    case Type::DOUBLE: return detail::map_real<arrow::DoubleArray>(array, cell, out);
    case Type::DATE32: return detail::map_moments<arrow::Date32Array>(array, cell, out, 1, false);
    case Type::DATE64: return detail::map_moments<arrow::Date64Array>(array, cell, out, detail::kMillisecondsPerDay, false);
    case Type::TIMESTAMP: return detail::map_times(array, cell, out);
    case Type::STRING: return detail::map_text<arrow::StringArray>(array, cell, out);
    case Type::BINARY: return detail::map_text<arrow::BinaryArray>(array, cell, out);
    case Type::LARGE_STRING: return detail::map_text<arrow::LargeStringArray>(array, cell, out);
    case Type::LARGE_BINARY: return detail::map_text<arrow::LargeBinaryArray>(array, cell, out);
    case Type::STRING_VIEW: return detail::map_text<arrow::StringViewArray>(array, cell, out);
    case Type::BINARY_VIEW: return detail::map_text<arrow::BinaryViewArray>(array, cell, out);
    case Type::DECIMAL32: return detail::map_decimal<arrow::Decimal32Array>(array, cell, out);
    case Type::DECIMAL64: return detail::map_decimal<arrow::Decimal64Array>(array, cell, out);
    case Type::DECIMAL128: return detail::map_decimal<arrow::Decimal128Array>(array, cell, out);
    case Type::DECIMAL256: return detail::map_decimal<arrow::Decimal256Array>(array, cell, out);
    case Type::DICTIONARY: return detail::map_dictionary(array, cell, out);
    case Type::DENSE_UNION: case Type::SPARSE_UNION: return detail::map_union(array, cell, out);
    default: ensure(false, "map_cells: a column type that should have been refused");
      // clang-format on
  }
}

template <class Cell>
void detail::map_dictionary(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  const auto& typed = static_cast<const arrow::DictionaryArray&>(array);
  const arrow::Array& entries = *typed.dictionary();
  std::vector<typename Cell::Result> results(static_cast<std::size_t>(entries.length()));
  map_cells(entries, cell, results.data());
  for (std::int64_t i = 0; i < typed.length(); ++i) {
    const auto entry = typed.IsNull(i) ? results.size() : static_cast<std::size_t>(typed.GetValueIndex(i));
    out[i] = entry < results.size() ? results[entry] : cell.missing();
  }
}

template <class Cell>
void detail::map_union(const arrow::Array& array, const Cell& cell, typename Cell::Result* out) {
  const auto& typed = static_cast<const arrow::UnionArray&>(array);
  const auto* dense =
      array.type_id() == arrow::Type::DENSE_UNION ? static_cast<const arrow::DenseUnionArray*>(&array) : nullptr;
  std::vector<std::vector<typename Cell::Result>> results;
  for (int child = 0; child < typed.num_fields(); ++child) {
    const auto cells = typed.field(child);
    auto& found = results.emplace_back(static_cast<std::size_t>(cells->length()));
    const bool short_texts = cells->type_id() == arrow::Type::STRING || cells->type_id() == arrow::Type::BINARY;
    if (short_texts && typed.type()->field(child)->name() == kNumeralField) {
      map_numerals(*cells, cell, found.data());
    } else {
      map_cells(*cells, cell, found.data());
    }
  }
  for (std::int64_t i = 0; i < typed.length(); ++i) {
    const auto place = static_cast<std::size_t>(dense != nullptr ? dense->value_offset(i) : i);
    out[i] = results[static_cast<std::size_t>(typed.child_id(i))][place];
  }
}
// [/proof]

}  // namespace dperm::data
