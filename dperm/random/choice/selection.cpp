// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/selection.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/random/bernoulli.hpp"
#include "dperm/random/choice/cost_table.hpp"
#include "dperm/random/exact_coin.hpp"

namespace dperm::random {
namespace {

using detail::Candidate;
using detail::CostTable;
using detail::LazyUniform;
using detail::Real;

constexpr double kMargin = 0x1p-20;  // covers sums over fewer than kMostRuns runs

// [proof random_selection.exponential]
// A real with density proportional to exp(-t) on (0, limit), or uniform on (0, 1) where limit is 0: whole + fraction.
struct Arrival {
  std::uint64_t whole;
  LazyUniform fraction;
};

bool accept_fraction(BitSource& bits, LazyUniform& fraction, bool shortcuts) {
  const std::uint64_t head = bits.next();
  const double probability = std::exp(-static_cast<double>(fraction.head()) * 0x1p-64);
  if (const auto quick = detail::decide_in_double(head, probability, 0x1p-40); quick && shortcuts) return *quick;
  const auto set = [&](Real& out, const mpz_class& cell, mpfr_rnd_t direction) {
    const mpz_class minus = -cell;
    mpfr_set_z_2exp(out.get(), minus.get_mpz_t(), -static_cast<mpfr_exp_t>(fraction.digits()), direction);
    mpfr_exp(out.get(), out.get(), direction);
  };
  return detail::decide_exactly(
      bits, head,
      [&](Real& lower, Real& upper) {
        set(lower, fraction.cell() + 1, MPFR_RNDD);
        set(upper, fraction.cell(), MPFR_RNDU);
      },
      [&] { fraction.extend(bits); });
}

Arrival draw_arrival(BitSource& bits, std::uint64_t limit, bool shortcuts) {
  if (limit == 0) return {0, LazyUniform(bits.next(), 64)};
  for (;;) {
    LazyUniform fraction(bits.next(), 64);
    if (!accept_fraction(bits, fraction, shortcuts)) continue;
    std::uint64_t whole = 0;
    while (whole < limit && bernoulli_exp(bits, 1, 1)) ++whole;
    if (whole < limit) return {whole, std::move(fraction)};
  }
}
// [/proof]

// [proof random_selection.race]
class Race {
 public:
  Race(BitSource& bits, std::span<const CostRun> runs, const CostTable& table, bool shortcuts)
      : bits_(bits), runs_(runs), table_(table), shortcuts_(shortcuts) {
    odds_.reserve(runs.size());
    for (const CostRun& run : runs) {
      odds_.push_back(std::exp(-table.exponent(table.gap(run))));
      total_ += static_cast<double>(run.size) * odds_.back();
    }
    // At most the true sum of all acceptance odds less one.
    rate_ = static_cast<std::uint64_t>(std::max(0.0, std::floor(total_ * (1 - kMargin) - 1)));
  }

  std::uint64_t winner() {
    for (;;) {
      const Candidate candidate = table_.draw(bits_);
      Arrival arrival = draw_arrival(bits_, rate_, shortcuts_);
      if (stays_first(candidate.run, arrival)) return candidate.number;
    }
  }

 private:
  // Nobody else was accepted before `arrival`: true with probability exp(rate t) prod (1 - odds t) over the others.
  bool stays_first(std::size_t winner, Arrival& arrival) {
    const double rate = rate_ == 0 ? 1 : static_cast<double>(rate_);
    const double t =
        (static_cast<double>(arrival.whole) + static_cast<double>(arrival.fraction.head()) * 0x1p-64) / rate;
    double log_odds = -(total_ - odds_[winner] - static_cast<double>(rate_)) * t;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::uint64_t others = runs_[i].size - (i == winner ? 1 : 0);
      if (others == 0) continue;
      const double s = odds_[i] * t;
      if (s > 0) log_odds += static_cast<double>(others) * (std::log1p(-s) + s);
    }
    const std::uint64_t head = bits_.next();
    const double probability = std::exp(std::min(log_odds, 0.0));
    const auto quick = detail::decide_in_double(head, probability, kMargin * (1 + total_ * t));
    if (quick && shortcuts_) return *quick;
    return detail::decide_exactly(
        bits_, head, [&](Real& lower, Real& upper) { bound(winner, arrival, lower, upper); },
        [&] { arrival.fraction.extend(bits_); });
  }

  void bound(std::size_t winner, const Arrival& arrival, Real& lower, Real& upper) const {
    const mpfr_prec_t precision = mpfr_get_prec(lower.get());
    Real early(precision), late(precision), term(precision);
    set_time(early, arrival, 0, MPFR_RNDD);
    set_time(late, arrival, 1, MPFR_RNDU);
    mpfr_mul_ui(lower.get(), early.get(), static_cast<unsigned long>(rate_), MPFR_RNDD);
    mpfr_mul_ui(upper.get(), late.get(), static_cast<unsigned long>(rate_), MPFR_RNDU);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::uint64_t others = runs_[i].size - (i == winner ? 1 : 0);
      if (others == 0) continue;
      set_log_refusal(term, i, late, MPFR_RNDD);
      mpfr_mul_ui(term.get(), term.get(), static_cast<unsigned long>(others), MPFR_RNDD);
      mpfr_add(lower.get(), lower.get(), term.get(), MPFR_RNDD);
      set_log_refusal(term, i, early, MPFR_RNDU);
      mpfr_mul_ui(term.get(), term.get(), static_cast<unsigned long>(others), MPFR_RNDU);
      mpfr_add(upper.get(), upper.get(), term.get(), MPFR_RNDU);
    }
    mpfr_exp(lower.get(), lower.get(), MPFR_RNDD);
    mpfr_exp(upper.get(), upper.get(), MPFR_RNDU);
  }

  // (whole + fraction) / rate at one end of the fraction's cell, at most 1.
  void set_time(Real& out, const Arrival& arrival, unsigned long end, mpfr_rnd_t direction) const {
    const mpz_class cell = (mpz_class(static_cast<unsigned long>(arrival.whole)) << arrival.fraction.digits()) +
                           arrival.fraction.cell() + end;
    mpfr_set_z_2exp(out.get(), cell.get_mpz_t(), -static_cast<mpfr_exp_t>(arrival.fraction.digits()), direction);
    if (rate_ > 0) mpfr_div_ui(out.get(), out.get(), static_cast<unsigned long>(rate_), direction);
    if (mpfr_cmp_ui(out.get(), 1) > 0) mpfr_set_ui(out.get(), 1, MPFR_RNDN);
  }

  // ln(1 - odds t), rounded in the given direction.
  void set_log_refusal(Real& out, std::size_t run, Real& time, mpfr_rnd_t direction) const {
    const mpfr_rnd_t opposite = direction == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    table_.exponent(out, table_.gap(runs_[run]), direction);
    mpfr_neg(out.get(), out.get(), MPFR_RNDN);
    mpfr_exp(out.get(), out.get(), opposite);
    mpfr_mul(out.get(), out.get(), time.get(), opposite);
    mpfr_neg(out.get(), out.get(), MPFR_RNDN);
    mpfr_log1p(out.get(), out.get(), direction);
  }

  BitSource& bits_;
  std::span<const CostRun> runs_;
  const CostTable& table_;
  bool shortcuts_;
  std::vector<double> odds_;  // of each run's candidates to be accepted when visited
  double total_ = 0;
  std::uint64_t rate_ = 0;
};
// [/proof]

}  // namespace

std::uint64_t choose_exponential(BitSource& bits, std::span<const CostRun> runs, CostScale scale) {
  return CostTable(runs, scale).draw(bits).number;
}

std::uint64_t permute_and_flip(BitSource& bits, std::span<const CostRun> runs, CostScale scale) {
  return detail::permute_and_flip(bits, runs, scale, true);
}

std::uint64_t detail::permute_and_flip(BitSource& bits, std::span<const CostRun> runs, CostScale scale,
                                       bool shortcuts) {
  ensure(runs.size() < kMostRuns, "too many runs for permute-and-flip");
  ensure(std::all_of(runs.begin(), runs.end(), [](const CostRun& run) { return run.slope == 0; }),
         "permute-and-flip takes runs of equal cost only");
  const CostTable table(runs, scale, shortcuts);
  return Race(bits, runs, table, shortcuts).winner();
}

}  // namespace dperm::random
