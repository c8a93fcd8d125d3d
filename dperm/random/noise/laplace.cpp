// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/laplace.hpp"

#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/random/bernoulli.hpp"

namespace dperm::random {
namespace {

__extension__ typedef unsigned __int128 Wide;
constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;

}  // namespace

// [proof random_laplace.sampler]
std::int64_t discrete_laplace(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  require(numerator >= 1 && numerator < kLimit && denominator >= 1 && denominator < kLimit,
          "numerator and denominator of a Laplace scale must be positive and below 2^62");
  require(numerator <= static_cast<Wide>(kMaximumLaplaceScale) * denominator,
          "the scale of Laplace noise must be at most 2^50");
  for (;;) {
    const std::uint64_t fraction = uniform_below(bits, numerator);
    if (!bernoulli_exp(bits, fraction, numerator)) continue;
    std::uint64_t whole = 0;
    while (bernoulli_exp(bits, 1, 1)) ++whole;
    const Wide magnitude = (static_cast<Wide>(whole) * numerator + fraction) / denominator;
    const bool negative = (bits.next() & 1) != 0;
    if (negative && magnitude == 0) continue;
    ensure(magnitude <= static_cast<Wide>(std::numeric_limits<std::int64_t>::max()), "Laplace noise exceeds 64 bits");
    const auto value = static_cast<std::int64_t>(magnitude);
    return negative ? -value : value;
  }
}
// [/proof]

}  // namespace dperm::random
