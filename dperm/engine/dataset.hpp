// SPDX-License-Identifier: Apache-2.0
// A dataset as the rest of dperm sees it: public facts in the open, records behind Sensitive and asked for sums only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/stream.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::data {

class Dataset {
 public:
  // Rows wherever they are: any implementation of RowSums.
  Dataset(std::shared_ptr<const schema::Encoding> encoding, engine::SharedSums sums);
  // Rows on this machine, as they were read.
  Dataset(std::shared_ptr<const schema::Encoding> encoding, const EncodedRows& rows, const ReadOptions& options = {});
  // Rows selected in secret, their number `rows` being public.
  Dataset(std::shared_ptr<const schema::Encoding> encoding, std::size_t rows, Sensitive<engine::SharedSums> sums)
      : encoding_(std::move(encoding)), rows_(rows), sums_(std::move(sums)) {}

  const schema::Encoding& encoding() const { return *encoding_; }
  std::shared_ptr<const schema::Encoding> shared_encoding() const { return encoding_; }
  // False: read without asking for the target column, so that labels may be made up. Nothing is learned from such rows.
  bool is_labelled() const { return labelled_; }
  // False: read without regard to the schema's unit, so that someone may have more rows than it says. Nothing is
  // learned from such rows either.
  bool is_by_unit() const { return by_unit_; }
  // The same rows, read as features by a schema that differs in the shapes of columns and in pairs alone: no cell is
  // encoded again. ArgumentError for another schema.
  Dataset read_as(std::shared_ptr<const schema::Encoding> encoding) const;
  std::size_t rows() const { return rows_; }  // public: neighbours replace a record, they do not add one
  // sums().map([&](const engine::RowSums& sums) { ... }): what is computed stays sensitive.
  const Sensitive<engine::SharedSums>& sums() const { return sums_; }

 private:
  std::shared_ptr<const schema::Encoding> encoding_;
  std::size_t rows_;
  Sensitive<engine::SharedSums> sums_;
  bool labelled_ = true;
  bool by_unit_ = true;
};

// Files to a dataset; patterns, options and errors as read_tiles (dperm/data/reader.hpp).
Dataset read_dataset(const std::vector<std::string>& patterns, std::shared_ptr<const schema::Encoding> encoding,
                     const ReadOptions& options);

// Tables in memory to a dataset, by the same rules; ownership and errors as dperm/data/stream.hpp says.
Dataset read_stream(ArrowArrayStream* stream, std::shared_ptr<const schema::Encoding> encoding,
                    const ReadOptions& options);
Dataset read_batches(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                     std::shared_ptr<const schema::Encoding> encoding, const ReadOptions& options);

}  // namespace dperm::data
