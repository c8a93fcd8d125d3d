// SPDX-License-Identifier: Apache-2.0
// Delimited text: blocks of whole records, cut one after the other and parsed side by side. Cells stay bytes: what they
// mean is decided by our own total functions, so no content of a record can make reading fail.
#include <arrow/array.h>
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <deque>
#include <future>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/core/fork_join.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/source/csv_cells.hpp"
#include "dperm/data/source/csv_text.hpp"
#include "dperm/data/source/judged_column.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

[[noreturn]] void no_records(const InputFile& file, const schema::TextFormat& format) {
  throw DataError(fmt::format("{}: the file has no records{}; was it written completely?", file.path,
                              format.header ? " after its header line" : ""));
}

class CsvSource final : public BatchSource {
 public:
  explicit CsvSource(const SourceRequest& request) : CsvSource(request, read_csv_head(request.file, request.format)) {}

  std::shared_ptr<arrow::RecordBatch> next() override {
    if (ready_.empty()) parse_more();
    if (ready_.empty()) {
      if (!any_) no_records(request_.file, request_.format);
      return nullptr;
    }
    any_ = true;
    auto batch = std::move(ready_.front());
    ready_.pop_front();
    return batch;
  }

 private:
  CsvSource(const SourceRequest& request, const CsvHead& head)
      : request_(request),
        wanted_(find_columns(request, head.names)),
        rules_{request.format.line_end, delimiter_of(request.file, request.format), request.format.multi_line,
               request.format.skip_last_rows},
        blocks_(request.file, head.records, rules_, head.line),
        cells_(rules_, head.names.size(), wanted_, request.count_irregular),
        arena_(request.threads) {
    has_target_ = wanted_.size() == request.wanted.size();
    read_ahead();
  }

  // As many blocks as there are threads; on several threads while the blocks before are parsed and encoded.
  std::vector<TextBlock> read_blocks() {
    std::vector<TextBlock> blocks;
    while (blocks.size() < static_cast<std::size_t>(std::min(request_.threads, 16))) {
      TextBlock block = blocks_.next();
      if (block.size == 0) break;
      blocks.push_back(std::move(block));
    }
    return blocks;
  }
  void read_ahead() {
    const auto policy = request_.threads == 1 ? std::launch::deferred : std::launch::async;
    ahead_ = std::async(policy, [this] { return read_blocks(); });
  }

  void parse_more() {
    if (!ahead_.valid()) return;
    const std::vector<TextBlock> blocks = ahead_.get();
    if (blocks.empty()) return;
    read_ahead();
    std::vector<CsvCells::Parsed> parsed(blocks.size());
    if (blocks.size() == 1) {
      parsed[0] = cells_.parse(blocks[0]);
    } else {
      const auto parse = [&](std::size_t i) { parsed[i] = cells_.parse(blocks[i]); };
      const ForkJoin loop(parse);
      arena_.execute([&] { tbb::parallel_for(std::size_t{0}, blocks.size(), loop.task()); });
    }
    for (CsvCells::Parsed& each : parsed) {
      irregular_ += each.irregular;
      std::move(each.batches.begin(), each.batches.end(), std::back_inserter(ready_));
    }
  }

  SourceRequest request_;
  std::vector<std::size_t> wanted_;
  RecordRules rules_;
  TextBlocks blocks_;
  CsvCells cells_;
  tbb::task_arena arena_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
  bool any_ = false;
  std::future<std::vector<TextBlock>> ahead_;  // last: it ends before what it uses
};

}  // namespace

std::unique_ptr<BatchSource> open_csv(const SourceRequest& request) { return std::make_unique<CsvSource>(request); }

std::vector<std::string> csv_names(const InputFile& file, const schema::TextFormat& format) {
  std::vector<std::string> names;
  for (const std::string& name : read_csv_head(file, format).names) names.emplace_back(schema::trimmed(name));
  return names;
}

std::vector<RawColumn> csv_columns(const InputFile& file, const schema::TextFormat& format) {
  const CsvHead head = read_csv_head(file, format);
  const RecordRules rules{format.line_end, delimiter_of(file, format), format.multi_line, format.skip_last_rows};
  // Every column by position: only a fit needs names that differ.
  std::vector<std::size_t> every(head.names.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  const TextBlock block = TextBlocks(file, head.records, rules, head.line).next();
  if (block.size == 0) no_records(file, format);
  const CsvCells::Parsed parsed = CsvCells(rules, every.size(), every, false).parse(block);
  const arrow::RecordBatch& batch = *parsed.batches.front();
  std::vector<RawColumn> columns;
  for (const std::size_t i : every) {
    const auto& cells = static_cast<const arrow::BinaryViewArray&>(*batch.column(static_cast<int>(i)));
    columns.push_back(judged_column(std::string(schema::trimmed(head.names[i])), cells, format));
  }
  return columns;
}

}  // namespace dperm::data
