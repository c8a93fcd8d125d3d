// SPDX-License-Identifier: Apache-2.0
// A dataset as the rest of dperm sees it: public facts in the open, records behind Sensitive.
#pragma once

#include <cstddef>
#include <memory>

#include "dperm/core/sensitive.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::data {

class Dataset {
 public:
  Dataset(std::shared_ptr<const schema::Encoding> encoding, TileSet tiles)
      : encoding_(std::move(encoding)), rows_(tiles.rows()), tiles_(std::move(tiles)) {}
  // Rows selected in secret, their number `rows` being public.
  Dataset(std::shared_ptr<const schema::Encoding> encoding, std::size_t rows, Sensitive<TileSet> tiles)
      : encoding_(std::move(encoding)), rows_(rows), tiles_(std::move(tiles)) {}

  const schema::Encoding& encoding() const { return *encoding_; }
  std::shared_ptr<const schema::Encoding> shared_encoding() const { return encoding_; }
  std::size_t rows() const { return rows_; }  // public: neighbours replace a record, they do not add one
  const Sensitive<TileSet>& tiles() const { return tiles_; }

 private:
  std::shared_ptr<const schema::Encoding> encoding_;
  std::size_t rows_;
  Sensitive<TileSet> tiles_;
};

}  // namespace dperm::data
