// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/dataset.hpp"

#include "dperm/core/check.hpp"
#include "dperm/engine/blank_rows.hpp"
#include "dperm/engine/cpu/tile_sums.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::data {

namespace {

// Sums over rows of another encoding would be refused query by query; here the reason can be named.
std::size_t rows_of(const engine::RowSums& sums, const schema::Encoding& encoding) {
  require(sums.dimension() == encoding.dimension() && sums.columns() == encoding.columns(),
          "the sums are over rows of another encoding");
  return sums.rows();
}

Sensitive<engine::SharedSums> sums_over(const EncodedRows& rows) {
  using Filled = std::shared_ptr<const FilledRows>;
  return rows.tiles.with(rows.filled, [](const TileSet& tiles, const Filled& filled) {
    const auto stored = std::make_shared<const engine::TileSums>(tiles);
    if (!filled) return engine::SharedSums(stored);
    return engine::SharedSums(std::make_shared<const engine::BlankRows>(stored, filled));
  });
}

}  // namespace

Dataset::Dataset(std::shared_ptr<const schema::Encoding> encoding, engine::SharedSums sums)
    : encoding_(std::move(encoding)), rows_(rows_of(sums, *encoding_)), sums_(std::move(sums)) {}

Dataset::Dataset(std::shared_ptr<const schema::Encoding> encoding, const EncodedRows& rows, const ReadOptions& options)
    : encoding_(std::move(encoding)),
      rows_(rows.rows),
      sums_(sums_over(rows)),
      labelled_(options.target_required),
      by_unit_(options.by_unit) {}

Dataset Dataset::read_as(std::shared_ptr<const schema::Encoding> encoding) const {
  if (encoding->schema() == encoding_->schema()) return *this;
  require(schema::without_shapes(encoding->schema()) == schema::without_shapes(encoding_->schema()),
          "these rows were read with another schema");
  Dataset result = *this;
  result.sums_ = sums_.map([&](const engine::RowSums& sums) { return engine::SharedSums(sums.read_as(*encoding)); });
  result.encoding_ = std::move(encoding);
  return result;
}

Dataset read_dataset(const std::vector<std::string>& patterns, std::shared_ptr<const schema::Encoding> encoding,
                     const ReadOptions& options) {
  const EncodedRows rows = read_tiles(patterns, encoding, options);
  return {std::move(encoding), rows, options};
}

Dataset read_stream(ArrowArrayStream* stream, std::shared_ptr<const schema::Encoding> encoding,
                    const ReadOptions& options) {
  const EncodedRows rows = read_stream_tiles(stream, encoding, options);
  return {std::move(encoding), rows, options};
}

Dataset read_batches(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                     std::shared_ptr<const schema::Encoding> encoding, const ReadOptions& options) {
  const EncodedRows rows = read_batch_tiles(batches, encoding, options);
  return {std::move(encoding), rows, options};
}

}  // namespace dperm::data
