// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/bernoulli.hpp"

#include "dperm/core/check.hpp"

namespace dperm::random {
namespace {

__extension__ typedef unsigned __int128 Wide;

// [proof random_bernoulli.exp]
// True with probability exp(-numerator / denominator), numerator <= denominator.
bool bernoulli_exp_at_most_one(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  std::uint64_t k = 1;
  // A coin of bias x / k as two coins of bias x and 1 / k: their product needs no wider integers.
  while (bernoulli(bits, numerator, denominator) && bernoulli(bits, 1, k)) ++k;
  return k % 2 == 1;
}
// [/proof]

}  // namespace

// [proof random_bernoulli.uniform]
std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound) {
  require(bound >= 1, "bound", "must be at least 1; got 0");
  Wide product = static_cast<Wide>(bits.next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t surplus = (0 - bound) % bound;  // 2^64 mod bound
    while (static_cast<std::uint64_t>(product) < surplus) product = static_cast<Wide>(bits.next()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

bool bernoulli(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  require(denominator >= 1 && numerator <= denominator,
          "a probability needs 0 <= numerator <= denominator, denominator >= 1");
  return uniform_below(bits, denominator) < numerator;
}
// [/proof]

// [proof random_bernoulli.exp_large]
bool bernoulli_exp(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  require(denominator >= 1, "denominator", "must be at least 1; got 0");
  // Leaves at the first failure, so even an exponent of 2^64 takes 1.6 turns on average.
  for (std::uint64_t whole = numerator / denominator; whole > 0; --whole) {
    if (!bernoulli_exp_at_most_one(bits, 1, 1)) return false;
  }
  return bernoulli_exp_at_most_one(bits, numerator % denominator, denominator);
}
// [/proof]

}  // namespace dperm::random
