// SPDX-License-Identifier: Apache-2.0
// One point of a fine lattice in several dimensions, chosen with odds that fall exponentially with an integer cost;
// exact in distribution. Boxes of points share a lower bound of their costs, so that few costs are ever computed. Proof
// note: lattice_selection.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dperm/random/bits.hpp"
#include "dperm/random/choice/selection.hpp"

namespace dperm::random {

// The points first[j] <= u_j < first[j] + 2^bits[j].
struct LatticeBox {
  std::vector<std::uint64_t> first;
  std::vector<int> bits;
};

// What a cost function says about a box.
struct BoxBound {
  std::int64_t lower;  // no point of the box costs less
  std::size_t axis;    // along which it had better be halved; costs time only
};

inline constexpr int kMostLatticeBits = 31;
inline constexpr std::size_t kMostLatticeDimensions = 8;

// A cost for each point u with 0 <= u_j < 2^bits() that lies in a set. The set is public, the costs are not.
class LatticeCosts {
 public:
  virtual ~LatticeCosts() = default;
  virtual std::size_t dimension() const = 0;  // 1 to kMostLatticeDimensions
  virtual int bits() const = 0;               // 1 to kMostLatticeBits
  virtual bool contains(std::span<const std::uint64_t> point) const = 0;
  virtual std::int64_t cost(std::span<const std::uint64_t> point) const = 0;  // within +-kLargestCost
  // Empty only where no point of the box lies in the set.
  virtual std::optional<BoxBound> bound(const LatticeBox& box) const = 0;
};

// Point u of the set with probability exp(-cost(u) / scale) / sum exp(-cost / scale). Throws ArgumentError for an
// impossible scale and InternalError for an empty set, wrong dimensions or a cost below its box's bound.
std::vector<std::uint64_t> choose_exponential(BitSource& bits, const LatticeCosts& costs, CostScale scale);

}  // namespace dperm::random
