// SPDX-License-Identifier: Apache-2.0
// From noisy histograms to the bounds of a number column: first over powers of two, then over equal parts of the range
// that the first found. Public grids, and functions of released numbers only.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "dperm/schema/schema.hpp"

namespace dperm::infer {

// The first grid, in rising order: powers of two of either sign, with 0 and 1 in places of their own, so that a column
// of zeros and ones is recognised. Numbers beyond the ends belong to the outermost bins; a column that has many beyond
// the great ends gets no bounds.
inline constexpr int kLeastExponent = -128;
inline constexpr int kGreatestExponent = 128;
inline constexpr std::size_t kOctaves = static_cast<std::size_t>(kGreatestExponent - kLeastExponent);
inline constexpr std::size_t kCoarseBins = 2 * kOctaves + 2;
std::size_t coarse_bin(double value);

// How noisy the counts of a histogram are, and of how many rows they are.
struct CountNoise {
  double sigma = 0;
  double rows = 0;
};

// What the first histogram says. Nothing where no bin stands out from the noise.
struct CoarseRange {
  double lower = 0, upper = 0;  // one power of two beyond what stood out: few values may lie there
  schema::Scale scale = schema::Scale::linear;
  // A thin tail that only its power of two shows: ends that the second histogram must not cut. Otherwise without
  // effect.
  double greatest_lower = std::numeric_limits<double>::infinity();
  double least_upper = -std::numeric_limits<double>::infinity();
  bool zero_or_one = false;  // nothing but zeros and ones stood out
  bool sign = false;         // nothing but values around -1 and around 1 did
};
std::optional<CoarseRange> coarse_range(std::span<const std::int64_t> counts, const CountNoise& noise);

// The second grid: equal parts of a coarse range, on its scale; numbers beyond the ends belong to the end bins.
inline constexpr std::size_t kFineBins = 32;
class FineGrid {
 public:
  explicit FineGrid(const CoarseRange& range);
  std::size_t bin(double value) const;
  const CoarseRange& range() const { return range_; }
  double edge(std::size_t index) const;  // the lower end of bin `index`, in the column's units

 private:
  double scaled(double value) const;
  CoarseRange range_;
  double first_, width_;
};

struct Bounds {
  double lower, upper;
  bool operator==(const Bounds&) const = default;
};
// Ends beyond which no more than noise is seen.
Bounds fine_bounds(const FineGrid& grid, std::span<const std::int64_t> counts, const CountNoise& noise);

// A closer look at bounds that hold few bins of a linear grid: the range of another grid, one bin of this one wider on
// either side. Nothing where the bounds hold many.
std::optional<CoarseRange> closer_range(const FineGrid& grid, const Bounds& bounds);

}  // namespace dperm::infer
