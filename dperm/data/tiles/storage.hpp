// SPDX-License-Identifier: Apache-2.0
// Where tiles live: in memory that grows slab by slab, or in a mapped file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

class TileSet::Storage {
 public:
  virtual ~Storage() = default;
  virtual const std::byte* tile(std::size_t index) const = 0;
  virtual std::size_t tile_count() const = 0;
};

// A range of anonymous or file memory, given back on destruction. Page aligned; anonymous memory starts as zeros.
class Mapping {
 public:
  Mapping() = default;
  static Mapping anonymous(std::size_t bytes);  // throws DataError when memory is short
  static Mapping file(int descriptor, std::size_t bytes, const std::string& path);  // read only
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class MemoryStorage final : public TileSet::Storage {
 public:
  explicit MemoryStorage(std::size_t tile_bytes);
  void grow(std::size_t tiles);  // to at least this many; earlier tiles stay where they are
  std::byte* writable(std::size_t index) const;
  const std::byte* tile(std::size_t index) const override { return writable(index); }
  std::size_t tile_count() const override { return slabs_.size() * tiles_per_slab_; }

 private:
  std::size_t tile_bytes_, tiles_per_slab_;
  std::vector<Mapping> slabs_;
};

class MappedStorage final : public TileSet::Storage {
 public:
  MappedStorage(Mapping mapping, std::size_t header_bytes, std::size_t tile_bytes);
  const std::byte* tile(std::size_t index) const override {
    return mapping_.data() + header_bytes_ + index * tile_bytes_;
  }
  std::size_t tile_count() const override { return tile_count_; }

 private:
  Mapping mapping_;
  std::size_t header_bytes_, tile_bytes_, tile_count_;
};

}  // namespace dperm::data
