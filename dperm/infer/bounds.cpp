// SPDX-License-Identifier: Apache-2.0
#include "dperm/infer/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dperm/core/check.hpp"

namespace dperm::infer {

namespace {

constexpr std::size_t kZeroBin = kOctaves;
// Positive octaves below 1 come before the bin of 1, the others after it.
constexpr std::size_t kOneBin = kZeroBin + 1 + static_cast<std::size_t>(-kLeastExponent);

// A bin of the first grid stands out with this share of the rows, if noise alone does not reach it: 4.5 sigma has
// probability 3.4e-6, and there are some thousands of bins.
constexpr double kLeastShare = 0.003;
constexpr double kStandsOut = 4.5;
// Sizes that few tables have need more: twice as many bins then add nothing to the chance that noise makes a bin up.
constexpr int kFarBelow = -16, kFarAbove = 48;
constexpr double kFarStandsOut = 6.5;
// Next to such a bin less is needed: a tail is likely there, and 2.5 sigma has probability 0.6%.
constexpr double kTailOctave = 2.5;
// An outermost power of two with fewer rows is a tail that the second grid may not see; three quarters of its upper end
// is the middle of it.
constexpr double kThinShare = 0.1;
constexpr double kIntoTail = 0.75;
// In the second grid an end lies where a bin, or all bins up to there together, stand out clearly; from there outward
// it takes in bins that hold more than one sigma on average: a tail that thins out, which is cut at some cost.
constexpr double kTailShare = 0.005;
constexpr double kBinStandsOut = 3.5;
constexpr double kTailStandsOut = 3;
constexpr double kStillTail = 1;
// From here on most rows would lie in an eighth of a linear range.
constexpr double kLogFrom = 8;
constexpr double kLeastLogUpper = 16;
// Bounds that hold no more bins of the second grid are looked at again.
constexpr double kFewBins = 8.5;

int exponent_of(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::clamp(exponent - 1, kLeastExponent, kGreatestExponent - 1);
}

std::size_t positive_bin(int exponent) {
  const std::size_t octave = static_cast<std::size_t>(exponent - kLeastExponent);
  return kZeroBin + 1 + octave + (exponent >= 0 ? 1 : 0);
}

struct Edges {
  double lower, upper;
};
Edges coarse_edges(std::size_t bin) {
  if (bin == kZeroBin) return {0, 0};
  if (bin == kOneBin) return {1, 1};
  const auto octave = [](int exponent) {
    return Edges{exponent == kLeastExponent ? 0 : std::ldexp(1, exponent), std::ldexp(1, exponent + 1)};
  };
  if (bin > kZeroBin) {
    const std::size_t place = bin - kZeroBin - 1 - (bin > kOneBin ? 1 : 0);
    return octave(kLeastExponent + static_cast<int>(place));
  }
  const Edges mirrored = octave(kLeastExponent + static_cast<int>(kZeroBin - 1 - bin));
  return {-mirrored.upper, -mirrored.lower};
}

bool is_far(std::size_t bin) {
  if (bin == kZeroBin || bin == kOneBin) return false;
  const Edges edges = coarse_edges(bin);
  const double size = std::max(std::abs(edges.lower), std::abs(edges.upper));
  return size <= std::ldexp(1, kFarBelow) || size > std::ldexp(1, kFarAbove);
}

// The first bin, from the front of `counts`, at which more than noise has been seen.
std::size_t first_clear(const std::vector<std::int64_t>& counts, const CountNoise& noise) {
  double sum = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const auto count = static_cast<double>(counts[j]);
    sum += count;
    const double least = kTailShare * noise.rows;
    if (count >= std::max(least, kBinStandsOut * noise.sigma) ||
        sum >= std::max(least, kTailStandsOut * noise.sigma * std::sqrt(static_cast<double>(j + 1)))) {
      return j;
    }
  }
  return 0;
}

// The same with the bins before it that still belong to the tail.
std::size_t first_seen(const std::vector<std::int64_t>& counts, const CountNoise& noise) {
  const std::size_t clear = first_clear(counts, noise);
  std::size_t first = clear;
  double sum = 0, best = 0;
  for (std::size_t j = clear; j-- > 0;) {
    sum += static_cast<double>(counts[j]) - std::max(kStillTail * noise.sigma, kTailShare * noise.rows / 10);
    if (sum <= best) continue;
    best = sum;
    first = j;
  }
  return first;
}

// Takes in the powers of two next to the outermost bins that stood out, where they seem to hold something.
void add_tails(std::span<const std::int64_t> counts, const CountNoise& noise, std::vector<std::size_t>& seen) {
  const auto holds = [&](std::size_t bin) {
    return static_cast<double>(counts[bin]) >= std::max(kLeastShare * noise.rows, kTailOctave * noise.sigma);
  };
  if (seen.back() > kZeroBin) {
    while (seen.back() + 1 < counts.size() && holds(seen.back() + 1)) seen.push_back(seen.back() + 1);
  }
  if (seen.front() < kZeroBin) {
    while (seen.front() > 0 && holds(seen.front() - 1)) seen.insert(seen.begin(), seen.front() - 1);
  }
}

}  // namespace

std::size_t coarse_bin(double value) {
  if (value == 0) return kZeroBin;
  if (value == 1) return kOneBin;
  const int exponent = exponent_of(std::abs(value));
  if (value > 0) return positive_bin(exponent);
  return kZeroBin - 1 - static_cast<std::size_t>(exponent - kLeastExponent);
}

std::optional<CoarseRange> coarse_range(std::span<const std::int64_t> counts, const CountNoise& noise) {
  ensure(counts.size() == kCoarseBins, "a histogram of another grid");
  const auto least = [&](std::size_t bin) {
    return std::max(kLeastShare * noise.rows, (is_far(bin) ? kFarStandsOut : kStandsOut) * noise.sigma);
  };
  std::vector<std::size_t> seen;
  double total = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (static_cast<double>(counts[bin]) < least(bin)) continue;
    seen.push_back(bin);
    total += static_cast<double>(counts[bin]);
  }
  if (seen.empty()) return std::nullopt;
  add_tails(counts, noise, seen);
  // What lies beyond the grid is of no known size.
  if (seen.front() == 0 || seen.back() + 1 == counts.size()) return std::nullopt;
  CoarseRange range;
  range.lower = coarse_edges(seen.front()).lower;
  range.upper = coarse_edges(seen.back()).upper;
  range.zero_or_one = seen.front() >= kZeroBin && seen.back() <= kOneBin && range.lower == 0 &&
                      std::all_of(seen.begin(), seen.end(), [](auto b) { return b == kZeroBin || b == kOneBin; });
  const std::size_t minus_one = coarse_bin(-1);
  range.sign = seen == std::vector<std::size_t>{minus_one, kOneBin};
  if (range.zero_or_one) {
    range.lower = 0;
    range.upper = 1;
    return range;
  }
  const auto is_thin = [&](std::size_t bin) { return static_cast<double>(counts[bin]) < kThinShare * noise.rows; };
  if (seen.size() > 1 && range.upper > 0 && is_thin(seen.back())) range.least_upper = kIntoTail * range.upper;
  if (seen.size() > 1 && range.lower < 0 && is_thin(seen.front())) range.greatest_lower = kIntoTail * range.lower;
  double half = 0;
  std::size_t middle = seen.front();
  for (const std::size_t bin : seen) {
    middle = bin;
    half += static_cast<double>(counts[bin]);
    if (2 * half >= total) break;
  }
  const bool log = range.lower >= 0 && range.upper >= kLeastLogUpper &&
                   range.upper >= kLogFrom * std::max(1.0, coarse_edges(middle).upper);
  range.scale = log ? schema::Scale::log : schema::Scale::linear;
  range.lower = range.lower < 0 ? 2 * range.lower : range.lower / 2;
  range.upper = range.upper > 0 ? 2 * range.upper : range.upper / 2;
  if (range.lower == range.upper) range.upper = range.lower + 1;
  return range;
}

FineGrid::FineGrid(const CoarseRange& range) : range_(range) {
  first_ = scaled(range.lower);
  width_ = (scaled(range.upper) - first_) / static_cast<double>(kFineBins);
}

double FineGrid::scaled(double value) const {
  return range_.scale == schema::Scale::log ? std::log1p(value - range_.lower) : value;
}

std::size_t FineGrid::bin(double value) const {
  const double place = (scaled(std::clamp(value, range_.lower, range_.upper)) - first_) / width_;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kFineBins - 1)));
}

double FineGrid::edge(std::size_t index) const {
  if (index == 0) return range_.lower;
  if (index == kFineBins) return range_.upper;
  const double place = first_ + static_cast<double>(index) * width_;
  return range_.scale == schema::Scale::log ? range_.lower + std::expm1(place) : place;
}

Bounds fine_bounds(const FineGrid& grid, std::span<const std::int64_t> counts, const CountNoise& noise) {
  ensure(counts.size() == kFineBins, "a histogram of another grid");
  std::vector<std::int64_t> rising(counts.begin(), counts.end());
  std::size_t first = first_seen(rising, noise);
  std::reverse(rising.begin(), rising.end());
  std::size_t last = kFineBins - first_seen(rising, noise);
  if (first >= last) {
    first = 0;
    last = kFineBins;
  }
  if (std::isfinite(grid.range().greatest_lower)) first = std::min(first, grid.bin(grid.range().greatest_lower));
  if (std::isfinite(grid.range().least_upper)) last = std::max(last, grid.bin(grid.range().least_upper) + 1);
  return {grid.edge(first), grid.edge(last)};
}

std::optional<CoarseRange> closer_range(const FineGrid& grid, const Bounds& bounds) {
  const CoarseRange& range = grid.range();
  const double bin = (range.upper - range.lower) / static_cast<double>(kFineBins);
  if (range.scale != schema::Scale::linear || bounds.upper - bounds.lower > kFewBins * bin) return std::nullopt;
  CoarseRange closer = range;
  closer.lower = std::max(range.lower, bounds.lower - bin);
  closer.upper = std::min(range.upper, bounds.upper + bin);
  return closer;
}

}  // namespace dperm::infer
