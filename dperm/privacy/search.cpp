// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"
#include "dperm/privacy/event_law.hpp"
#include "dperm/privacy/privacy_curve.hpp"
#include "dperm/privacy/renyi.hpp"

namespace dperm::privacy {
namespace {

constexpr double kSharpness = 1e-4, kRatio = 1 + 1.0 / 2000;

void require_delta(double delta) {
  require(delta >= 0 && delta < 1, fmt::format("delta must be at least 0 and below 1; got {}", delta));
}

bool exact(const PrivacyEvent& event) { return std::holds_alternative<GaussianEvent>(event.mechanism); }

}  // namespace

// [proof privacy_accountant.search]
bool keeps(const std::vector<PrivacyEvent>& events, double epsilon, double delta) {
  if (delta == 0) return pure_epsilon(events) <= epsilon;
  if (std::all_of(events.begin(), events.end(), exact)) return account(events, delta).epsilon <= epsilon;
  if (!has_loss_laws(events)) return renyi_epsilon(events, delta) <= epsilon;
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
  double low = least, high = most;
  while (high > low * kRatio) {
    const double middle = std::sqrt(low * high);
    (keeps(events(middle), epsilon, delta) ? high : low) = middle;
  }
  return high;
}

double largest_rate(const EventsAt& events, double epsilon, double delta, double least, double most) {
  require_meaningful_epsilon(epsilon);
  require_delta(delta);
  if (keeps(events(most), epsilon, delta)) return most;
  require(keeps(events(least), epsilon, delta),
          fmt::format("even rate {:g} does not reach epsilon {:g} at delta {:g}", least, epsilon, delta));
  double low = least, high = most;
  while (high > low * kRatio) {
    const double middle = std::sqrt(low * high);
    (keeps(events(middle), epsilon, delta) ? low : high) = middle;
  }
  return low;
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
  std::int64_t low = 1, high = 2;
  while (high <= most / 2 && enough(high)) low = high, high *= 2;
  high = std::min(high, most);
  if (high > low && enough(high)) return high;
  // Beyond 2000 steps one part in 2000 is sharper than it needs to be.
  while (high - low > std::max<std::int64_t>(1, low / 2000)) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? low : high) = middle;
  }
  return low;
}
// [/proof]

}  // namespace dperm::privacy
