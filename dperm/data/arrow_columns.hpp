// SPDX-License-Identifier: Apache-2.0
// What readers of Arrow's formats share: refusing column types, putting columns in order, validation, sizes of batches.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <memory>
#include <string_view>
#include <vector>

#include "dperm/data/source/files.hpp"

namespace dperm::data {

// Throws DataError naming the column and its type when its cells cannot be encoded.
void require_supported(const InputFile& file, const arrow::Field& field);

// Column i of the result is column order[i] of the batch.
std::shared_ptr<arrow::RecordBatch> reordered(const arrow::RecordBatch& batch, const std::vector<int>& order);

// The same array with texts seen as plain bytes: what is not valid UTF-8 is still a cell, not a damaged file.
std::shared_ptr<arrow::ArrayData> as_bytes(const std::shared_ptr<arrow::ArrayData>& data);

// Columns `order` of the batch, texts as bytes, with all offsets and indices checked; DataError (what, advice) where
// they are wrong.
std::shared_ptr<arrow::RecordBatch> validated_bytes(const InputFile& file, const arrow::RecordBatch& batch,
                                                    const std::vector<int>& order, std::string_view what,
                                                    std::string_view advice);

// Rows that keep a batch of this many columns within some tens of megabytes.
std::int64_t rows_per_batch(std::size_t columns);

}  // namespace dperm::data
