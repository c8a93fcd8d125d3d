// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/groups.hpp"

#include <fmt/format.h>

#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::data {

namespace {

[[noreturn]] void refuse_strict(const std::string& name, const std::string& column, const std::string& problem) {
  throw DataError(
      fmt::format("{}: strict reading: {} holds {}. Correct the data or read without strict, "
                  "which applies the schema's rules. This refusal itself says something about the records: "
                  "show it to the data owner only",
                  name, column, problem));
}

void require_strict(const std::string& name, const ColumnSet& columns, const Batches& batches, bool has_target,
                    Workers& workers) {
  const std::vector<ColumnCheck> counts = check_group(columns, batches, workers);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (columns.is_target(c) && !has_target) continue;
    const std::string problem = columns.strict_problem(c, counts[c]);
    if (problem.empty()) continue;
    refuse_strict(name, fmt::format("column '{}'", columns.name(c)), problem);
  }
}

// One batch after the other: the rule goes by the order of the file.
StoredRows next_stored(const ColumnSet& columns, const arrow::RecordBatch& batch, RowCount& count) {
  count.rows += rows_of(batch);
  if (!count.rule) return {{}, rows_of(batch)};
  StoredRows stored = columns.stored_rows(batch, *count.rule);
  for (std::size_t i = 0; i < stored.of_batch.size(); ++i) count.filled.append(stored.of_batch[i], stored.persons[i]);
  return stored;
}

void encode_group(const ColumnSet& columns, const Batches& batches, TileWriter& writer, Workers& workers,
                  RowCount& count) {
  std::vector<std::size_t> first_rows;
  std::vector<StoredRows> stored;
  std::size_t row = writer.rows();
  for (const auto& batch : batches) {
    stored.push_back(next_stored(columns, *batch, count));
    first_rows.push_back(row);
    row += stored.back().count;
  }
  writer.extend(row - writer.rows());
  const std::size_t width = columns.size();
  workers.run(width * batches.size(), [&](std::size_t task) {
    columns.encode(task % width, *batches[task / width], stored[task / width], writer, first_rows[task / width]);
  });
}

}  // namespace

void validate_options(const ReadOptions& options) {
  require(options.threads >= 0, "threads", fmt::format("must be 0 (all cores) or more; got {}", options.threads));
}

Batches Groups::next() {
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

std::size_t rows_of(const arrow::RecordBatch& batch) { return static_cast<std::size_t>(batch.num_rows()); }

std::vector<ColumnCheck> check_group(const ColumnSet& columns, const Batches& batches, Workers& workers) {
  const std::size_t width = columns.size();
  std::vector<ColumnCheck> parts(width * batches.size());
  workers.run(parts.size(),
              [&](std::size_t task) { parts[task] = columns.check(task % width, *batches[task / width]); });
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

RowCount::RowCount(const schema::Encoding& encoding, const ReadOptions& options) {
  if (encoding.schema().unit && options.by_unit) rule.emplace(encoding.schema().unit->rows);
}

void encode_source(BatchSource& source, const std::string& name, const ColumnSet& columns, const ReadOptions& options,
                   Workers& workers, TileWriter& writer, RowCount& count) {
  Groups groups(source, workers);
  for (Batches batches = groups.next(); !batches.empty(); batches = groups.next()) {
    if (options.strict && source.irregular() > 0) {
      refuse_strict(name, "a line", "too few or too many cells, an open quote or a pair that is none");
    }
    if (options.strict) require_strict(name, columns, batches, source.has_target(), workers);
    encode_group(columns, batches, writer, workers, count);
    if (options.strict && count.rule && count.rule->without_identifier() > 0) {
      refuse_strict(name, "the column of [unit]", "a row without an identifier");
    }
    if (options.progress) options.progress(count.rows, 0);
  }
}

EncodedRows encoded(TileSet tiles, RowCount count) {
  std::shared_ptr<const FilledRows> filled;
  if (count.rule) filled = std::make_shared<const FilledRows>(std::move(count.filled));
  return {count.rows, Sensitive<TileSet>(std::move(tiles)),
          Sensitive<std::shared_ptr<const FilledRows>>(std::move(filled))};
}

}  // namespace dperm::data
