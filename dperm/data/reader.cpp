// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/groups.hpp"
#include "dperm/data/source/files.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/tiles/tile_writer.hpp"

namespace dperm::data {

namespace {

std::unique_ptr<BatchSource> open_file(const InputFile& file, const schema::Encoding& encoding,
                                       const ColumnSet& columns, const ReadOptions& options, const Workers& workers,
                                       bool count_irregular) {
  return open_source({file, encoding.schema().format, columns.wanted(), options.target_required, workers.threads(),
                      count_irregular, options.of_model || !encoding.schema().inferred.empty()});
}

TileFileHeader header_for(const schema::Encoding& encoding, const TileLayout& layout,
                          const std::vector<InputFile>& files, const ReadOptions& options) {
  TileFileHeader header;
  header.schema = schema_hash(encoding.schema());
  header.tile_height = layout.height();
  header.has_target = options.target_required;
  for (const InputFile& file : files) header.sources.push_back(file.facts);
  return header;
}

[[noreturn]] void no_records(const std::vector<InputFile>& files) {
  throw DataError(fmt::format("{}: no file holds a record; was the data written completely?", files.front().path));
}

}  // namespace

EncodedRows read_tiles(const std::vector<std::string>& patterns, std::shared_ptr<const schema::Encoding> encoding,
                       const ReadOptions& options) {
  validate_options(options);
  require(options.tiles_path.empty() || !encoding->schema().unit || !options.by_unit, "tiles_path",
          "is not for schemas with [unit]: a file of tiles does not say which rows are blank; leave it out");
  const TileLayout layout(*encoding, options.tile_height);
  const std::vector<InputFile> files = find_files(patterns, file_kind(options.format, encoding->schema().format));
  const bool in_file = !options.tiles_path.empty();
  TileFileHeader header;
  if (in_file && std::any_of(files.begin(), files.end(), [](const InputFile& file) { return file.is_stream(); })) {
    throw ArgumentError("tiles_path", "needs files: nothing says whether standard input is what tiles were made from");
  }
  if (in_file) {
    header = header_for(*encoding, layout, files, options);
    std::optional<TileSet> found = open_tile_file(options.tiles_path, *encoding, layout, header);
    // Strict reading has to see the records themselves.
    if (found && !options.strict) {
      RowCount all{};
      all.rows = found->rows();
      return encoded(std::move(*found), std::move(all));
    }
  }
  const ColumnSet columns(*encoding, options.by_unit);
  Workers workers(options.threads);
  RowCount count(*encoding, options);
  auto writer =
      in_file ? std::make_unique<TileWriter>(layout, options.tiles_path, header) : std::make_unique<TileWriter>(layout);
  bool has_target = true;
  double all_bytes = 0, bytes = 0;
  for (const InputFile& file : files) all_bytes += static_cast<double>(file.facts.size);
  ReadOptions reading = options;
  if (options.progress) reading.progress = [&](std::size_t rows, double) { options.progress(rows, bytes / all_bytes); };
  for (const InputFile& file : files) {
    const auto source = open_file(file, *encoding, columns, options, workers, options.strict);
    has_target = has_target && source->has_target();
    encode_source(*source, file.path, columns, reading, workers, *writer, count);
    require_unchanged(file);
    bytes += static_cast<double>(file.facts.size);
  }
  if (count.rows == 0) no_records(files);
  return encoded(writer->finish(has_target), std::move(count));
}

std::vector<RawColumn> read_columns(const std::vector<std::string>& patterns, const schema::TextFormat& format,
                                    const std::string& kind) {
  return source_columns(find_files(patterns, file_kind(kind, format)).front(), format);
}

CheckReport check_dataset(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                          const ReadOptions& options) {
  validate_options(options);
  const std::vector<InputFile> files = find_files(patterns, file_kind(options.format, encoding.schema().format));
  const ColumnSet columns(encoding, options.by_unit);
  Workers workers(options.threads);
  CheckReport report;
  std::optional<UnitRule> rule;
  if (encoding.schema().unit && options.by_unit) rule.emplace(encoding.schema().unit->rows);
  for (std::size_t c = 0; c < columns.size(); ++c) report.columns.push_back({columns.name(c), 0, 0, 0, 0});
  for (const InputFile& file : files) {
    const auto source = open_file(file, encoding, columns, options, workers, true);
    Groups groups(*source, workers);
    for (Batches batches = groups.next(); !batches.empty(); batches = groups.next()) {
      const std::vector<ColumnCheck> counts = check_group(columns, batches, workers);
      for (std::size_t c = 0; c < counts.size(); ++c) {
        report.columns[c].missing += counts[c].missing;
        report.columns[c].unreadable += counts[c].unreadable;
        report.columns[c].out_of_bounds += counts[c].out_of_bounds;
        report.columns[c].unknown_values += counts[c].unknown_values;
      }
      for (const auto& batch : batches) {
        report.rows += rows_of(*batch);
        if (rule) columns.stored_rows(*batch, *rule);
      }
    }
    report.irregular_lines += source->irregular();
    require_unchanged(file);
  }
  if (report.rows == 0) no_records(files);
  if (rule) report.unit = {rule->persons(), rule->without_identifier(), rule->surplus(), rule->most_of_one()};
  return report;
}

}  // namespace dperm::data
