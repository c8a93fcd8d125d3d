// SPDX-License-Identifier: Apache-2.0
// Delimited text through Arrow's streaming reader. Cells stay bytes: what they mean is decided by our own total
// functions, so no content of a cell can make reading fail.
#include <arrow/array.h>
#include <arrow/csv/api.h>
#include <arrow/io/interfaces.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/source/csv_text.hpp"
#include "dperm/data/source/judged_column.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

// Measured on 28 number columns: 1 to 4 MiB are equally fast, larger blocks only cost memory.
constexpr std::size_t kBlockBytes = std::size_t{2} << 20;
constexpr std::size_t kLargestBlock = std::size_t{1} << 30;

class CsvSource final : public BatchSource {
 public:
  explicit CsvSource(const SourceRequest& request) : request_(request) {
    CsvHead head = read_csv_head(request.file, request.format);
    wanted_ = find_columns(request, head.names);
    has_target_ = wanted_.size() == request.wanted.size();
    open(std::move(head));
  }
  // Every column by position: only a fit needs names that differ.
  CsvSource(const InputFile& file, const schema::TextFormat& format) : request_{file, format, {}, true, false} {
    CsvHead head = read_csv_head(file, format);
    names_ = head.names;
    wanted_.resize(names_.size());
    std::iota(wanted_.begin(), wanted_.end(), std::size_t{0});
    open(std::move(head));
  }
  const std::vector<std::string>& names() const { return names_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      const arrow::Status status = reader_->ReadNext(&batch);
      if (!status.ok()) {
        recover(status);
        continue;
      }
      if (batch == nullptr) {
        if (delivered_ == 0) no_records();
        return nullptr;
      }
      const std::int64_t repeated = std::min(repeat_, batch->num_rows());
      repeat_ -= repeated;
      if (batch->num_rows() == repeated) continue;
      delivered_ += batch->num_rows() - repeated;
      return batch->Slice(repeated);
    }
  }

 private:
  void open(CsvHead head) {
    columns_ = head.names.size();
    auto read = arrow::csv::ReadOptions::Defaults();
    auto convert = arrow::csv::ConvertOptions::Defaults();
    auto parse = arrow::csv::ParseOptions::Defaults();
    read.use_threads = request_.threads;
    read.block_size = static_cast<std::int32_t>(block_bytes_);
    read.column_names.reserve(columns_);  // positions, because names in a file may repeat
    for (std::size_t i = 0; i < columns_; ++i) read.column_names.push_back(std::to_string(i));
    for (const std::size_t index : wanted_) {
      convert.include_columns.push_back(read.column_names[index]);
      convert.column_types[read.column_names[index]] = arrow::binary();
    }
    convert.check_utf8 = false;
    parse.delimiter = delimiter_of(request_.file, request_.format);
    parse.newlines_in_values = true;
    // In a file of one column an empty line is a record whose cell is missing. Dropping it would make the number of
    // rows, which is public, depend on a value.
    parse.ignore_empty_lines = columns_ != 1;
    auto reader = arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), std::move(head.records), read,
                                                    parse, convert);
    if (reader.ok()) {
      reader_ = *reader;
    } else {
      recover(reader.status());
    }
  }

  // Arrow's message may quote a record, so the file is scanned again to find what is wrong. A record longer than a
  // block is nothing wrong: reading starts over with larger blocks and skips what was delivered.
  void recover(const arrow::Status& status) {
    const CsvDiagnosis found = diagnose_csv(request_.file, request_.format);
    const std::string& path = request_.file.path;
    switch (found.kind) {
      case CsvDiagnosis::Kind::no_records:
        no_records();
      case CsvDiagnosis::Kind::unclosed_quote:
        throw DataError(
            fmt::format("{}:{}: a quoted cell in the record that begins here is never closed; close the "
                        "quote or remove it",
                        path, found.line));
      case CsvDiagnosis::Kind::wrong_cells:
        throw DataError(fmt::format(
            "{}:{}: the record has {} cells, {} are expected from the {}; correct the line, the "
            "delimiter or column_names in the schema",
            path, found.line, found.cells, columns_, request_.format.header ? "header" : "schema's column_names"));
      case CsvDiagnosis::Kind::nothing:
        break;
    }
    if (2 * found.longest_record <= block_bytes_ || found.longest_record > kLargestBlock / 2) {
      arrow_failed(request_.file, status, "the text cannot be read",
                   "check that it is delimited text with records below 512 MiB");
    }
    block_bytes_ = 2 * found.longest_record;
    repeat_ = delivered_;
    open(read_csv_head(request_.file, request_.format));
  }

  [[noreturn]] void no_records() const {
    throw DataError(fmt::format("{}: the file has no records{}; was it written completely?", request_.file.path,
                                request_.format.header ? " after its header line" : ""));
  }

  SourceRequest request_;
  std::vector<std::string> names_;
  std::vector<std::size_t> wanted_;
  std::size_t columns_ = 0;
  std::size_t block_bytes_ = kBlockBytes;
  std::int64_t delivered_ = 0, repeat_ = 0;
  std::shared_ptr<arrow::csv::StreamingReader> reader_;
};

}  // namespace

std::unique_ptr<BatchSource> open_csv(const SourceRequest& request) { return std::make_unique<CsvSource>(request); }

std::vector<RawColumn> csv_columns(const InputFile& file, const schema::TextFormat& format) {
  CsvSource source(file, format);
  const std::vector<std::string>& names = source.names();
  const auto batch = source.next();
  std::vector<RawColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& cells = static_cast<const arrow::BinaryArray&>(*batch->column(static_cast<int>(i)));
    columns.push_back(judged_column(std::string(schema::trimmed(names[i])), cells, format));
  }
  return columns;
}

}  // namespace dperm::data
