// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/source.hpp"

#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <unordered_map>

#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/data/cell_readers.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/source/cells.hpp"
#include "dperm/data/source/judged_column.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

std::unique_ptr<BatchSource> open_source(const SourceRequest& request) {
  switch (request.file.format) {
    case FileFormat::csv:
      return open_csv(request);
    case FileFormat::parquet:
      return open_parquet(request);
    case FileFormat::libsvm:
      return open_libsvm(request);
    case FileFormat::ipc_file:
    case FileFormat::ipc_stream:
      return open_ipc(request);
    case FileFormat::stream:
      break;
  }
  throw InternalError("a stream in memory is not opened as a file");
}

namespace {

// Of a typed file: columns called like identifiers, most of whose first cells differ.
void mark_identifiers(const InputFile& file, const schema::TextFormat& format, std::vector<RawColumn>& columns) {
  std::unordered_map<std::string_view, int> times;
  for (const RawColumn& column : columns) ++times[column.name];
  std::vector<RawColumn*> named;
  SourceRequest request{file, format, {}};
  for (RawColumn& column : columns) {
    const bool readable = column.type == "number" || column.type == "text";
    if (!readable || times[column.name] > 1 || !names_identifier(column.name)) continue;
    named.push_back(&column);
    request.wanted.push_back({column.name, true, false});
  }
  const auto batch = named.empty() ? nullptr : open_source(request)->next();
  if (batch == nullptr) return;
  const MissingTexts missing(format.missing);
  for (std::size_t i = 0; i < named.size(); ++i) {
    std::vector<std::string> texts(static_cast<std::size_t>(batch->num_rows()));
    map_cells(*batch->column(static_cast<int>(i)),
              text_cell(missing, schema::Compare::text,
                        [](std::string_view text, bool absent) { return absent ? std::string() : std::string(text); }),
              texts.data());
    std::erase(texts, "");
    named[i]->identifier = is_identifier(*named[i], {texts.begin(), texts.end()});
  }
}

}  // namespace

std::vector<RawColumn> source_columns(const InputFile& file, const schema::TextFormat& format) {
  if (file.format == FileFormat::csv) return csv_columns(file, format);
  if (file.format == FileFormat::libsvm) return libsvm_columns(file, format);
  const auto schema = file.format == FileFormat::parquet ? parquet_schema(file) : ipc_schema(file);
  std::vector<RawColumn> columns;
  for (const auto& field : schema->fields()) {
    const bool date = arrow::is_temporal(field->type()->id()) && type_name(*field->type()) == "number";
    columns.push_back({field->name(), date ? "date" : type_name(*field->type())});
  }
  mark_identifiers(file, format, columns);
  return columns;
}

std::vector<std::string> source_names(const InputFile& file, const schema::TextFormat& format) {
  if (file.format == FileFormat::csv) return csv_names(file, format);
  if (file.format == FileFormat::libsvm) return {};
  return (file.format == FileFormat::parquet ? parquet_schema(file) : ipc_schema(file))->field_names();
}

namespace {

// Names of columns are structure, not records.
std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const std::string& each : names) known.push_back(schema::trimmed(each));
  const std::string text = did_you_mean(name, known);
  return text.empty() ? "." : text;
}

}  // namespace

namespace {

constexpr const char* kCorrectSchema = "Correct the name in the schema, or declare the column with kind = \"ignore\"";
constexpr const char* kRenameInFile =
    "The names were fixed when the model was learned or the schema inferred: rename the column in the file";

}  // namespace

std::vector<std::size_t> find_columns(const SourceRequest& request, const std::vector<std::string>& names) {
  // Keyed by the wanted names: a file may have a million others.
  struct Place {
    std::size_t index = 0;
    std::size_t times = 0;
  };
  std::unordered_map<std::string_view, Place> places;
  for (const WantedColumn& column : request.wanted) places.emplace(column.name, Place{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto place = places.find(schema::trimmed(names[i]));
    if (place != places.end()) place->second = {i, place->second.times + 1};
  }
  std::vector<std::size_t> found;
  for (const WantedColumn& column : request.wanted) {
    const Place place = places.at(column.name);
    if (place.times == 0) {
      if (column.is_target && !request.target_required) continue;
      throw DataError(fmt::format(
          "{}: there is no column '{}'{}; {}", request.file.path, column.name, column.is_target ? " (the target)" : "",
          names.size() == 1 && request.file.format == FileFormat::csv
              ? "it has one column only: is the delimiter in [format] of the schema right?"
              : fmt::format("its {} columns do not include the name{} {}", names.size(), suggestion(column.name, names),
                            request.names_are_fixed ? kRenameInFile : kCorrectSchema)));
    }
    if (place.times > 1) {
      throw DataError(
          fmt::format("{}: column '{}' appears twice; rename one of the two", request.file.path, column.name));
    }
    found.push_back(place.index);
  }
  return found;
}

}  // namespace dperm::data
