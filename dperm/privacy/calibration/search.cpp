// SPDX-License-Identifier: Apache-2.0
// Proof note: dperm/privacy/composition/accountant.md.
#include "dperm/privacy/calibration/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::privacy {
namespace {

constexpr double kSharpness = 1e-4, kRatio = 1 + 1.0 / 2000;

void require_delta(double delta) {
  require(delta >= 0 && delta < 1, "delta", fmt::format("must be at least 0 and below 1; got {}", delta));
}

bool exact(const PrivacyEvent& event) { return std::holds_alternative<GaussianEvent>(event.mechanism); }

// About the epsilon that the events cost, to a thousandth of `scale`. Proves nothing.
double about(const std::vector<PrivacyEvent>& events, double scale, double delta) {
  if (delta == 0) return pure_epsilon(events);
  if (std::all_of(events.begin(), events.end(), exact)) return account(events, delta).epsilon;
  if (!has_loss_distributions(events)) return renyi_epsilon(events, delta);
  const Interval interval = PrivacyCurve(events).epsilon(delta, 1e-3 * scale);
  // Where the worst pair is only bounded, the upper end is what decides.
  if (interval.upper - interval.lower > 2e-3 * scale) return interval.upper;
  return (interval.lower + interval.upper) / 2;
}

// A guess where the epsilon is `target` between `kept`, where it is less, and `broken`, where it is more: a few steps
// of the secant method on logarithms.
double guess_between(double kept, double broken, const std::function<double(double)>& epsilon_at, double target) {
  double x0 = std::log(kept), x1 = std::log(broken);
  const double low = std::min(x0, x1), high = std::max(x0, x1);
  const auto value = [&](double x) { return std::log(std::max(epsilon_at(std::exp(x)), 1e-300) / target); };
  double y0 = value(x0), y1 = value(x1);
  for (int i = 0; i < 4 && std::abs(y1) > 1e-4; ++i) {
    if (!std::isfinite(y0) || !std::isfinite(y1) || y0 == y1) break;
    const double next = std::clamp(x1 - y1 * (x1 - x0) / (y1 - y0), low, high);
    x0 = std::exchange(x1, next);
    y0 = std::exchange(y1, value(next));
  }
  return std::exp(x1);
}

// [proof privacy_accountant.search]
// Narrows the pair to a ratio of kRatio: by halves while they are far apart, then on both sides of a guess, then by
// halves again should the guess be wrong. Returns a value at which the promise was proved.
double narrow(double kept, double broken, const std::function<bool(double)>& keeps_at,
              const std::function<double(double)>& epsilon_at, double target) {
  const auto apart = [&] { return std::max(kept / broken, broken / kept); };
  const auto try_at = [&](double x) {
    if ((x - kept) * (x - broken) < 0) (keeps_at(x) ? kept : broken) = x;
  };
  while (apart() > 1.5) try_at(std::sqrt(kept * broken));
  if (apart() > kRatio) {
    const double guess = guess_between(kept, broken, epsilon_at, target);
    const double towards = std::pow(kRatio, kept > broken ? 0.45 : -0.45);
    try_at(guess * towards);
    try_at(guess / towards);
  }
  while (apart() > kRatio) try_at(std::sqrt(kept * broken));
  return kept;
}

}  // namespace

bool keeps(const std::vector<PrivacyEvent>& events, double epsilon, double delta) {
  if (delta == 0) return pure_epsilon(events) <= epsilon;
  if (std::all_of(events.begin(), events.end(), exact)) return account(events, delta).epsilon <= epsilon;
  if (!has_loss_distributions(events)) return renyi_epsilon(events, delta) <= epsilon;
  // Most questions are settled by a coarse interval.
  const PrivacyCurve curve(events);
  for (const double sharpness : {0.1, 0.01, kSharpness}) {
    const Interval interval = curve.epsilon(delta, sharpness * epsilon);
    if (interval.upper <= epsilon) return true;
    if (interval.lower > epsilon) return false;
    if (std::isinf(interval.upper)) return renyi_epsilon(events, delta) <= epsilon;
  }
  return false;
}

// Only a value at which the promise itself was proved is returned.
double smallest_noise(const EventsAt& events, double epsilon, double delta, double least, double most) {
  require_meaningful_epsilon(epsilon);
  require_delta(delta);
  require(keeps(events(most), epsilon, delta),
          fmt::format("even noise {:g} does not reach epsilon {:g} at delta {:g}", most, epsilon, delta));
  // Where even the least noise is enough, the pair narrows towards it.
  return narrow(
      most, least, [&](double x) { return keeps(events(x), epsilon, delta); },
      [&](double x) { return about(events(x), epsilon, delta); }, epsilon);
}

double largest_rate(const EventsAt& events, double epsilon, double delta, double least, double most) {
  require_meaningful_epsilon(epsilon);
  require_delta(delta);
  if (keeps(events(most), epsilon, delta)) return most;
  require(keeps(events(least), epsilon, delta),
          fmt::format("even rate {:g} does not reach epsilon {:g} at delta {:g}", least, epsilon, delta));
  return narrow(
      least, most, [&](double x) { return keeps(events(x), epsilon, delta); },
      [&](double x) { return about(events(x), epsilon, delta); }, epsilon);
}

std::int64_t most_steps(PrivacyEvent event, double epsilon, double delta, std::int64_t most) {
  require_meaningful_epsilon(epsilon);
  require_delta(delta);
  require(most >= 1, "the largest number of steps must be at least 1");
  const auto enough = [&](std::int64_t steps) {
    event.repetitions = steps;
    return keeps({event}, epsilon, delta);
  };
  if (!enough(1)) return 0;
  std::int64_t low = 1, high = std::min<std::int64_t>(2, most);
  while (low < high && enough(high)) low = high, high = high > most / 2 ? most : 2 * high;
  if (low == high) return most;
  // Beyond 2000 steps one part in 2000 is sharper than it needs to be.
  while (high - low > std::max<std::int64_t>(1, low / 2000)) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? low : high) = middle;
  }
  return low;
}
// [/proof]

}  // namespace dperm::privacy
