// SPDX-License-Identifier: Apache-2.0
// Parquet files: only the needed columns, a bounded number of rows at a time.
#include <arrow/io/file.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/data/arrow_columns.hpp"
#include "dperm/data/source/file_memory.hpp"
#include "dperm/data/source/source.hpp"

namespace dperm::data {

namespace {

constexpr const char* kDamaged = "this is not a complete Parquet file";
constexpr const char* kDamagedPage = "the Parquet file is damaged";
constexpr const char* kAgain = "write or copy it again";

// Pages are streamed, not whole column chunks, so that memory does not depend on the size of a row group.
std::unique_ptr<parquet::arrow::FileReader> open_reader(const InputFile& file, const FileMemory& memory,
                                                        const parquet::ArrowReaderProperties& properties) {
  auto raw = arrow::io::ReadableFile::Open(file.location(), memory.pool());
  if (!raw.ok()) arrow_failed(file, raw.status(), "the file cannot be opened", "check its permissions");
  parquet::ReaderProperties reading(memory.pool());
  reading.enable_buffered_stream();
  reading.set_buffer_size(std::int64_t{64} << 10);
  // No list in a file has more entries than the file has bytes: a small one cannot ask for much memory.
  reading.set_thrift_container_size_limit(static_cast<std::int32_t>(std::clamp<std::uint64_t>(
      file.facts.size, 1, static_cast<std::uint64_t>(reading.thrift_container_size_limit()))));
  try {
    auto made =
        parquet::arrow::FileReader::Make(memory.pool(), parquet::ParquetFileReader::Open(*raw, reading), properties);
    if (!made.ok()) arrow_failed(file, made.status(), kDamaged, kAgain);
    return std::move(*made);
  } catch (const parquet::ParquetException&) {
    arrow_failed(file, arrow::Status::Invalid(""), kDamaged, kAgain);
  }
}

std::vector<std::string> top_names(const parquet::arrow::FileReader& reader) {
  std::vector<std::string> names;
  for (const auto& field : reader.manifest().schema_fields) names.push_back(field.field->name());
  return names;
}

class ParquetSource final : public BatchSource {
 public:
  explicit ParquetSource(const SourceRequest& request) : file_(request.file), memory_(file_) {
    auto reader = open_reader(file_, memory_, parquet::ArrowReaderProperties());
    const std::vector<std::size_t> found = find_columns(request, top_names(*reader));
    has_target_ = found.size() == request.wanted.size();
    parquet::ArrowReaderProperties properties(request.threads != 1);
    std::vector<int> leaves;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& field = reader->manifest().schema_fields[found[i]];
      require_supported(file_, *field.field);
      leaves.push_back(field.column_index);
      // Texts arrive as a dictionary with codes: each distinct text of a batch is looked up once.
      if (request.wanted[i].as_text && arrow::is_base_binary_like(field.field->type()->id())) {
        properties.set_read_dictionary(field.column_index, true);
      }
    }
    properties.set_batch_size(rows_per_batch(found.size()));
    properties.set_pre_buffer(false);
    reader_ = open_reader(file_, memory_, properties);
    open_batches(leaves);
  }

  std::shared_ptr<arrow::RecordBatch> next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    try {
      const arrow::Status status = batches_->ReadNext(&batch);
      if (!status.ok()) arrow_failed(file_, status, kDamagedPage, kAgain);
    } catch (const parquet::ParquetException&) {
      arrow_failed(file_, arrow::Status::Invalid(""), kDamagedPage, kAgain);
    }
    if (batch == nullptr) return nullptr;
    // Columns of a damaged file may have other lengths than the batch. What codes point to is checked cell by cell.
    const arrow::Status status = batch->Validate();
    if (!status.ok()) arrow_failed(file_, status, kDamagedPage, kAgain);
    return reordered(*batch, order_);
  }

 private:
  void open_batches(const std::vector<int>& leaves) {
    std::vector<int> groups(static_cast<std::size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    // Columns come back in the order of the file.
    std::vector<int> sorted = leaves;
    std::sort(sorted.begin(), sorted.end());
    for (const int leaf : leaves) {
      order_.push_back(static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), leaf) - sorted.begin()));
    }
    auto batches = reader_->GetRecordBatchReader(groups, sorted);
    if (!batches.ok()) arrow_failed(file_, batches.status(), kDamaged, kAgain);
    batches_ = std::move(*batches);
  }

  InputFile file_;
  FileMemory memory_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::vector<int> order_;
};

}  // namespace

std::unique_ptr<BatchSource> open_parquet(const SourceRequest& request) {
  return std::make_unique<ParquetSource>(request);
}

std::shared_ptr<arrow::Schema> parquet_schema(const InputFile& file) {
  const FileMemory memory(file);
  auto reader = open_reader(file, memory, parquet::ArrowReaderProperties());
  std::shared_ptr<arrow::Schema> schema;
  const arrow::Status status = reader->GetSchema(&schema);
  if (!status.ok()) arrow_failed(file, status, kDamaged, kAgain);
  return schema;
}

}  // namespace dperm::data
