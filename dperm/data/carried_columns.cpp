// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/carried_columns.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "dperm/core/error.hpp"
#include "dperm/data/source/cells.hpp"
#include "dperm/data/source/files.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::data {

namespace {

struct AsText {
  using Result = std::string;
  std::string missing() const { return ""; }
  std::string number(double value) const { return schema::number_text(value); }
  template <class Integer>
  std::string whole(Integer value) const {
    return fmt::format("{}", value);
  }
  std::string numeral(std::string_view digits) const { return std::string(digits); }
  std::string truth(bool value) const { return value ? "true" : "false"; }
  std::string text(std::string_view text) const { return std::string(text); }
  std::string moment(const std::optional<schema::Moment>& moment) const {
    return moment ? schema::moment_text(*moment) : schema::kNoSuchMoment;
  }
};

void append(const arrow::RecordBatch& batch, std::vector<CarriedColumn>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto array = batch.column(static_cast<int>(c));
    std::vector<std::string>& cells = columns[c].cells;
    const std::size_t before = cells.size();
    cells.resize(before + static_cast<std::size_t>(array->length()));
    map_cells(*array, AsText{}, cells.data() + before);
  }
}

}  // namespace

Sensitive<std::vector<CarriedColumn>> carried_columns(const std::vector<std::string>& patterns,
                                                      const schema::TextFormat& format,
                                                      const std::vector<std::string>& names, const std::string& kind) {
  const std::vector<InputFile> files = find_files(patterns, file_kind(kind, format));
  std::vector<CarriedColumn> columns;
  for (const std::string& name : names.empty() ? source_names(files.front(), format) : names) {
    columns.push_back({name, {}});
  }
  if (columns.empty()) {
    throw ArgumentError(fmt::format(
        "{}: which columns a LIBSVM file has depends on its records; name those to carry along", files.front().path));
  }
  std::vector<WantedColumn> wanted;
  for (const CarriedColumn& each : columns) wanted.push_back({each.name, true, false});
  for (const InputFile& file : files) {
    const auto source = open_source({file, format, wanted});
    while (const auto batch = source->next()) append(*batch, columns);
    require_unchanged(file);
  }
  return Sensitive(std::move(columns));
}

}  // namespace dperm::data
