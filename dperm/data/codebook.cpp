// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/codebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dperm/core/error.hpp"
#include "dperm/core/whole_file.hpp"
#include "dperm/data/source/csv_text.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

constexpr std::size_t kNotThere = static_cast<std::size_t>(-1);

class Reader {
 public:
  Reader(const std::string& path, std::vector<std::string> header) : path_(path) {
    for (std::string& name : header) names_.push_back(std::string(schema::trimmed(name)));
    column_ = place("column");
    lower_ = place("lower");
    upper_ = place("upper");
    values_ = place("values");
    description_ = place("description");
    if (column_ == kNotThere || (lower_ == kNotThere && values_ == kNotThere)) {
      throw DataError(fmt::format(
          "{}:1: the first line of a codebook names its columns: column, and lower, upper or values (divided by |)",
          path));
    }
  }

  CodebookEntry entry(const std::vector<std::string>& cells, std::size_t line) {
    if (cells.size() != names_.size()) {
      fail(line, fmt::format("has {} cells; the first line has {}. Put texts that hold commas in quotes", cells.size(),
                             names_.size()));
    }
    CodebookEntry entry;
    entry.column = schema::trimmed(cells[column_]);
    if (entry.column.empty()) fail(line, "names no column");
    if (!seen_.insert(entry.column).second)
      fail(line, fmt::format("describes column '{}' a second time", entry.column));
    entry.lower = number(cells, lower_, line);
    entry.upper = number(cells, upper_, line);
    if (entry.lower.has_value() != entry.upper.has_value()) fail(line, "has one bound; give both lower and upper");
    if (entry.lower && !(*entry.lower < *entry.upper)) fail(line, "has a lower bound that is not below the upper one");
    if (values_ != kNotThere) entry.values = parts(cells[values_]);
    if (description_ != kNotThere) entry.description = schema::trimmed(cells[description_]);
    if (!entry.lower && entry.values.empty()) fail(line, "has neither bounds nor values");
    if (entry.lower && !entry.values.empty()) fail(line, "has bounds and values; give one of them");
    return entry;
  }

 private:
  std::size_t place(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? kNotThere : static_cast<std::size_t>(found - names_.begin());
  }
  std::optional<double> number(const std::vector<std::string>& cells, std::size_t place, std::size_t line) const {
    if (place == kNotThere || schema::trimmed(cells[place]).empty()) return std::nullopt;
    const double value = schema::parse_number(cells[place]);
    if (!std::isfinite(value)) fail(line, fmt::format("has no number under {}", names_[place]));
    return value;
  }
  static std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> result;
    while (!schema::trimmed(text).empty()) {
      const std::size_t end = std::min(text.find('|'), text.size());
      if (const std::string_view part = schema::trimmed(text.substr(0, end)); !part.empty()) result.emplace_back(part);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
  }
  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    throw DataError(fmt::format("{}:{}: this line of the codebook {}", path_, line, problem));
  }

  std::string path_;
  std::vector<std::string> names_;
  std::size_t column_ = 0, lower_ = 0, upper_ = 0, values_ = 0, description_ = 0;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<CodebookEntry> read_codebook(const std::string& path) {
  const std::string content = whole_file(path);
  std::string_view rest = content;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  std::optional<Reader> reader;
  std::vector<CodebookEntry> entries;
  for (std::size_t line = 1; !rest.empty();) {
    std::vector<std::string> cells;
    const RecordShape shape = scan_record(rest, ',', true, &cells);
    if (shape.unclosed) throw DataError(fmt::format("{}:{}: a quote is not closed", path, line));
    if (shape.cells > 0) {
      if (!reader) {
        reader.emplace(path, cells);
      } else {
        entries.push_back(reader->entry(cells, line));
      }
    }
    line += shape.lines;
    rest.remove_prefix(std::min(shape.bytes, rest.size()));
    if (shape.bytes == 0) break;
  }
  if (entries.empty()) throw DataError(fmt::format("{}: the codebook describes no column", path));
  return entries;
}

}  // namespace dperm::data
