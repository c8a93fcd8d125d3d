// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/bits.hpp"

#include <pthread.h>
#include <sodium.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "dperm/core/check.hpp"

namespace dperm::random {
namespace {

// Counted up in the child of every fork(), so that a source can tell that its block is now held by two processes.
// A counter and not getpid(): reading it costs nothing, while getpid() is a system call for every 64 bits.
std::atomic<std::uint64_t> fork_generation{0};

void start_sodium() {
  ensure(sodium_init() >= 0, "libsodium could not be started");
  static std::once_flag watching;
  std::call_once(watching, [] {
    const int status =
        pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); });
    ensure(status == 0, "the fork guard of the random generator could not be installed");
  });
}

void put_little_endian(std::uint64_t value, unsigned char* out) {
  for (int byte = 0; byte < 8; ++byte) out[byte] = static_cast<unsigned char>(value >> (8 * byte));
}

std::uint64_t get_little_endian(const unsigned char* in) {
  std::uint64_t value = 0;
  for (int byte = 0; byte < 8; ++byte) value |= static_cast<std::uint64_t>(in[byte]) << (8 * byte);
  return value;
}

}  // namespace

void BitSource::fill(std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = next();
}

// [proof random_bits.secure]
SecureBits::SecureBits() : block_{}, used_(kBlockWords), blocks_left_(0) {
  start_sodium();
  fork_generation_ = fork_generation.load(std::memory_order_relaxed);
}

SecureBits::~SecureBits() { sodium_memzero(block_.data(), sizeof block_); }

bool SecureBits::forked() const { return fork_generation_ != fork_generation.load(std::memory_order_relaxed); }

void SecureBits::refill() {
  std::array<std::uint64_t, kKeyWords> key;
  std::copy_n(block_.begin(), kKeyWords, key.begin());
  if (blocks_left_ == 0 || forked()) {
    std::array<std::uint64_t, kKeyWords> fresh;
    randombytes_buf(fresh.data(), sizeof fresh);
    for (std::size_t word = 0; word < kKeyWords; ++word) key[word] ^= fresh[word];
    sodium_memzero(fresh.data(), sizeof fresh);
    blocks_left_ = kBlocksPerSeed;
    fork_generation_ = fork_generation.load(std::memory_order_relaxed);
  }
  static_assert(sizeof key == crypto_stream_chacha20_KEYBYTES);
  constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> kNonce{};  // a key serves one block only
  crypto_stream_chacha20(reinterpret_cast<unsigned char*>(block_.data()), sizeof block_, kNonce.data(),
                         reinterpret_cast<const unsigned char*>(key.data()));
  sodium_memzero(key.data(), sizeof key);
  --blocks_left_;
  used_ = kKeyWords;
}

std::uint64_t SecureBits::next() {
  if (used_ == kBlockWords || forked()) refill();
  const std::uint64_t word = block_[used_];
  block_[used_++] = 0;
  return word;
}

void SecureBits::fill(std::span<std::uint64_t> out) {
  while (!out.empty()) {
    if (used_ == kBlockWords || forked()) refill();
    const std::size_t count = std::min(out.size(), kBlockWords - used_);
    std::copy_n(block_.data() + used_, count, out.data());
    sodium_memzero(block_.data() + used_, count * sizeof(std::uint64_t));
    used_ += count;
    out = out.subspan(count);
  }
}
// [/proof]

SeededBits::SeededBits(std::uint64_t seed) : seed_(seed), block_{}, used_(block_.size()) { start_sodium(); }

void SeededBits::refill() {
  std::array<unsigned char, randombytes_SEEDBYTES> key{};
  put_little_endian(seed_, key.data());
  put_little_endian(block_number_++, key.data() + 8);
  std::array<unsigned char, sizeof block_> bytes;
  randombytes_buf_deterministic(bytes.data(), bytes.size(), key.data());
  for (std::size_t word = 0; word < block_.size(); ++word) block_[word] = get_little_endian(bytes.data() + 8 * word);
  used_ = 0;
}

std::uint64_t SeededBits::next() {
  if (used_ == block_.size()) refill();
  return block_[used_++];
}

void SeededBits::fill(std::span<std::uint64_t> out) {
  while (!out.empty()) {
    if (used_ == block_.size()) refill();
    const std::size_t count = std::min(out.size(), block_.size() - used_);
    std::copy_n(block_.data() + used_, count, out.data());
    used_ += count;
    out = out.subspan(count);
  }
}

}  // namespace dperm::random
