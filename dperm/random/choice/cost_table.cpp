// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/cost_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/random/exact_coin.hpp"

namespace dperm::random::detail {
namespace {

constexpr int kDepth = 62;  // weights below 2^-62 of the best share one step: 62 + 62 bits hold every sum
constexpr double kLog2 = 0.6931471805599453;
constexpr double kSafety = 0x1p-40;  // far more than the handful of roundings it covers
constexpr double kMargin = 0x1p-30;
__extension__ typedef __int128 SignedWide;

void check_scale(CostScale scale) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;
  require(scale.numerator >= 1 && scale.numerator < kLimit && scale.denominator >= 1 && scale.denominator < kLimit,
          "numerator and denominator of a cost scale must be positive and below 2^62");
}

std::int64_t last_cost(const CostRun& run) {
  const SignedWide last = run.cost + static_cast<SignedWide>(run.slope) * (run.size - 1);
  ensure(last <= kLargestCost && last >= -kLargestCost, "the cost of a candidate exceeds 61 bits");
  return static_cast<std::int64_t>(last);
}

// [proof random_selection.uniform]
Wide uniform_below_wide(BitSource& bits, Wide bound) {
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64);
  const auto low = static_cast<std::uint64_t>(bound - 1);
  const int width = high != 0 ? 64 + static_cast<int>(std::bit_width(high)) : static_cast<int>(std::bit_width(low));
  if (width == 0) return 0;
  for (;;) {
    Wide value = bits.next();
    if (width > 64) value = (value << 64) | bits.next();
    value &= (static_cast<Wide>(1) << width) - 1;
    if (value < bound) return value;
  }
}
// [/proof]

}  // namespace

CostTable::CostTable(std::span<const CostRun> runs, CostScale scale, bool shortcuts)
    : runs_(runs), scale_(scale), shortcuts_(shortcuts) {
  check_scale(scale);
  ensure(!runs.empty() && runs.size() <= std::numeric_limits<std::uint32_t>::max(), "no candidates, or too many runs");
  std::uint64_t candidates = 0;
  best_ = kLargestCost;
  first_.reserve(runs.size());
  for (const CostRun& run : runs) {
    ensure(run.size >= 1 && run.size <= kMostCandidates - candidates, "an empty run or more than 2^62 candidates");
    ensure(run.cost <= kLargestCost && run.cost >= -kLargestCost, "the cost of a candidate exceeds 61 bits");
    first_.push_back(candidates);
    candidates += run.size;
    best_ = std::min({best_, run.cost, last_cost(run)});
  }
  steps_.reserve(runs.size());
  ends_.reserve(runs.size());
  for (std::size_t index = 0; index < runs.size(); ++index) add_steps(static_cast<std::uint32_t>(index));
}

double CostTable::exponent(std::uint64_t gap) const {
  return static_cast<double>(gap) * static_cast<double>(scale_.denominator) / static_cast<double>(scale_.numerator);
}

void CostTable::exponent(Real& out, std::uint64_t gap, mpfr_rnd_t direction) const {
  const mpz_class product = mpz_class(static_cast<unsigned long>(gap)) * static_cast<unsigned long>(scale_.denominator);
  mpfr_set_z(out.get(), product.get_mpz_t(), direction);
  mpfr_div_ui(out.get(), out.get(), static_cast<unsigned long>(scale_.numerator), direction);
}

// [proof random_selection.staircase]
// At most gap / scale / ln 2, so that 2^-halvings is never below the weight.
int CostTable::halvings(std::uint64_t gap) const {
  return static_cast<int>(std::min<double>(kDepth, std::floor(exponent(gap) * (1 - kSafety) / kLog2)));
}

void CostTable::add_steps(std::uint32_t index) {
  const CostRun& run = runs_[index];
  const std::uint64_t steepness =
      run.slope < 0 ? 0 - static_cast<std::uint64_t>(run.slope) : static_cast<std::uint64_t>(run.slope);
  const std::int64_t better = std::min(run.cost, last_cost(run));
  const auto nearest = static_cast<std::uint64_t>(better - best_);
  for (std::uint64_t start = 0; start < run.size;) {
    const int depth = halvings(nearest + steepness * start);
    std::uint64_t end = run.size;
    if (depth < kDepth && steepness > 0) {
      // Where the next halving is certainly complete. Any end is right; this one keeps the steps few.
      const double gap_there = (depth + 1) * kLog2 * (1 + 4 * kSafety) * static_cast<double>(scale_.numerator) /
                               static_cast<double>(scale_.denominator);
      const double distance = std::ceil((gap_there - static_cast<double>(nearest)) / static_cast<double>(steepness));
      if (distance < static_cast<double>(run.size - 1)) {
        end = std::max(start + 1, static_cast<std::uint64_t>(std::max(distance, 0.0)));
      }
    }
    const Wide weight = static_cast<Wide>(end - start) << (kDepth - depth);
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + weight);
    steps_.push_back({start, index, depth});
    start = end;
  }
}
// [/proof]

// [proof random_selection.acceptance]
// True with probability 2^halvings exp(-gap / scale).
bool CostTable::accept(BitSource& bits, std::uint64_t gap, int halvings) const {
  if (gap == 0) return true;
  const std::uint64_t head = bits.next();
  const double probability = std::exp(halvings * kLog2 - exponent(gap));
  if (const auto quick = decide_in_double(head, probability, kMargin); quick && shortcuts_) return *quick;
  const auto set = [&](Real& out, mpfr_rnd_t direction) {
    const mpfr_rnd_t opposite = direction == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    Real x(mpfr_get_prec(out.get()));
    exponent(x, gap, opposite);
    mpfr_const_log2(out.get(), direction);
    mpfr_mul_ui(out.get(), out.get(), static_cast<unsigned long>(halvings), direction);
    mpfr_sub(out.get(), out.get(), x.get(), direction);
    mpfr_exp(out.get(), out.get(), direction);
  };
  return decide_exactly(
      bits, head,
      [&](Real& lower, Real& upper) {
        set(lower, MPFR_RNDD);
        set(upper, MPFR_RNDU);
      },
      [] {});
}

Candidate CostTable::draw(BitSource& bits) const {
  for (;;) {
    const Wide point = uniform_below_wide(bits, ends_.back());
    const auto found = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), point) - ends_.begin());
    const Step& step = steps_[found];
    const CostRun& run = runs_[step.run];
    const Wide within = point - (found == 0 ? 0 : ends_[found - 1]);
    const std::uint64_t distance = step.start + static_cast<std::uint64_t>(within >> (kDepth - step.halvings));
    const std::uint64_t member = run.slope < 0 ? run.size - 1 - distance : distance;
    const SignedWide cost = run.cost + static_cast<SignedWide>(run.slope) * member;
    if (accept(bits, static_cast<std::uint64_t>(cost - best_), step.halvings)) {
      return {first_[step.run] + member, step.run};
    }
  }
}
// [/proof]

}  // namespace dperm::random::detail
