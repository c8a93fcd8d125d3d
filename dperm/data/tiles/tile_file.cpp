// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/tile_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "dperm/core/error.hpp"
#include "dperm/data/tiles/file_handle.hpp"
#include "dperm/data/tiles/storage.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::data {

static_assert(std::endian::native == std::endian::little, "tile files are little-endian");

namespace {

constexpr std::array<char, 8> kMagic = {'D', 'P', 'E', 'R', 'M', 'T', 'I', 'L'};
constexpr std::uint32_t kVersion = 3;  // also counts changes of what cells encode to
constexpr std::size_t kPage = 4096;
constexpr std::size_t kChecksumBytes = 32;
constexpr std::size_t kPrefixBytes = kMagic.size() + sizeof(kVersion) + sizeof(std::uint64_t);
// A header lists source files only; anything longer is damage.
constexpr std::uint64_t kMaximumHeader = std::uint64_t{64} << 20;

using Checksum = std::array<unsigned char, kChecksumBytes>;

template <class Bytes>
Checksum checksum(const Bytes* data, std::size_t size) {
  Checksum sum{};
  crypto_generichash(sum.data(), sum.size(), reinterpret_cast<const unsigned char*>(data), size, nullptr, 0);
  return sum;
}

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  void put_text(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), bytes, bytes + text.size());
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Reads what ByteWriter wrote; never past the end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  bool get(T& value) {
    if (bytes_.size() < sizeof value) return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return true;
  }
  bool get_text(std::string& text) {
    std::uint64_t size = 0;
    if (!get(size) || bytes_.size() < size) return false;
    text.assign(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

bool read_body(ByteReader& reader, TileFileHeader& header) {
  std::uint8_t has_target = 0;
  std::uint64_t sources = 0;
  if (!reader.get(header.schema) || !reader.get(header.tile_height) || !reader.get(header.rows) ||
      !reader.get(has_target) || !reader.get(header.body) || !reader.get(sources)) {
    return false;
  }
  header.has_target = has_target != 0;
  for (std::uint64_t s = 0; s < sources; ++s) {
    SourceFile source;
    if (!reader.get_text(source.path) || !reader.get(source.size) || !reader.get(source.modified_ns) ||
        !reader.get(source.changed_ns) || !reader.get(source.number)) {
      return false;
    }
    header.sources.push_back(std::move(source));
  }
  return true;
}

[[noreturn]] void damaged(const std::string& path, const char* how) {
  throw DataError(fmt::format("{}: this tile file is damaged ({}); delete it and run again to rebuild it", path, how));
}

// The header and its length; nothing for another version, which is rebuilt.
std::optional<std::pair<TileFileHeader, std::uint64_t>> read_header(const FileHandle& file, const std::string& path) {
  std::vector<std::byte> prefix(kPrefixBytes);
  if (!file.read_at(0, prefix) || std::memcmp(prefix.data(), kMagic.data(), kMagic.size()) != 0) {
    throw DataError(
        fmt::format("{}: this is not a tile file of dperm, so it is left alone; give another path for the "
                    "tiles, or delete the file if it is not needed",
                    path));
  }
  ByteReader reader(std::span<const std::byte>(prefix).subspan(kMagic.size()));
  std::uint32_t version = 0;
  std::uint64_t length = 0;
  reader.get(version);
  reader.get(length);
  if (version != kVersion) return std::nullopt;
  if (length % kPage != 0 || length == 0 || length > kMaximumHeader || length > file.size()) {
    damaged(path, "it is cut short");
  }
  std::vector<std::byte> bytes(length);
  if (!file.read_at(0, bytes)) damaged(path, "its header cannot be read");
  const std::size_t body = length - kChecksumBytes;
  if (std::memcmp(checksum(bytes.data(), body).data(), bytes.data() + body, kChecksumBytes) != 0) {
    damaged(path, "its header does not match its checksum");
  }
  TileFileHeader header;
  ByteReader rest(std::span<const std::byte>(bytes).subspan(kPrefixBytes, body - kPrefixBytes));
  if (!read_body(rest, header)) damaged(path, "its header is incomplete");
  return std::pair(header, length);
}

}  // namespace

SchemaHash schema_hash(const schema::Schema& schema) {
  const std::string text = schema::to_toml(schema::without_shapes(schema));
  return checksum(text.data(), text.size());
}

void TileDigest::add(std::span<const std::byte> tile) {
  // Every step is a bijection of the lane for a given word and of the word for a given lane.
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  auto lanes = lanes_;
  for (std::size_t at = 0; at + sizeof lanes <= tile.size(); at += sizeof lanes) {
    std::array<std::uint64_t, 8> words{};
    std::memcpy(words.data(), tile.data() + at, sizeof words);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::uint64_t mixed = (lanes[lane] ^ words[lane]) * kOdd;
      lanes[lane] = mixed ^ (mixed >> 32);
    }
  }
  lanes_ = lanes;
}

BodyDigest TileDigest::value() const { return checksum(lanes_.data(), sizeof lanes_); }

std::vector<std::byte> header_bytes(const TileFileHeader& header) {
  ByteWriter body;
  body.put(header.schema);
  body.put(header.tile_height);
  body.put(header.rows);
  body.put(static_cast<std::uint8_t>(header.has_target));
  body.put(header.body);
  body.put(static_cast<std::uint64_t>(header.sources.size()));
  for (const SourceFile& source : header.sources) {
    body.put_text(source.path);
    body.put(source.size);
    body.put(source.modified_ns);
    body.put(source.changed_ns);
    body.put(source.number);
  }
  const std::size_t needed = kPrefixBytes + body.bytes().size() + kChecksumBytes;
  const std::uint64_t length = (needed + kPage - 1) / kPage * kPage;
  ByteWriter whole;
  whole.put(kMagic);
  whole.put(kVersion);
  whole.put(length);
  whole.bytes().insert(whole.bytes().end(), body.bytes().begin(), body.bytes().end());
  whole.bytes().resize(length - kChecksumBytes);
  whole.put(checksum(whole.bytes().data(), whole.bytes().size()));
  return std::move(whole.bytes());
}

std::optional<TileSet> open_tile_file(const std::string& path, const schema::Encoding& encoding,
                                      const TileLayout& layout, const TileFileHeader& expected,
                                      const BodyDigest* body) {
  FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe without a writer would never open
  if (!file.is_open() && errno == ENOENT) {
    struct stat facts{};
    if (lstat(path.c_str(), &facts) != 0) return std::nullopt;
    throw DataError(fmt::format("{}: is a link to a file that does not exist; give another path for the tiles", path));
  }
  if (!file.is_open()) {
    throw DataError(fmt::format("{}: the tile file cannot be opened ({}); give another path for the tiles", path,
                                std::strerror(errno)));
  }
  if (!file.is_regular()) {
    throw DataError(fmt::format("{}: this is not a file; give the path of a file for the tiles", path));
  }
  const auto found = read_header(file, path);
  if (!found) return std::nullopt;
  const auto& [header, length] = *found;
  TileFileHeader wanted = expected;
  wanted.rows = header.rows;
  wanted.body = body != nullptr ? *body : header.body;
  // Tiles without targets serve a reader that needs none; the other way round always.
  if (!wanted.has_target) wanted.has_target = header.has_target;
  if (header != wanted) return std::nullopt;
  const std::uint64_t length_of_tiles = file.size() - length;
  const std::uint64_t tiles = header.rows / layout.height() + (header.rows % layout.height() != 0 ? 1 : 0);
  if (header.rows == 0 || length_of_tiles % layout.tile_bytes() != 0 ||
      length_of_tiles / layout.tile_bytes() != tiles) {
    damaged(path, "its length is wrong");
  }
  auto storage =
      std::make_shared<MappedStorage>(Mapping::file(file.get(), file.size(), path), length, layout.tile_bytes());
  TileSet set(layout, header.rows, std::move(storage));
  if (!tiles_are_valid(set, encoding)) damaged(path, "it holds cells that no record can produce");
  TileDigest digest;
  for (std::size_t t = 0; t < set.tile_count(); ++t) digest.add({set.tile(t).base, layout.tile_bytes()});
  if (digest.value() != header.body) damaged(path, "its tiles do not match their digest");
  return set;
}

}  // namespace dperm::data
