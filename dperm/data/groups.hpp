// SPDX-License-Identifier: Apache-2.0
// Batches of a source, a few at a time on several threads: encoded into tiles, or counted. Internal to the room.
#pragma once

#include <arrow/record_batch.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dperm/core/fork_join.hpp"
#include "dperm/core/interrupt.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/filled_rows.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/data/unit_rule.hpp"

namespace dperm::data {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// ArgumentError.
void validate_options(const ReadOptions& options);

// Runs task(i) for i < count on the given number of threads; which thread runs which does not matter to any result. A
// caller that wants to stop is asked before every task of its own thread.
class Workers {
 public:
  // Never more than the machine has: TBB would print a warning.
  explicit Workers(int threads)
      : threads_(threads == 0 ? tbb::info::default_concurrency() : std::min(threads, tbb::info::default_concurrency())),
        arena_(threads_) {}
  int threads() const { return threads_; }
  void run(std::size_t count, const std::function<void(std::size_t)>& task) {
    const InterruptCheck check;
    const auto checked = [&](std::size_t i) {
      check();
      task(i);
    };
    if (threads_ == 1) {
      for (std::size_t i = 0; i < count; ++i) checked(i);
      return;
    }
    const ForkJoin loop(checked);
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, count, loop.task()); });
  }

 private:
  int threads_;
  tbb::task_arena arena_;
};

// Hands a source's batches on in groups of a few, none longer than kSlice rows.
class Groups {
 public:
  Groups(BatchSource& source, const Workers& workers)
      : source_(source), group_(static_cast<std::size_t>(std::min(workers.threads(), 16))) {}

  Batches next();  // empty at the end

 private:
  static constexpr std::int64_t kSlice = std::int64_t{1} << 16;
  BatchSource& source_;
  std::size_t group_;
  std::shared_ptr<arrow::RecordBatch> rest_;
};

std::size_t rows_of(const arrow::RecordBatch& batch);

// Counts per wanted column of the cells to which a rule of the schema has to be applied.
std::vector<ColumnCheck> check_group(const ColumnSet& columns, const Batches& batches, Workers& workers);

// The records that were read, and by which rule of the schema's unit they count, if it has one.
struct RowCount {
  RowCount() = default;
  RowCount(const schema::Encoding& encoding, const ReadOptions& options);
  std::size_t rows = 0;
  std::optional<UnitRule> rule = {};
  FilledRows filled = {};  // where there is a rule
};

// Encodes all records of a source that count behind those that the writer has. `name` is what messages call the source.
// With options.strict throws DataError where records do not fit the schema.
void encode_source(BatchSource& source, const std::string& name, const ColumnSet& columns, const ReadOptions& options,
                   Workers& workers, TileWriter& writer, RowCount& count);

EncodedRows encoded(TileSet tiles, RowCount count);

}  // namespace dperm::data
