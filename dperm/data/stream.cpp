// SPDX-License-Identifier: Apache-2.0
// Arrow trusts the offsets and indices of arrays that it imports, so every batch is validated before use, as those of
// IPC files are: a decreasing offset or an index beyond its dictionary would be followed out of the buffer.
#include "dperm/data/stream.hpp"

#include <arrow/array.h>
#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/arrow_columns.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/groups.hpp"
#include "dperm/data/part_tiles.hpp"
#include "dperm/data/source/source.hpp"

namespace dperm::data {

namespace {

constexpr const char* kName = "the stream";
constexpr const char* kFailed = "its producer failed or it is not well-formed";
constexpr const char* kAgain = "produce it again";

using Reader = std::shared_ptr<arrow::RecordBatchReader>;

class StreamSource final : public BatchSource {
 public:
  StreamSource(Reader reader, const SourceRequest& request) : file_(request.file), reader_(std::move(reader)) {
    const auto schema = reader_->schema();
    const std::vector<std::size_t> found = find_columns(request, schema->field_names());
    has_target_ = found.size() == request.wanted.size();
    for (const std::size_t index : found) {
      require_supported(file_, *schema->field(static_cast<int>(index)));
      order_.push_back(static_cast<int>(index));
    }
  }

  std::shared_ptr<arrow::RecordBatch> next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader_->ReadNext(&batch);
    if (!status.ok()) arrow_failed(file_, status, kFailed, kAgain);
    return batch == nullptr ? nullptr : validated_bytes(file_, *batch, order_, kFailed, kAgain);
  }

 private:
  InputFile file_;
  Reader reader_;
  std::vector<int> order_;
};

InputFile stream_file() {
  InputFile file;
  file.path = kName;
  file.format = FileFormat::stream;
  return file;
}

// From here on the reader owns the stream and releases it, on failure too.
Reader imported(ArrowArrayStream* stream) {
  require(stream != nullptr && stream->release != nullptr, "the stream is null or was released before");
  auto reader = arrow::ImportRecordBatchReader(stream);
  if (!reader.ok()) arrow_failed(stream_file(), reader.status(), kFailed, kAgain);
  return std::move(*reader);
}

EncodedRows read(Reader reader, const schema::Encoding& encoding, const ReadOptions& options) {
  validate_options(options);
  if (!options.tiles_path.empty()) {
    throw ArgumentError("tiles_path",
                        "needs files: nothing says whether a stream is the one that tiles were made from");
  }
  const ColumnSet columns(encoding, options.by_unit);
  RowCount count(encoding, options);
  Workers workers(options.threads);
  StreamSource source(std::move(reader),
                      {stream_file(), {}, columns.wanted(), options.target_required, workers.threads()});
  TileWriter writer{TileLayout(encoding, options.tile_height)};
  encode_source(source, kName, columns, options, workers, writer, count);
  if (count.rows == 0) throw DataError(fmt::format("{}: it holds no record", kName));
  return encoded(writer.finish(source.has_target()), std::move(count));
}

}  // namespace

EncodedRows read_stream_tiles(ArrowArrayStream* stream, std::shared_ptr<const schema::Encoding> encoding,
                              const ReadOptions& options) {
  return read(imported(stream), *encoding, options);
}

PartTiles write_part_tiles(ArrowArrayStream* stream, const schema::Encoding& encoding, const std::string& name,
                           const std::string& path, int threads) {
  Reader reader = imported(stream);
  ReadOptions options;
  options.threads = threads;
  validate_options(options);
  const ColumnSet columns(encoding, false);
  RowCount count;
  Workers workers(options.threads);
  StreamSource source(std::move(reader), {stream_file(), {}, columns.wanted(), true, workers.threads()});
  TileWriter writer(TileLayout(encoding), path, part_header(encoding, name));
  encode_source(source, kName, columns, options, workers, writer, count);
  if (count.rows == 0) return {};  // and no file
  writer.finish(source.has_target());
  return {count.rows, writer.header().body};
}

EncodedRows read_batch_tiles(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                             std::shared_ptr<const schema::Encoding> encoding, const ReadOptions& options) {
  if (batches.empty()) throw DataError(fmt::format("{}: it holds no record", kName));
  for (const auto& batch : batches) {
    require(batch != nullptr, "a record batch is null");
    if (!batch->schema()->Equals(*batches.front()->schema(), /*check_metadata=*/false)) {
      throw DataError(fmt::format("{}: its batches have different columns; give them one schema", kName));
    }
  }
  auto reader = arrow::RecordBatchReader::Make(batches);
  if (!reader.ok()) arrow_failed(stream_file(), reader.status(), kFailed, kAgain);
  return read(std::move(*reader), *encoding, options);
}

}  // namespace dperm::data
