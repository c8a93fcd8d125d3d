// SPDX-License-Identifier: Apache-2.0
// Tables in memory to tiles, by the same rules as files: any Arrow C stream, or record batches of Arrow C++. Users of
// this header need no header of Arrow.
#pragma once

#include <memory>
#include <vector>

#include "dperm/data/reader.hpp"

struct ArrowArrayStream;  // the Arrow C stream interface: arrow.apache.org/docs/format/CStreamInterface.html

namespace arrow {
class RecordBatch;
}

namespace dperm::data {

// All records of the stream. It is consumed and released on every path, exceptions included. Cells are read total in
// the records, as from files. Throws DataError where the stream lacks a column, has one twice or with a type that
// cannot be encoded, fails, is not well-formed or holds no record; ArgumentError for a null or released stream, and for
// options.tiles_path: nothing says whether a stream is the one that tiles were made from.
//
// Lengths of buffers are not part of the interface: the memory that a stream points to is trusted, as every pointer of
// a caller is. What lies inside it (offsets, indices into dictionaries) is checked before it is followed.
EncodedRows read_stream_tiles(ArrowArrayStream* stream, std::shared_ptr<const schema::Encoding> encoding,
                              const ReadOptions& options);

// The same for record batches, which must have one schema (DataError).
EncodedRows read_batch_tiles(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                             std::shared_ptr<const schema::Encoding> encoding, const ReadOptions& options);

}  // namespace dperm::data
