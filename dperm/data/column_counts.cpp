// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/column_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/cell_readers.hpp"
#include "dperm/data/groups.hpp"
#include "dperm/data/source/cells.hpp"
#include "dperm/data/source/files.hpp"
#include "dperm/data/source/judged_column.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/unit_rule.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

// look(text) of every cell as the text that a person sees; an empty text where it is missing.
template <class Look>
auto seen(const arrow::Array& cells, const MissingTexts& missing_texts, Look look) {
  using Result = std::invoke_result_t<Look, std::string_view>;
  std::vector<Result> results(static_cast<std::size_t>(cells.length()));
  const auto as_seen = [&](std::string_view text, bool missing) { return look(missing ? std::string_view() : text); };
  map_cells(cells, text_cell(missing_texts, schema::Compare::text, as_seen), results.data());
  return results;
}

std::vector<std::string> names_of(const std::vector<RawColumnName>& columns) {
  std::vector<std::string> names;
  for (const RawColumnName& column : columns) names.push_back(column.name);
  return names;
}

// Which rows of a batch count: all, or those that the unit's rule keeps. Rows are seen in the order of the file.
std::vector<bool> counting_rows(const arrow::RecordBatch& batch, const MissingTexts& missing,
                                std::optional<UnitRule>& rule) {
  if (!rule) return std::vector<bool>(rows_of(batch), true);
  require_identifier_type(*batch.column(batch.num_columns() - 1)->type());
  const auto person = [&](std::string_view text) { return text.empty() ? UnitRule::kNobody : rule->person(text); };
  std::vector<bool> counting;
  for (const UnitRule::Person each : seen(*batch.column(batch.num_columns() - 1), missing, person)) {
    counting.push_back(rule->counts(each));
  }
  return counting;
}

// Calls look(column, cells, which rows count) for every column of every batch of all files; columns on several threads,
// the batches of one column in order on one. Returns the number of rows.
using Look = std::function<void(std::size_t, const arrow::Array&, const std::vector<bool>&)>;
std::size_t for_each_column(const RawTable& table, const std::vector<std::string>& columns, bool as_text,
                            const Look& look) {
  ReadOptions options;
  options.threads = table.threads;
  validate_options(options);
  std::vector<WantedColumn> wanted;
  for (const std::string& name : columns) wanted.push_back({name, as_text, false});
  std::optional<UnitRule> rule;
  if (table.unit) {
    rule.emplace(table.unit->rows);
    wanted.push_back({table.unit->column, true, false});
  }
  const MissingTexts missing(table.format.missing);
  Workers workers(options.threads);
  std::size_t rows = 0;
  const std::vector<InputFile> files = find_files(table.patterns, file_kind(table.kind, table.format));
  for (const InputFile& file : files) {
    const auto source = open_source({file, table.format, wanted, true, workers.threads()});
    Groups groups(*source, workers);
    for (Batches batches = groups.next(); !batches.empty(); batches = groups.next()) {
      std::vector<std::vector<bool>> counting;
      for (const auto& batch : batches) {
        counting.push_back(counting_rows(*batch, missing, rule));
        rows += rows_of(*batch);
      }
      workers.run(columns.size(), [&](std::size_t column) {
        for (std::size_t b = 0; b < batches.size(); ++b) {
          look(column, *batches[b]->column(static_cast<int>(column)), counting[b]);
        }
      });
    }
    require_unchanged(file);
  }
  if (rows == 0) throw DataError(fmt::format("{}: no file holds a record", files.front().path));
  return rows;
}

// [proof data_column_counts.values]
bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// Length of the UTF-8 sequence at the beginning of `text`, or 0 where there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

bool can_be_value(std::string_view text) {
  if (text.empty() || text.size() > kLongestValue) return false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) return false;
    i += length;
  }
  return true;
}
// [/proof]

}  // namespace

// [proof data_column_counts.counts]
Counted<std::vector<std::int64_t>> kind_counts(const RawTable& table, const std::vector<RawColumnName>& columns) {
  std::vector<std::int64_t> counts(kKinds * columns.size());
  const MissingTexts missing(table.format.missing);
  const auto names = names_of(columns);
  const std::size_t rows = for_each_column(
      table, names, true, [&](std::size_t column, const arrow::Array& cells, const std::vector<bool>& counting) {
        const auto kind = [&](std::string_view text) {
          if (text.empty()) return kKinds;
          if (is_code(text)) return std::size_t{3};
          const double number = schema::parse_number(text, columns[column].style);
          if (std::isnan(number)) return std::size_t{2};
          return number == std::floor(number) ? std::size_t{0} : std::size_t{1};
        };
        const std::vector<std::size_t> places = seen(cells, missing, kind);
        for (std::size_t r = 0; r < places.size(); ++r) {
          if (counting[r] && places[r] < kKinds) ++counts[kKinds * column + places[r]];
        }
      });
  return {rows, Sensitive(std::move(counts))};
}

Counted<std::vector<std::int64_t>> histograms(const RawTable& table, const std::vector<ColumnBins>& columns) {
  std::vector<std::string> names;
  std::vector<std::size_t> firsts;
  std::size_t total = 0;
  for (const ColumnBins& each : columns) {
    names.push_back(each.column.name);
    firsts.push_back(total);
    total += each.bins;
  }
  std::vector<std::int64_t> counts(total);
  const MissingTexts missing(table.format.missing);
  const std::size_t rows = for_each_column(
      table, names, false, [&](std::size_t column, const arrow::Array& cells, const std::vector<bool>& counting) {
        std::vector<double> numbers(static_cast<std::size_t>(cells.length()));
        map_cells(cells, NumberCell{missing, columns[column].column.style}, numbers.data());
        for (std::size_t r = 0; r < numbers.size(); ++r) {
          if (!counting[r] || !std::isfinite(numbers[r])) continue;
          const std::size_t place = columns[column].place(numbers[r]);
          ensure(place < columns[column].bins, "a number outside the bins of its column");
          ++counts[firsts[column] + place];
        }
      });
  return {rows, Sensitive(std::move(counts))};
}

Counted<ValueCounts> value_counts(const RawTable& table, const std::vector<std::string>& columns) {
  std::vector<std::unordered_map<std::string, std::int64_t>> found(columns.size());
  const MissingTexts missing(table.format.missing);
  const std::size_t rows = for_each_column(
      table, columns, true, [&](std::size_t column, const arrow::Array& cells, const std::vector<bool>& counting) {
        const auto value = [](std::string_view text) { return can_be_value(text) ? std::string(text) : std::string(); };
        std::vector<std::string> texts = seen(cells, missing, value);
        for (std::size_t r = 0; r < texts.size(); ++r) {
          if (counting[r] && !texts[r].empty()) ++found[column][std::move(texts[r])];
        }
      });
  ValueCounts counts;
  for (const auto& column : found) counts.emplace_back(column.begin(), column.end());
  return {rows, Sensitive(std::move(counts))};
}
// [/proof]

}  // namespace dperm::data
