// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/coin_sample.hpp"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "dperm/core/check.hpp"

namespace dperm::random {
namespace {

using detail::kPlaneWords;
using detail::Plane;

void put(std::uint64_t value, unsigned char* out) {
  for (int byte = 0; byte < 8; ++byte) out[byte] = static_cast<unsigned char>(value >> (8 * byte));
}

std::uint64_t get(const unsigned char* in) {
  std::uint64_t value = 0;
  for (int byte = 0; byte < 8; ++byte) value |= static_cast<std::uint64_t>(in[byte]) << (8 * byte);
  return value;
}

// [proof random_coins.stream]
// The planes of one block of rows: ChaCha20 with the sample's key and the number of the block as nonce.
class PlaneStream {
 public:
  // `digits`: planes that can be asked for. A dozen are made at once, then one at a time: 4096 coins need 13.3 planes
  // on average.
  PlaneStream(const CoinSample::Key& key, std::uint64_t block, std::size_t digits) : ahead_(std::min(digits, kAtOnce)) {
    for (std::size_t word = 0; word < key.size(); ++word) put(key[word], key_.data() + 8 * word);
    put(block, nonce_.data());
  }
  ~PlaneStream() {
    sodium_memzero(key_.data(), key_.size());
    sodium_memzero(planes_.data(), sizeof planes_);
  }
  PlaneStream(const PlaneStream&) = delete;
  PlaneStream& operator=(const PlaneStream&) = delete;

  const Plane& next() {
    if (used_ == made_) make();
    return planes_[used_++];
  }

 private:
  static constexpr std::size_t kAtOnce = 12;
  static constexpr std::size_t kBlocksPerPlane = sizeof(Plane) / 64;  // a block of the cipher is 64 bytes

  void make() {
    auto* bytes = reinterpret_cast<unsigned char*>(planes_.data());
    const std::size_t size = ahead_ * sizeof(Plane);
    std::memset(bytes, 0, size);
    crypto_stream_chacha20_xor_ic(bytes, bytes, size, nonce_.data(), drawn_ * kBlocksPerPlane, key_.data());
    if constexpr (std::endian::native == std::endian::big) {
      for (std::size_t p = 0; p < ahead_; ++p) {
        for (std::uint64_t& word : planes_[p]) word = __builtin_bswap64(word);
      }
    }
    drawn_ += ahead_;
    made_ = std::exchange(ahead_, 1);
    used_ = 0;
  }

  std::array<unsigned char, crypto_stream_chacha20_KEYBYTES> key_;
  std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce_;
  alignas(64) std::array<Plane, kAtOnce> planes_;
  std::size_t ahead_, made_ = 0, used_ = 0;
  std::uint64_t drawn_ = 0;
};
// [/proof]

}  // namespace

// [proof random_coins.sample]
CoinSample::CoinSample(const Key& key, double rate, std::size_t rows) : RowSample(rows), key_(key), rate_(rate) {
  require_in_closed_range("rate", rate, 0, 1);
  ensure(sodium_init() >= 0, "libsodium could not be started");
  if (rate == 1) return;
  for (detail::Digits digits(rate); digits.any_left(); digits.next()) ++digits_;
}

CoinSample::~CoinSample() { sodium_memzero(key_.data(), sizeof key_); }

Plane CoinSample::coins(std::uint64_t block) const {
  Plane below;
  if (rate_ == 1) {
    below.fill(~std::uint64_t{0});
    return below;
  }
  PlaneStream stream(key_, block, digits_);
  detail::toss(rate_, [&]() -> const Plane& { return stream.next(); }, below);
  return below;
}

void CoinSample::set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const {
  const std::size_t end = first + count;
  for (std::size_t block = first / kBlockRows; block * kBlockRows < end; ++block) {
    const Plane in = coins(block);
    for (std::size_t w = 0; w < kPlaneWords; ++w) {
      const std::size_t row = block * kBlockRows + w * kWordRows;  // of bit 0
      if (row + kWordRows <= first || row >= end) continue;
      std::uint64_t bits = in[w];
      if (end - row < kWordRows) bits &= (std::uint64_t{1} << (end - row)) - 1;
      if (row < first) {
        words[0] |= bits >> (first - row);
        continue;
      }
      const std::size_t shift = (row - first) % kWordRows, at = (row - first) / kWordRows;
      words[at] |= bits << shift;
      if (shift > 0 && at + 1 < words.size()) words[at + 1] |= bits >> (kWordRows - shift);
    }
  }
}

std::shared_ptr<const CoinSample> draw_sample(BitSource& bits, std::size_t rows, double rate) {
  CoinSample::Key key{};
  if (rate > 0 && rate < 1) bits.fill(key);
  auto sample = std::make_shared<const CoinSample>(key, rate, rows);
  sodium_memzero(key.data(), sizeof key);
  return sample;
}
// [/proof]

namespace {

constexpr std::uint8_t kCoins = 'c', kList = 'l';

void append(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  bytes.resize(bytes.size() + 8);
  put(value, bytes.data() + bytes.size() - 8);
}

}  // namespace

std::vector<std::uint8_t> bytes_of(const RowSample& sample) {
  std::vector<std::uint8_t> bytes;
  if (const auto* coins = dynamic_cast<const CoinSample*>(&sample)) {
    bytes.push_back(kCoins);
    append(bytes, coins->rows());
    append(bytes, std::bit_cast<std::uint64_t>(coins->rate()));
    for (const std::uint64_t word : coins->key()) append(bytes, word);
    return bytes;
  }
  bytes.push_back(kList);
  append(bytes, sample.rows());
  for_each_row(sample, 0, sample.rows(), [&](std::size_t row) { append(bytes, row); });
  return bytes;
}

std::shared_ptr<const RowSample> sample_from(std::span<const std::uint8_t> bytes) {
  const std::size_t numbers = bytes.size() / 8;
  require(bytes.size() % 8 == 1 && numbers >= 1, "these bytes are no sample");
  const auto number = [&](std::size_t i) { return get(bytes.data() + 1 + 8 * i); };
  const auto rows = static_cast<std::size_t>(number(0));
  if (bytes[0] == kCoins && numbers == 2 + CoinSample::Key().size()) {
    CoinSample::Key key;
    for (std::size_t word = 0; word < key.size(); ++word) key[word] = number(2 + word);
    auto sample = std::make_shared<const CoinSample>(key, std::bit_cast<double>(number(1)), rows);
    sodium_memzero(key.data(), sizeof key);
    return sample;
  }
  require(bytes[0] == kList, "these bytes are no sample");
  std::vector<std::size_t> listed;
  for (std::size_t i = 1; i < numbers; ++i) listed.push_back(static_cast<std::size_t>(number(i)));
  return std::make_shared<const ListedRows>(std::move(listed), rows);
}

}  // namespace dperm::random
