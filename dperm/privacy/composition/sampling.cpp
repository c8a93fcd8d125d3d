// SPDX-License-Identifier: Apache-2.0
// Proof note: dperm/privacy/curator/sampled_release.md.
#include "dperm/privacy/composition/sampling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/distributions/sampled_group.hpp"

namespace dperm::privacy {

namespace {

// Less noise than a tenth of a contribution hides nothing, and accounting for it takes long.
constexpr double kLeastMultiplier = 0.1, kMostMultiplier = 1e6;
constexpr double kAim = 0.9995, kEnough = 0.999;  // shares of epsilon to be spent
// From kFineEpsilon on, intervals as wide as kCoarse of epsilon are coarser than the accountant's, and much faster.
constexpr double kCoarse = 0.01, kFineEpsilon = 0.2;
constexpr int kMostTrials = 60, kMostCoarseTrials = 12;

// A noise multiplier that was tried, and ln(epsilon spent / epsilon), both as logarithms.
struct Trial {
  double log_multiplier, log_spent;
};

// Where a straight line through both spends kAim, kept off them.
double crossing(const Trial& low, const Trial& high) {
  // A trial that costs nothing, or everything, has no finite logarithm.
  const double line = (std::log(kAim) - high.log_spent) / (low.log_spent - high.log_spent);
  return high.log_multiplier -
         (high.log_multiplier - low.log_multiplier) * std::clamp(std::isfinite(line) ? line : 0.5, 0.02, 0.98);
}

// By the central limit theorem T sampled releases are nearly one Gaussian release with mu^2 = T times the chi-square
// distance of the two distributions of one of them. With x = 1 / multiplier^2 that is 4 q^2 sinh(x) for a replaced
// record and q^2 (e^x - 1) for one that is there or not; for a group, with i and j drawn by themselves from
// Binomial(group, q), 4 E sinh(i j x) and E e^(i j x) - 1. Good to a few percent where the multiplier is above 1, and
// where to look first in any case.
class LimitTheorem {
 public:
  LimitTheorem(const PrivacyEvent& event, double epsilon, double delta)
      : replaced_(event.neighbours == Neighbours::replace_one) {
    const auto& mechanism = std::get<SampledGaussianEvent>(event.mechanism);
    const double one_release = 1 / sigma_for(1, epsilon, delta);
    const double repetitions = static_cast<double>(event.repetitions);
    if (mechanism.group > 1) {
      chances_ = binomial_chances(mechanism.group, mechanism.rate);
      x_ = where_distance_is(one_release * one_release / repetitions);
      return;
    }
    const double share = one_release * one_release / (mechanism.rate * mechanism.rate * repetitions);
    x_ = std::max(replaced_ ? std::asinh(share / 4) : std::log1p(share), 1e-100);
  }
  double log_multiplier() const { return -std::log(x_) / 2; }
  // Of ln(epsilon) against ln(multiplier): that of mu, and a tenth more, as epsilon grows a little faster than mu.
  double slope() const {
    if (!chances_.empty()) return -1.1 * std::log(distance(1.001 * x_) / distance(x_)) / std::log(1.001);
    return -1.1 * (replaced_ ? x_ / std::tanh(x_) : x_ / -std::expm1(-x_));
  }

 private:
  double distance(double x) const {
    double sum = 0;
    for (std::size_t i = 1; i < chances_.size(); ++i) {
      for (std::size_t j = 1; j < chances_.size(); ++j) {
        const double exponent = static_cast<double>(i * j) * x;
        sum += chances_[i] * chances_[j] * (replaced_ ? 4 * std::sinh(exponent) : std::expm1(exponent));
      }
    }
    return sum;
  }
  double where_distance_is(double share) const {
    double low = std::log(1e-100), high = std::log(700.0);
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (distance(std::exp(middle)) < share ? low : high) = middle;
    }
    return std::exp(low);
  }
  bool replaced_;
  std::vector<double> chances_ = {};  // of a group
  double x_;
};

}  // namespace

// [proof privacy_sampled_release.sizes]
// fma rounds once, so the sign of size - rate * rows is exact.
double rate_of_size(std::size_t size, std::size_t rows) {
  require(size >= 1 && size <= rows && rows <= kMostSampledRows,
          "a sample needs at least one row and at most all of them");
  double rate = static_cast<double>(size) / static_cast<double>(rows);
  while (std::fma(rate, static_cast<double>(rows), -static_cast<double>(size)) < 0) rate = std::nextafter(rate, 2.0);
  return rate;
}

std::size_t size_of_rate(double rate, std::size_t rows) {
  require(rate > 0 && rate <= 1 && rows <= kMostSampledRows, "the rate of a sample must be above 0 and at most 1");
  double size = std::floor(rate * static_cast<double>(rows));
  if (std::fma(rate, static_cast<double>(rows), -size) < 0) size -= 1;
  return static_cast<std::size_t>(size);
}
// [/proof]

namespace {

// Epsilon falls in the noise, nearly as a power of it: lines in logarithms need a few trials from a good first guess.
// Ends at a trial that spends more than `enough` of epsilon, and not more than `most`, or with the best that did not
// spend more; with nothing where all did.
std::optional<Trial> find_noise(const LimitTheorem& guess, double start, double enough, double most, int trials,
                                const std::function<double(double)>& log_spent) {
  const double least_noise = std::log(kLeastMultiplier), most_noise = std::log(kMostMultiplier);
  std::optional<Trial> low, high, before;  // the last that spent too much, the last that did not, the last of all
  double next = std::clamp(start, least_noise, most_noise), slope = guess.slope(), reach = 1;
  for (int i = 0, same_side = 0; i < trials; ++i) {
    const Trial here{next, log_spent(next)};
    const bool kept = here.log_spent <= std::log(most);
    (kept ? high : low) = here;
    if (high && (high->log_spent >= std::log(enough) || high->log_multiplier <= least_noise)) break;
    if (low && low->log_multiplier >= most_noise) break;
    same_side = before && kept == (before->log_spent <= std::log(most)) ? same_side + 1 : 0;
    if (low && high) {
      // Halves where lines keep to one side.
      next = same_side >= 2 ? (low->log_multiplier + high->log_multiplier) / 2 : crossing(*low, *high);
    } else {
      // One side is known: along the slope, and further if the other side is not reached soon.
      const double line = before ? (here.log_spent - before->log_spent) / (next - before->log_multiplier) : slope;
      if (std::isfinite(line) && line < 0) slope = line;
      if (same_side > 3) reach *= 1.5;
      const double away = (std::log(kAim) - here.log_spent) / slope;
      next = std::clamp(next + reach * std::clamp(away, -0.5, 0.5), least_noise, most_noise);
    }
    before = here;
  }
  return high;
}

double searched_sigma(const PrivacyEvent& event, double epsilon, double delta) {
  PrivacyEvent trial = event;
  auto& mechanism = std::get<SampledGaussianEvent>(trial.mechanism);
  const auto with_noise = [&](double log_multiplier) {
    mechanism.sigma = std::get<SampledGaussianEvent>(event.mechanism).contribution * std::exp(log_multiplier);
    return std::span<const PrivacyEvent>(&trial, 1);
  };
  const auto about = [&](double log_multiplier) {
    const Interval interval = PrivacyCurve(with_noise(log_multiplier)).epsilon(delta, kCoarse * epsilon);
    // Where the worst pair is only bounded, the upper end is what decides.
    const bool wide = !(interval.upper - interval.lower <= 2 * kCoarse * epsilon);
    return std::log((wide ? interval.upper : (interval.lower + interval.upper) / 2) / epsilon);
  };
  const auto proved = [&](double log_multiplier) {
    return std::log(account(with_noise(log_multiplier), delta).epsilon / epsilon);
  };
  const LimitTheorem guess(event, epsilon, delta);
  double start = std::max(guess.log_multiplier(), -1.0);  // less noise takes longer to account for
  if (epsilon >= kFineEpsilon) {
    const auto near = find_noise(guess, start, kAim - kCoarse / 10, kAim + kCoarse / 10, kMostCoarseTrials, about);
    if (near) start = near->log_multiplier;
  }
  const auto found = find_noise(guess, start, kEnough, 1, kMostTrials, proved);
  require(found.has_value(),
          fmt::format("no noise keeps epsilon {:g} at delta {:g} over {} steps; take fewer steps, smaller batches or a "
                      "larger epsilon",
                      epsilon, delta, event.repetitions));
  with_noise(found->log_multiplier);
  return mechanism.sigma;
}

}  // namespace

double sampled_sigma_for(const PrivacyEvent& event, double epsilon, double delta) {
  require_meaningful_epsilon(epsilon);
  require_in_open_range("delta", delta, 0, 1);
  return searched_sigma(event, epsilon, delta);
}

}  // namespace dperm::privacy
