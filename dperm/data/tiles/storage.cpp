// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/storage.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "dperm/core/error.hpp"

namespace dperm::data {

namespace {

// Large enough for the kernel to back it with huge pages, small beside any dataset that needs many.
constexpr std::size_t kSlabBytes = std::size_t{8} << 20;

}  // namespace

Mapping Mapping::anonymous(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw DataError(
        fmt::format("not enough memory for the tiles ({} bytes more asked for); keep them in a file instead "
                    "(the tiles option), or read fewer columns",
                    bytes));
  }
  madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; failure only costs speed
  Mapping mapping;
  mapping.data_ = static_cast<std::byte*>(memory);
  mapping.size_ = bytes;
  return mapping;
}

Mapping Mapping::file(int descriptor, std::size_t bytes, const std::string& path) {
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    throw DataError(fmt::format("{}: the tile file cannot be mapped into memory ({}); use a local disk", path,
                                std::strerror(errno)));
  }
  Mapping mapping;
  mapping.data_ = static_cast<std::byte*>(memory);
  mapping.size_ = bytes;
  return mapping;
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

MemoryStorage::MemoryStorage(std::size_t tile_bytes)
    : tile_bytes_(tile_bytes), tiles_per_slab_(std::max<std::size_t>(1, kSlabBytes / tile_bytes)) {}

void MemoryStorage::grow(std::size_t tiles) {
  while (tile_count() < tiles) slabs_.push_back(Mapping::anonymous(tiles_per_slab_ * tile_bytes_));
}

std::byte* MemoryStorage::writable(std::size_t index) const {
  return slabs_[index / tiles_per_slab_].data() + index % tiles_per_slab_ * tile_bytes_;
}

MappedStorage::MappedStorage(Mapping mapping, std::size_t header_bytes, std::size_t tile_bytes)
    : mapping_(std::move(mapping)),
      header_bytes_(header_bytes),
      tile_bytes_(tile_bytes),
      tile_count_((mapping_.size() - header_bytes) / tile_bytes) {}

}  // namespace dperm::data
