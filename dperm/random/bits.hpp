// SPDX-License-Identifier: Apache-2.0
// Where random bits come from. Nothing outside this room makes randomness. Note: bits.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dperm::random {

class BitSource {
 public:
  virtual ~BitSource() = default;
  virtual std::uint64_t next() = 0;  // 64 independent fair bits
  virtual bool secure() const = 0;   // false for anything reproducible: such a release is not private
};

// The operating system's generator through libsodium, fetched in blocks; used bits are wiped. A child made by fork()
// throws away the block it inherited. Not for use by several threads at once: give each its own.
class SecureBits final : public BitSource {
 public:
  SecureBits();  // throws InternalError where libsodium cannot start
  ~SecureBits() override;
  SecureBits(const SecureBits&) = delete;
  SecureBits& operator=(const SecureBits&) = delete;
  std::uint64_t next() override;
  bool secure() const override { return true; }

 private:
  void refill();

  std::array<std::uint64_t, 128> block_;
  std::size_t used_;
  std::uint64_t fork_generation_;
};

// Reproducible bits for tests and demonstrations (libsodium's deterministic stream keyed by the seed): the same seed
// gives the same bits on every machine.
class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed);
  std::uint64_t next() override;
  bool secure() const override { return false; }

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t block_number_ = 0;
  std::array<std::uint64_t, 128> block_;
  std::size_t used_;
};

}  // namespace dperm::random
