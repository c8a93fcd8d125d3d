// SPDX-License-Identifier: Apache-2.0
// Proof notes: dperm/engine/cpu/sums.md and dperm/engine/cpu/weighted_gram.md.
#include "dperm/engine/resolution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::engine {

namespace {

constexpr int kWeightBits = 10;
constexpr int kSquareBits = 30;  // 32767^2 < 2^30

int bits_needed(std::size_t rows) { return rows <= 1 ? 0 : static_cast<int>(std::bit_width(rows - 1)); }

}  // namespace

// [proof engine_sums.overflow]
int solver_bits(std::size_t rows) {
  const int bits = std::min(kSolverBits, kTotalBits - bits_needed(rows));
  require(bits >= 1, "too many rows: their sum would not fit 62 bits");
  return bits;
}

double steps(Resolution resolution, std::size_t rows) {
  if (resolution == Resolution::solver) return std::ldexp(1.0, solver_bits(rows));
  require(kReleaseBits + bits_needed(rows) <= kTotalBits, "too many rows: their sum would not fit 62 bits");
  return std::ldexp(1.0, kReleaseBits);
}
// [/proof]

double row_steps(Resolution resolution) { return steps(resolution, 1); }

// [proof engine_weighted_gram.largest]
std::uint32_t largest_row_weight(std::size_t rows) {
  const int row_bits = bits_needed(rows);
  require(row_bits + kSquareBits <= kTotalBits, "too many rows: their weighted second moments would not fit 62 bits");
  return std::uint32_t{1} << std::min(kWeightBits, kTotalBits - kSquareBits - row_bits);
}
// [/proof]

}  // namespace dperm::engine
