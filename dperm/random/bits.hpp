// SPDX-License-Identifier: Apache-2.0
// Where random bits come from. Nothing outside this room makes randomness. Note: bits.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dperm::random {

class BitSource {
 public:
  virtual ~BitSource() = default;
  virtual std::uint64_t next() = 0;                 // 64 independent fair bits
  virtual void fill(std::span<std::uint64_t> out);  // what next() would return, once for each word
  virtual bool secure() const = 0;                  // false for anything reproducible: such a release is not private
};

// ChaCha20 keyed by the operating system's generator. Each block brings the key of the next, used bits and keys are
// wiped, and fresh bits of the system enter the key every kBlocksPerSeed blocks. A child made by fork() throws away the
// block it inherited. Not for use by several threads at once: give each its own.
class SecureBits final : public BitSource {
 public:
  SecureBits();  // throws InternalError where libsodium cannot start
  ~SecureBits() override;
  SecureBits(const SecureBits&) = delete;
  SecureBits& operator=(const SecureBits&) = delete;
  std::uint64_t next() override;
  void fill(std::span<std::uint64_t> out) override;
  bool secure() const override { return true; }

  static constexpr std::size_t kKeyWords = 4;
  static constexpr std::size_t kBlockWords = 256;  // the next key, then words to hand out
  static constexpr std::size_t kBlocksPerSeed = 64;

 private:
  bool forked() const;
  void refill();

  std::array<std::uint64_t, kBlockWords> block_;
  std::size_t used_;
  std::size_t blocks_left_;  // until fresh bits of the system enter the key
  std::uint64_t fork_generation_;
};

// Reproducible bits for tests and demonstrations (libsodium's deterministic stream keyed by the seed): the same seed
// gives the same bits on every machine.
class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed);
  std::uint64_t next() override;
  void fill(std::span<std::uint64_t> out) override;
  bool secure() const override { return false; }

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t block_number_ = 0;
  std::array<std::uint64_t, 128> block_;
  std::size_t used_;
};

}  // namespace dperm::random
