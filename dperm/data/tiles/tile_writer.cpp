// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/tile_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::data {

TileWriter::TileWriter(TileLayout layout)
    : layout_(std::move(layout)), memory_(std::make_shared<MemoryStorage>(layout_.tile_bytes())) {}

TileWriter::TileWriter(TileLayout layout, std::string path, TileFileHeader header)
    : layout_(std::move(layout)), path_(std::move(path)), header_(std::move(header)) {
  new_file_ = NewFile(path_);
  if (new_file_.is_open()) file_ = FileHandle(fcntl(new_file_.descriptor(), F_DUPFD_CLOEXEC, 0));
  if (!file_.is_open()) {
    throw DataError(fmt::format("{}: no file can be created in this folder ({}); give another path for the tiles",
                                path_, std::strerror(errno)));
  }
  header_length_ = header_bytes(header_).size();
}

void TileWriter::write_failed() const {
  throw DataError(fmt::format("{}: writing the tiles failed ({}); free some disk space or give another path", path_,
                              std::strerror(errno)));
}

void TileWriter::flush(std::size_t tiles) {
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::span<const std::byte> bytes(window_[t].data(), layout_.tile_bytes());
    digest_.add(bytes);
    if (!file_.write_at(header_length_ + (first_tile_ + t) * layout_.tile_bytes(), bytes)) write_failed();
    std::memset(window_[t].data(), 0, layout_.tile_bytes());
    spare_.push_back(std::move(window_[t]));
  }
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(tiles));
  first_tile_ += tiles;
}

void TileWriter::extend(std::size_t rows) {
  const std::size_t tiles = (rows_ + rows + layout_.height() - 1) / layout_.height();
  if (memory_) {
    memory_->grow(tiles);
  } else {
    flush(rows_ / layout_.height() - first_tile_);
    while (first_tile_ + window_.size() < tiles) {
      if (spare_.empty()) spare_.push_back(Mapping::anonymous(layout_.tile_bytes()));
      window_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
  }
  rows_ += rows;
}

TileWriter::Piece TileWriter::piece(std::size_t row) const {
  const std::size_t tile = row / layout_.height();
  const std::size_t inside = row % layout_.height();
  return {memory_ ? memory_->writable(tile) : window_[tile - first_tile_].data(), inside, layout_.height() - inside};
}

// Older tiles go first: replacing them would need a second name, and a program killed between the two calls would leave
// records under it.
bool TileWriter::publish() {
  constexpr int kMostRivals = 100;
  for (int attempt = 0; attempt < kMostRivals; ++attempt) {
    if (unlink(path_.c_str()) != 0 && errno != ENOENT) return false;
    if (new_file_.publish(NewFile::Existing::keep)) return true;
    if (errno != EEXIST) return false;  // else another program has just written its own
  }
  return false;
}

TileSet TileWriter::finish(bool has_target) {
  if (memory_) return {layout_, rows_, std::move(memory_)};
  flush(window_.size());
  header_.rows = rows_;
  header_.has_target = has_target;
  header_.body = digest_.value();
  const std::vector<std::byte> header = header_bytes(header_);
  if (!file_.write_at(0, header)) write_failed();
  const std::size_t bytes = file_.size();
  if (!publish()) write_failed();
  ensure(bytes == header_length_ + first_tile_ * layout_.tile_bytes(), "TileWriter: wrong file length");
  auto storage =
      std::make_shared<MappedStorage>(Mapping::file(file_.get(), bytes, path_), header_length_, layout_.tile_bytes());
  return {layout_, rows_, std::move(storage)};
}

}  // namespace dperm::data
