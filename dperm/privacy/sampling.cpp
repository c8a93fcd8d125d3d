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
constexpr double kAim = 0.9996, kEnough = 0.9991;  // shares of epsilon to be spent
constexpr int kMostTrials = 60;

// A bracket of ln(multiplier) with ln(epsilon reached / epsilon wanted) at both ends: positive below, not above.
struct Bracket {
  double low, low_excess, high, high_excess;
  // Where a straight line through both ends crosses zero, kept off the ends.
  double crossing() const {
    // An end that costs nothing, or everything, has no finite logarithm.
    const bool both = std::isfinite(low_excess) && std::isfinite(high_excess);
    const double line = both ? high_excess / (high_excess - low_excess) : 0.5;
    return high - (high - low) * std::clamp(line, 0.02, 0.98);
  }
};

// What the noise tends to where it is large: q sqrt(T) times the sensitivity of a step, over the Gaussian mu.
double large_noise_multiplier(const PrivacyEvent& event, double epsilon, double delta) {
  const auto& mechanism = std::get<SampledGaussianEvent>(event.mechanism);
  const double change = event.neighbours == Neighbours::replace_one ? 2 : 1;
  const double steps = static_cast<double>(event.repetitions);
  return change * mechanism.rate * std::sqrt(steps) * sigma_for(1, epsilon, delta);
}

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

// Epsilon falls in the noise, nearly as a power of it: false position in logarithms needs a handful of trials.
double searched_sigma(const PrivacyEvent& event, double epsilon, double delta) {
  PrivacyEvent trial = event;
  auto& mechanism = std::get<SampledGaussianEvent>(trial.mechanism);
  const double contribution = mechanism.contribution;
  const auto excess = [&](double log_multiplier) {
    mechanism.sigma = contribution * std::exp(log_multiplier);
    return std::log(account(std::span(&trial, 1), delta).epsilon / (kAim * epsilon));
  };
  Bracket bracket{};
  bracket.low = bracket.high = std::clamp(std::log(large_noise_multiplier(event, epsilon, delta)), -1.0, 10.0);
  bracket.low_excess = bracket.high_excess = excess(bracket.high);
  // Short steps first: where noise is large the first guess is nearly right.
  double step = 0.01;
  for (; bracket.high_excess > 0 && bracket.high < std::log(kMostMultiplier); step *= 4) {
    bracket.low = bracket.high, bracket.low_excess = bracket.high_excess;
    bracket.high += step;
    bracket.high_excess = excess(bracket.high);
  }
  require(bracket.high_excess <= 0,
          fmt::format("no noise keeps epsilon {:g} at delta {:g} over {} steps; take fewer steps, smaller batches or a "
                      "larger epsilon",
                      epsilon, delta, event.repetitions));
  for (; bracket.low_excess <= 0 && bracket.low > std::log(kLeastMultiplier); step *= 4) {
    bracket.high = bracket.low, bracket.high_excess = bracket.low_excess;
    bracket.low -= step;
    bracket.low_excess = excess(bracket.low);
  }
  for (int i = 0; i < kMostTrials && bracket.high_excess < std::log(kEnough / kAim); ++i) {
    const double middle = i % 3 == 2 ? (bracket.low + bracket.high) / 2 : bracket.crossing();
    const double here = excess(middle);
    if (here <= 0) {
      bracket.high = middle, bracket.high_excess = here;
    } else {
      bracket.low = middle, bracket.low_excess = here;
    }
  }
  return contribution * std::exp(bracket.high);
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
