// SPDX-License-Identifier: Apache-2.0
// One file as a stream of batches that hold the needed columns only, whatever the file's format.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <string>
#include <vector>

#include "dperm/data/source/files.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::data {

struct WantedColumn {
  std::string name;
  bool as_text = false;  // categories, booleans, labels
  bool is_target = false;
};

struct SourceRequest {
  InputFile file;
  schema::TextFormat format;
  std::vector<WantedColumn> wanted;  // the target, if any, last
  bool target_required = true;
  int threads = 1;
  bool count_irregular = false;  // see BatchSource::irregular()
  bool names_are_fixed = false;  // a model's schema, or one with inferred entries: the file has to use its names
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // Columns in the order wanted (the target left out when has_target() is false); null at the end.
  virtual std::shared_ptr<arrow::RecordBatch> next() = 0;
  bool has_target() const { return has_target_; }
  // Lines of text so far that were no proper records (too few or too many cells, an open quote, a pair that is none)
  // and became records by the reader's rules, if the request asked to count them. About the records: for their owner
  // only.
  std::size_t irregular() const { return irregular_; }

 protected:
  bool has_target_ = true;
  std::size_t irregular_ = 0;
};

// Throws DataError when the file lacks a column, has one twice or with a type that cannot be encoded.
std::unique_ptr<BatchSource> open_source(const SourceRequest& request);

// All columns of the file with "number", "text", "boolean" or "unsupported"; text files: judged by their first block.
struct RawColumn;
std::vector<RawColumn> source_columns(const InputFile& file, const schema::TextFormat& format);

// The names alone, from a header or a file's own description: no record is looked at. None where records name columns.
std::vector<std::string> source_names(const InputFile& file, const schema::TextFormat& format);

// --- shared by the formats ---

// Position of each wanted column among `names` (blanks around them ignored). A target that is not required and not
// there is left out of the result.
std::vector<std::size_t> find_columns(const SourceRequest& request, const std::vector<std::string>& names);

std::unique_ptr<BatchSource> open_csv(const SourceRequest& request);
std::unique_ptr<BatchSource> open_parquet(const SourceRequest& request);
std::unique_ptr<BatchSource> open_ipc(const SourceRequest& request);
std::unique_ptr<BatchSource> open_libsvm(const SourceRequest& request);

std::vector<RawColumn> csv_columns(const InputFile& file, const schema::TextFormat& format);
std::vector<std::string> csv_names(const InputFile& file, const schema::TextFormat& format);
std::vector<RawColumn> libsvm_columns(const InputFile& file, const schema::TextFormat& format);
std::shared_ptr<arrow::Schema> parquet_schema(const InputFile& file);
std::shared_ptr<arrow::Schema> ipc_schema(const InputFile& file);

}  // namespace dperm::data
