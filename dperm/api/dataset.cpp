// SPDX-License-Identifier: Apache-2.0
#include "dperm/dataset.hpp"

#include "dperm/data/part_tiles.hpp"
#include "dperm/engine/dataset.hpp"

namespace dperm {

namespace {

data::ReadOptions internal(const ReadOptions& options) {
  data::ReadOptions result;
  result.tiles_path = options.tiles_path;
  result.threads = options.threads;
  result.strict = options.strict;
  result.format = options.format;
  result.target_required = options.target_required;
  result.by_unit = options.by_unit && options.target_required;
  return result;
}

std::shared_ptr<const schema::Encoding> encoding_of(const Schema& schema) {
  schema::validate(schema);
  return std::make_shared<const schema::Encoding>(schema);
}

}  // namespace

std::size_t Dataset::rows() const { return records_->rows(); }
const Schema& Dataset::schema() const { return records_->encoding().schema(); }

Dataset read_dataset(const std::vector<std::string>& files, const Schema& schema, const ReadOptions& options) {
  return Dataset(
      std::make_shared<const data::Dataset>(data::read_dataset(files, encoding_of(schema), internal(options))));
}

Dataset read_stream(ArrowArrayStream* stream, const Schema& schema, const ReadOptions& options) {
  return Dataset(
      std::make_shared<const data::Dataset>(data::read_stream(stream, encoding_of(schema), internal(options))));
}

std::vector<std::string> read_columns(const Schema& schema) { return data::part_columns(*encoding_of(schema)); }

}  // namespace dperm
