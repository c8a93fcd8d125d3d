// SPDX-License-Identifier: Apache-2.0
// Arrow IPC files and streams. Arrow trusts the offsets in such files, so every batch is validated before use.
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>

#include <algorithm>

#include "dperm/core/error.hpp"
#include "dperm/data/arrow_columns.hpp"
#include "dperm/data/source/file_memory.hpp"
#include "dperm/data/source/source.hpp"

namespace dperm::data {

namespace {

constexpr const char* kDamaged = "this is not a complete Arrow IPC file";
constexpr const char* kAgain = "write or copy it again";

arrow::ipc::IpcReadOptions options_with(const FileMemory& memory) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = memory.pool();
  return options;
}

// Files and streams behind one face.
class IpcReader {
 public:
  IpcReader(const InputFile& file, const arrow::ipc::IpcReadOptions& options) : file_(file) {
    auto raw = arrow::io::ReadableFile::Open(file.location(), options.memory_pool);
    if (!raw.ok()) arrow_failed(file, raw.status(), "the file cannot be opened", "check its permissions");
    if (file.format == FileFormat::ipc_file) {
      auto reader = arrow::ipc::RecordBatchFileReader::Open(*raw, options);
      if (!reader.ok()) arrow_failed(file, reader.status(), kDamaged, kAgain);
      whole_ = *reader;
    } else {
      auto reader = arrow::ipc::RecordBatchStreamReader::Open(open_stream(file, options.memory_pool), options);
      if (!reader.ok()) arrow_failed(file, reader.status(), kDamaged, kAgain);
      stream_ = *reader;
    }
  }

  std::shared_ptr<arrow::Schema> schema() const { return whole_ ? whole_->schema() : stream_->schema(); }

  std::shared_ptr<arrow::RecordBatch> next() {
    if (whole_ && next_ == whole_->num_record_batches()) return nullptr;
    auto batch = whole_ ? whole_->ReadRecordBatch(next_++) : stream_->Next();
    if (!batch.ok()) arrow_failed(file_, batch.status(), kDamaged, kAgain);
    return *batch;
  }

 private:
  const InputFile& file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> whole_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
  int next_ = 0;
};

class IpcSource final : public BatchSource {
 public:
  explicit IpcSource(const SourceRequest& request) : file_(request.file), memory_(file_) {
    auto options = options_with(memory_);
    const auto schema = IpcReader(file_, options).schema();
    const std::vector<std::size_t> found = find_columns(request, schema->field_names());
    has_target_ = found.size() == request.wanted.size();
    options.use_threads = request.threads != 1;
    for (const std::size_t index : found) {
      require_supported(file_, *schema->field(static_cast<int>(index)));
      options.included_fields.push_back(static_cast<int>(index));
    }
    std::sort(options.included_fields.begin(), options.included_fields.end());
    for (const std::size_t index : found) {
      const auto& kept = options.included_fields;
      order_.push_back(
          static_cast<int>(std::lower_bound(kept.begin(), kept.end(), static_cast<int>(index)) - kept.begin()));
    }
    reader_ = std::make_unique<IpcReader>(file_, options);
  }

  std::shared_ptr<arrow::RecordBatch> next() override {
    const auto batch = reader_->next();
    if (batch == nullptr) return nullptr;
    return validated_bytes(file_, *batch, order_, kDamaged, kAgain);
  }

 private:
  InputFile file_;
  FileMemory memory_;
  std::unique_ptr<IpcReader> reader_;
  std::vector<int> order_;
};

}  // namespace

std::unique_ptr<BatchSource> open_ipc(const SourceRequest& request) { return std::make_unique<IpcSource>(request); }

std::shared_ptr<arrow::Schema> ipc_schema(const InputFile& file) {
  const FileMemory memory(file);
  return IpcReader(file, options_with(memory)).schema();
}

}  // namespace dperm::data
