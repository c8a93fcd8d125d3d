// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/sampling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"

namespace dperm::privacy {

namespace {

constexpr double kLeastMultiplier = 1e-4, kMostMultiplier = 1e6;
constexpr double kAim = 0.9995, kEnough = 0.999;  // shares of epsilon to be spent
constexpr int kMostTrials = 60;

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

// By the central limit theorem T sampled releases are nearly one Gaussian release with
// mu^2 = T times the chi-square distance of the two laws of one of them: with x = 1 / multiplier^2 that is
// 4 q^2 sinh(x) for a replaced record and q^2 (e^x - 1) for one that is there or not. Good to a few percent where the
// multiplier is above 1, and where to look first in any case.
class LimitTheorem {
 public:
  LimitTheorem(const PrivacyEvent& event, double epsilon, double delta)
      : replaced_(event.neighbours == Neighbours::replace_one) {
    const double rate = std::get<SampledGaussianEvent>(event.mechanism).rate;
    const double one_release = 1 / sigma_for(1, epsilon, delta);
    const double share = one_release * one_release / (rate * rate * static_cast<double>(event.repetitions));
    x_ = replaced_ ? std::asinh(share / 4) : std::log1p(share);
  }
  double log_multiplier() const { return -std::log(x_) / 2; }
  // Of ln(epsilon) against ln(multiplier): that of mu, and a tenth more, as epsilon grows a little faster than mu.
  double slope() const { return -1.1 * (replaced_ ? x_ / std::tanh(x_) : x_ / -std::expm1(-x_)); }

 private:
  bool replaced_;
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

// Epsilon falls in the noise, nearly as a power of it: a good first guess and lines in logarithms need a few trials.
double searched_sigma(const PrivacyEvent& event, double epsilon, double delta) {
  PrivacyEvent trial = event;
  auto& mechanism = std::get<SampledGaussianEvent>(trial.mechanism);
  const double contribution = mechanism.contribution;
  const double least = std::log(kLeastMultiplier), most = std::log(kMostMultiplier);
  const LimitTheorem first(event, epsilon, delta);
  std::optional<Trial> low, high;  // the last that spent too much, and that did not
  double next = std::clamp(first.log_multiplier(), -1.0, most), reach = 1;
  for (int i = 0; i < kMostTrials; ++i) {
    mechanism.sigma = contribution * std::exp(next);
    const Trial here{next, std::log(account(std::span(&trial, 1), delta).epsilon / epsilon)};
    (here.log_spent <= 0 ? high : low) = here;
    if (high && (high->log_spent >= std::log(kEnough) || high->log_multiplier <= least)) break;
    if (low && low->log_multiplier >= most) break;
    if (low && high) {
      next = i % 3 == 2 ? (low->log_multiplier + high->log_multiplier) / 2 : crossing(*low, *high);
      continue;
    }
    // One side is known: along the slope, and further each time that the other side is not reached.
    const double away = (std::log(kAim) - here.log_spent) / first.slope();
    next = std::clamp(next + reach * std::clamp(away, -0.5, 0.5), least, most);
    reach *= 1.5;
  }
  require(high.has_value(),
          fmt::format("no noise keeps epsilon {:g} at delta {:g} over {} steps; take fewer steps, smaller batches or a "
                      "larger epsilon",
                      epsilon, delta, event.repetitions));
  return contribution * std::exp(high->log_multiplier);
}

}  // namespace

double sampled_sigma_for(const PrivacyEvent& event, double epsilon, double delta) {
  require_meaningful_epsilon(epsilon);
  require_in_open_range("delta", delta, 0, 1);
  struct Answer {
    PrivacyEvent event;
    double epsilon, delta, sigma;
  };
  // A fit asks again what its plan asked.
  thread_local std::optional<Answer> last;
  if (!last || last->event != event || last->epsilon != epsilon || last->delta != delta) {
    last = {event, epsilon, delta, searched_sigma(event, epsilon, delta)};
  }
  return last->sigma;
}

}  // namespace dperm::privacy
