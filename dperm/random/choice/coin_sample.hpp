// SPDX-License-Identifier: Apache-2.0
// A Poisson sample as coins: every row is in it with probability exactly the rate, independently of the others, and
// whether it is depends on a secret key and the row's number alone. Proof note: coin_sample.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dperm/core/row_sample.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/random/choice/coin_planes.hpp"

namespace dperm::random {

class CoinSample final : public RowSample {
 public:
  static constexpr std::size_t kBlockRows = RowSample::kWordRows * detail::kPlaneWords;
  using Key = std::array<std::uint64_t, 4>;

  // A key serves one sample. ArgumentError unless the rate is in [0, 1].
  CoinSample(const Key& key, double rate, std::size_t rows);
  ~CoinSample() override;  // wipes the key

  double rate() const { return rate_; }
  const Key& key() const { return key_; }  // as secret as who is in the sample
  bool has_all() const override { return rate_ == 1; }

 private:
  void set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const override;
  detail::Plane coins(std::uint64_t block) const;

  Key key_;
  double rate_;
  std::size_t digits_ = 0;  // of the rate
};

// A sample with a fresh key from `bits`. No bits are drawn where the rate is 0 or 1: nothing is left to chance.
std::shared_ptr<const CoinSample> draw_sample(BitSource& bits, std::size_t rows, double rate);

// A sample as bytes for another process that holds a part of the rows: 49 for coins, else 8 a row and a little. They
// are as secret as who is in the sample. sample_from throws ArgumentError for other bytes.
std::vector<std::uint8_t> bytes_of(const RowSample& sample);
std::shared_ptr<const RowSample> sample_from(std::span<const std::uint8_t> bytes);

}  // namespace dperm::random
