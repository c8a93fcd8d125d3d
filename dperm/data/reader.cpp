// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/reader.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/source/files.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/tiles/tile_writer.hpp"

namespace dperm::data {

namespace {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// Runs task(i) for i < count on the given number of threads; which thread runs which does not matter to any result.
class Workers {
 public:
  // Never more than the machine has: TBB would print a warning.
  explicit Workers(int threads)
      : threads_(threads == 0 ? tbb::info::default_concurrency() : std::min(threads, tbb::info::default_concurrency())),
        arena_(threads_) {}
  int threads() const { return threads_; }
  void run(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (threads_ == 1) {
      for (std::size_t i = 0; i < count; ++i) task(i);
      return;
    }
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, count, task); });
  }

 private:
  int threads_;
  tbb::task_arena arena_;
};

std::size_t rows_of(const arrow::RecordBatch& batch) { return static_cast<std::size_t>(batch.num_rows()); }

// Hands a source's batches on in groups of a few, none longer than kSlice rows.
class Groups {
 public:
  Groups(BatchSource& source, std::size_t group) : source_(source), group_(group) {}

  Batches next() {
    Batches batches;
    while (batches.size() < group_) {
      if (rest_ == nullptr || rest_->num_rows() == 0) rest_ = source_.next();
      if (rest_ == nullptr) break;
      if (rest_->num_rows() == 0) continue;
      batches.push_back(rest_->Slice(0, kSlice));
      rest_ = rest_->Slice(std::min(kSlice, rest_->num_rows()));
    }
    return batches;
  }

 private:
  static constexpr std::int64_t kSlice = std::int64_t{1} << 16;
  BatchSource& source_;
  std::size_t group_;
  std::shared_ptr<arrow::RecordBatch> rest_;
};

void validate_options(const ReadOptions& options) {
  require(options.threads >= 0, "threads", fmt::format("must be 0 (all cores) or more; got {}", options.threads));
}

std::vector<ColumnCheck> check_group(const ColumnSet& columns, const Batches& batches, Workers& workers) {
  const std::size_t width = columns.wanted().size();
  std::vector<ColumnCheck> parts(width * batches.size());
  workers.run(parts.size(), [&](std::size_t task) {
    const arrow::RecordBatch& batch = *batches[task / width];
    const std::size_t column = task % width;
    if (static_cast<int>(column) < batch.num_columns()) {
      parts[task] = columns.check(column, *batch.column(static_cast<int>(column)));
    } else {
      parts[task].missing = rows_of(batch);
    }
  });
  std::vector<ColumnCheck> sums(width);
  for (std::size_t task = 0; task < parts.size(); ++task) {
    ColumnCheck& sum = sums[task % width];
    sum.missing += parts[task].missing;
    sum.unreadable += parts[task].unreadable;
    sum.out_of_bounds += parts[task].out_of_bounds;
    sum.unknown_values += parts[task].unknown_values;
  }
  return sums;
}

void require_strict(const InputFile& file, const ColumnSet& columns, const Batches& batches, bool has_target,
                    Workers& workers) {
  const std::vector<ColumnCheck> counts = check_group(columns, batches, workers);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (columns.wanted()[c].is_target && !has_target) continue;
    const std::string problem = columns.strict_problem(c, counts[c]);
    if (problem.empty()) continue;
    throw DataError(
        fmt::format("{}: strict reading: column '{}' holds {}. Correct the data or read without strict, "
                    "which applies the schema's rules. This refusal itself says something about the records: "
                    "show it to the data owner only",
                    file.path, columns.wanted()[c].name, problem));
  }
}

void encode_group(const ColumnSet& columns, const Batches& batches, TileWriter& writer, Workers& workers) {
  std::vector<std::size_t> first_rows;
  std::size_t row = writer.rows();
  for (const auto& batch : batches) {
    first_rows.push_back(row);
    row += rows_of(*batch);
  }
  writer.extend(row - writer.rows());
  const std::size_t width = columns.wanted().size();
  workers.run(width * batches.size(), [&](std::size_t task) {
    const arrow::RecordBatch& batch = *batches[task / width];
    const std::size_t column = task % width;
    const std::size_t first_row = first_rows[task / width];
    if (static_cast<int>(column) < batch.num_columns()) {
      columns.encode(column, *batch.column(static_cast<int>(column)), writer, first_row);
    } else {
      columns.encode_absent(column, rows_of(batch), writer, first_row);
    }
  });
}

// Calls use(batches, file, has_target) for all records of all files in order. Returns whether every file had the
// target.
template <class Use>
bool for_each_group(const std::vector<InputFile>& files, const ColumnSet& columns, const schema::TextFormat& format,
                    const ReadOptions& options, const Workers& workers, Use use) {
  bool all_targets = true;
  for (const InputFile& file : files) {
    const auto source = open_source({file, format, columns.wanted(), options.target_required, workers.threads() != 1});
    all_targets = all_targets && source->has_target();
    Groups groups(*source, static_cast<std::size_t>(std::min(workers.threads(), 16)));
    for (Batches batches = groups.next(); !batches.empty(); batches = groups.next()) {
      use(batches, file, source->has_target());
    }
    require_unchanged(file);
  }
  return all_targets;
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

EncodedRows encoded(TileSet tiles) {
  const std::size_t rows = tiles.rows();
  return {rows, Sensitive<TileSet>(std::move(tiles))};
}

}  // namespace

EncodedRows read_tiles(const std::vector<std::string>& patterns, std::shared_ptr<const schema::Encoding> encoding,
                       const ReadOptions& options) {
  validate_options(options);
  const TileLayout layout(*encoding, options.tile_height);
  const std::vector<InputFile> files = find_files(patterns, encoding->schema().format.file);
  const bool in_file = !options.tiles_path.empty();
  TileFileHeader header;
  if (in_file) {
    header = header_for(*encoding, layout, files, options);
    std::optional<TileSet> found = open_tile_file(options.tiles_path, *encoding, layout, header);
    // Strict reading has to see the records themselves.
    if (found && !options.strict) return encoded(std::move(*found));
  }
  const ColumnSet columns(*encoding);
  Workers workers(options.threads);
  auto writer =
      in_file ? std::make_unique<TileWriter>(layout, options.tiles_path, header) : std::make_unique<TileWriter>(layout);
  const bool has_target = for_each_group(files, columns, encoding->schema().format, options, workers,
                                         [&](const Batches& batches, const InputFile& file, bool file_has_target) {
                                           if (options.strict)
                                             require_strict(file, columns, batches, file_has_target, workers);
                                           encode_group(columns, batches, *writer, workers);
                                         });
  if (writer->rows() == 0) no_records(files);
  return encoded(writer->finish(has_target));
}

std::vector<RawColumn> read_columns(const std::vector<std::string>& patterns, const schema::TextFormat& format) {
  return source_columns(find_files(patterns, format.file).front(), format);
}

CheckReport check_dataset(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                          const ReadOptions& options) {
  validate_options(options);
  const std::vector<InputFile> files = find_files(patterns, encoding.schema().format.file);
  const ColumnSet columns(encoding);
  Workers workers(options.threads);
  CheckReport report;
  for (const WantedColumn& column : columns.wanted()) report.columns.push_back({column.name, 0, 0, 0, 0});
  for_each_group(files, columns, encoding.schema().format, options, workers,
                 [&](const Batches& batches, const InputFile&, bool) {
                   const std::vector<ColumnCheck> counts = check_group(columns, batches, workers);
                   for (std::size_t c = 0; c < counts.size(); ++c) {
                     report.columns[c].missing += counts[c].missing;
                     report.columns[c].unreadable += counts[c].unreadable;
                     report.columns[c].out_of_bounds += counts[c].out_of_bounds;
                     report.columns[c].unknown_values += counts[c].unknown_values;
                   }
                   for (const auto& batch : batches) report.rows += rows_of(*batch);
                 });
  if (report.rows == 0) no_records(files);
  return report;
}

}  // namespace dperm::data
