// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/remote/part_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/data/part_tiles.hpp"
#include "dperm/engine/cpu/tile_sums.hpp"

namespace dperm::engine::remote {

namespace {

std::string hexadecimal(const data::BodyDigest& digest) {
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

data::BodyDigest digest_of(const std::string& text) {
  data::BodyDigest digest{};
  require(text.size() == 2 * digest.size(), "a digest has 64 hexadecimal digits");
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    require(high >= 0 && low >= 0, "a digest has 64 hexadecimal digits");
    digest[i] = static_cast<unsigned char>(16 * high + low);
  }
  return digest;
}

}  // namespace

PartFile write_part(ArrowArrayStream* stream, const schema::Encoding& encoding, const std::string& name,
                    const std::string& path, int threads) {
  const data::PartTiles written = data::write_part_tiles(stream, encoding, name, path, threads);
  return {written.rows, hexadecimal(written.digest)};
}

std::shared_ptr<const Part> open_part(std::shared_ptr<const schema::Encoding> encoding, const std::string& name,
                                      const std::string& path, const PartFile& file, std::size_t first) {
  auto tiles = data::open_part_tiles(*encoding, name, path, {file.rows, digest_of(file.digest)});
  return std::make_shared<const Part>(std::make_shared<const TileSums>(std::move(tiles)), std::move(encoding), first);
}

}  // namespace dperm::engine::remote
