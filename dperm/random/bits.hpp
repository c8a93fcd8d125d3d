// SPDX-License-Identifier: Apache-2.0
// Where random bits come from. Nothing outside this room makes randomness.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dperm::random {

class BitSource {
 public:
  virtual ~BitSource() = default;
  virtual std::uint64_t next() = 0;     // 64 independent fair bits
  virtual bool secure() const = 0;      // false for anything reproducible: such a release is not private
};

// The operating system's generator through libsodium, fetched in blocks; used bits are wiped.
class SecureBits final : public BitSource {
 public:
  SecureBits();
  ~SecureBits() override;
  SecureBits(const SecureBits&) = delete;
  SecureBits& operator=(const SecureBits&) = delete;
  std::uint64_t next() override;
  bool secure() const override { return true; }

 private:
  std::array<std::uint64_t, 128> block_;
  std::size_t used_;
};

// Reproducible bits for tests and demonstrations (libsodium's deterministic stream keyed by the seed).
class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed);
  std::uint64_t next() override;
  bool secure() const override { return false; }

 private:
  std::uint64_t seed_;
  std::uint64_t block_number_ = 0;
  std::array<std::uint64_t, 128> block_;
  std::size_t used_;
};

}  // namespace dperm::random
