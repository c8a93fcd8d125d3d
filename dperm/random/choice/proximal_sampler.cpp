// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/proximal_sampler.hpp"

#include <gmpxx.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/random/exact_coin.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/real.hpp"

namespace dperm::random {
namespace {

using detail::Real;
using Point = std::vector<std::int64_t>;

constexpr std::int64_t kLargestCoordinate = std::int64_t{1} << 61;

void check(const ProximalSettings& settings) {
  require(settings.dimension >= 1 && settings.rounds >= 0 && settings.most_proposals >= 1,
          "a proximal sampler needs dimensions and proposals");
  for (const double sigma : {settings.start_sigma, settings.forward_sigma, settings.backward_sigma}) {
    require_in_closed_range("sigma of the proximal sampler", sigma, kMinimumSigma, kMaximumSigma);
  }
  require(settings.backward_sigma < settings.forward_sigma, "proposals must be narrower than the noise");
  require_positive_finite("cost_weight", settings.cost_weight);
  require_nonnegative_finite("slack", settings.slack);
  require_in_closed_range("radius of the proximal sampler", settings.radius, 1, kLargestProximalRadius);
}

bool inside(const Point& point, double radius) {
  double square = 0;
  for (const std::int64_t each : point) square += static_cast<double>(each) * static_cast<double>(each);
  return square <= radius * radius;
}

// [proof random_proximal_sampler.round]
class Round {
 public:
  Round(const ProximalSettings& settings, const ProximalTarget& target, const Point& y)
      : settings_(settings), target_(target), y_(y), anchor_(y.size(), 0), centre_(y.size(), 0) {
    target.prepare(y, anchor_, centre_);
    for (std::int64_t& each : centre_) each = std::clamp(each, -kLargestCoordinate, kLargestCoordinate);
    at_anchor_ = target.cost(anchor_);
  }

  // True, with x drawn from the target times the Gaussian around y, or false after most_proposals failures.
  bool draw(BitSource& bits, Point& x) const {
    Point proposal(x.size());
    for (std::int64_t trial = 0; trial < settings_.most_proposals; ++trial) {
      rounded_gaussians(bits, settings_.backward_sigma, proposal);
      for (std::size_t j = 0; j < proposal.size(); ++j) proposal[j] += centre_[j];
      if (!inside(proposal, settings_.radius) || !accept(bits, proposal)) continue;
      x = proposal;
      return true;
    }
    return false;
  }

 private:
  // With probability exp(-E), E = weight (cost(x) - cost(anchor)) - <y / forward^2 - centre / backward^2, x - anchor> +
  // slack.
  bool accept(BitSource& bits, const Point& x) const {
    mpz_class with_y = 0, with_centre = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long distance = x[j] - anchor_[j];
      with_y += mpz_class(static_cast<long>(y_[j])) * distance;
      with_centre += mpz_class(static_cast<long>(centre_[j])) * distance;
    }
    const std::int64_t gap = target_.cost(x) - at_anchor_;
    const auto exponential = [&](Real& out, mpfr_rnd_t direction) {
      const mpfr_rnd_t opposite = direction == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
      exponent(out, gap, with_y, with_centre, opposite);
      mpfr_neg(out.get(), out.get(), MPFR_RNDN);
      mpfr_exp(out.get(), out.get(), direction);
    };
    return detail::decide_exactly(
        bits, bits.next(),
        [&](Real& lower, Real& upper) {
          exponential(lower, MPFR_RNDD);
          exponential(upper, MPFR_RNDU);
        },
        [] {});
  }

  void exponent(Real& out, std::int64_t gap, const mpz_class& with_y, const mpz_class& with_centre,
                mpfr_rnd_t direction) const {
    const mpfr_rnd_t opposite = direction == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    Real part(mpfr_get_prec(out.get())), square(mpfr_get_prec(out.get()));
    mpfr_set_sj(out.get(), gap, direction);
    mpfr_mul_d(out.get(), out.get(), settings_.cost_weight, direction);
    const auto divide = [&](const mpz_class& numerator, double sigma, mpfr_rnd_t rounding) {
      mpfr_set_d(square.get(), sigma, MPFR_RNDN);
      mpfr_sqr(square.get(), square.get(), MPFR_RNDN);  // exact: 106 bits
      mpfr_set_z(part.get(), numerator.get_mpz_t(), rounding);
      mpfr_div(part.get(), part.get(), square.get(), rounding);
    };
    divide(with_y, settings_.forward_sigma, opposite);
    mpfr_sub(out.get(), out.get(), part.get(), direction);
    divide(with_centre, settings_.backward_sigma, direction);
    mpfr_add(out.get(), out.get(), part.get(), direction);
    mpfr_add_d(out.get(), out.get(), settings_.slack, direction);
  }

  const ProximalSettings& settings_;
  const ProximalTarget& target_;
  const Point& y_;
  Point anchor_, centre_;
  std::int64_t at_anchor_;
};

Point run_chain(BitSource& bits, const ProximalTarget& target, const ProximalSettings& settings) {
  Point x(settings.dimension), y(settings.dimension);
  rounded_gaussians(bits, settings.start_sigma, x);
  for (std::int64_t round = 0; round < settings.rounds; ++round) {
    rounded_gaussians(bits, settings.forward_sigma, y);
    for (std::size_t j = 0; j < x.size(); ++j) y[j] += x[j];
    Round(settings, target, y).draw(bits, x);
    if (settings.after_round) settings.after_round(round + 1);
  }
  return x;
}
// [/proof]

}  // namespace

std::vector<std::int64_t> sample_proximal(BitSource& bits, const ProximalTarget& target,
                                          const ProximalSettings& settings) {
  check(settings);
  return run_chain(bits, target, settings);
}

// [proof random_proximal_sampler.rounds]
double proximal_rounds(double divergence, double distance, double strength) {
  const double rounds = std::ceil(rounded_up(std::log(rounded_up(divergence / (2 * distance * distance)))) /
                                  rounded_down(2 * std::log1p(strength)));
  return rounds >= 0 && rounds < 9e18 ? rounds : rounds < 0 ? 0 : 9e18;
}
// [/proof]

}  // namespace dperm::random
