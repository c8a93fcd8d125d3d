// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/bits.hpp"

#include <pthread.h>
#include <sodium.h>

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

// [proof random_bits.secure]
SecureBits::SecureBits() : block_{} {
  start_sodium();
  used_ = block_.size();
  fork_generation_ = fork_generation.load(std::memory_order_relaxed);
}

SecureBits::~SecureBits() { sodium_memzero(block_.data(), sizeof block_); }

void SecureBits::refill() {
  randombytes_buf(block_.data(), sizeof block_);
  used_ = 0;
  fork_generation_ = fork_generation.load(std::memory_order_relaxed);
}

std::uint64_t SecureBits::next() {
  if (used_ == block_.size() || fork_generation_ != fork_generation.load(std::memory_order_relaxed)) refill();
  const std::uint64_t word = block_[used_];
  block_[used_++] = 0;
  return word;
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

}  // namespace dperm::random
