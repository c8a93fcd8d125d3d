// SPDX-License-Identifier: Apache-2.0
// Internal: rounded normals in pairs, a point of the plane in polar coordinates at a time: in double precision with a
// proved error where that decides the integers, exactly where it does not. Proof note: gaussian_pairs.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "dperm/random/bits.hpp"

namespace dperm::random::detail {

// [proof random_gaussian_pairs.margin]
// Beyond this sigma so many integers are left to exact evaluation that single draws are faster.
inline constexpr double kLargestPairSigma = 0x1p36;

// A computed sigma * coordinate is within this part of sigma * radius of the real one; gaussian_pairs.md proves a
// quarter of it.
inline constexpr double kPairMargin = 0x1p-46;

inline constexpr std::size_t kBatchPairs = 256;  // a multiple of every vector's lanes
inline constexpr std::int64_t kUndecided = std::numeric_limits<std::int64_t>::min();
// [/proof]

// Pair i: the radius is sqrt(-2 ln U), U the uniform that begins with the 64 digits radius_bits[i]. The last three bits
// of angle_bits[i] choose one of eight octants, its other 61 digits begin the uniform position inside it.
struct alignas(64) PairBatch {
  std::array<std::uint64_t, kBatchPairs> radius_bits;
  std::array<std::uint64_t, kBatchPairs> angle_bits;
  std::array<double, kBatchPairs> radius;  // NaN where double precision knows too little of it
  std::array<double, kBatchPairs> x;       // the direction, a point of the unit circle
  std::array<double, kBatchPairs> y;
  std::array<std::int64_t, kBatchPairs> rounded_x;  // floor(sigma * radius * x + 1/2), or kUndecided
  std::array<std::int64_t, kBatchPairs> rounded_y;
};

// Both work on the first `pairs` entries and may overwrite others; the same results on every instruction set.
void compute_directions(PairBatch& batch, std::size_t pairs);
// Returns whether all of them were decided, given that the margin holds.
bool round_pairs(PairBatch& batch, std::size_t pairs, double sigma, double margin);

struct RoundedPair {
  std::int64_t x, y;
};

// The integers of one pair, drawing further digits of both uniforms as long as they are needed.
RoundedPair round_pair_exactly(BitSource& bits, std::uint64_t radius_bits, std::uint64_t angle_bits, double sigma);

// sigma within [kMinimumSigma, kLargestPairSigma], unchecked. Tests widen the margin to send pairs to exact evaluation.
void draw_pairs(BitSource& bits, double sigma, std::span<std::int64_t> out, double margin = kPairMargin);

}  // namespace dperm::random::detail
