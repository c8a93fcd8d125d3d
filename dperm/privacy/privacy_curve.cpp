// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/privacy_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/loss_sum.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostGridPoints = 0x1p19;
constexpr std::size_t kMostWindowPoints = std::size_t{1} << 21;
constexpr int kMostRefinements = 12;
constexpr double kFinestAlignment = 16;
constexpr double kFinestStep = 1e-13;   // far below the margin of every release
constexpr double kRoundedWidth = 0.05;  // sharper than the rounding of many laws to a few is

const LossLaw& chosen(const LawCount& law, bool forward) {
  return forward || !law.reverse ? *law.forward : *law.reverse;
}

// Nothing when some law would need too many grid points.
std::optional<LossSum> sum_on_grid(const std::vector<LawCount>& laws, bool forward, double step, double tail) {
  double points = 0;
  for (const LawCount& law : laws) points += grid_points(chosen(law, forward), step, tail);
  if (!(points < kMostGridPoints)) return std::nullopt;
  std::vector<LossPart> parts;
  for (const LawCount& law : laws) parts.push_back({discretise(chosen(law, forward), step, tail), law.count});
  return LossSum(std::move(parts), step);
}

double widest_range(const std::vector<LawCount>& laws, bool forward, double tail) {
  double widest = 0;
  for (const LawCount& law : laws) {
    const LossRange range = chosen(law, forward).range(tail);
    widest = std::max(widest, range.upper - range.lower);
  }
  return widest;
}

double first_step(double wanted, double range) { return std::max(std::min(wanted, range / 64), kFinestStep); }

// A step at most `step` that puts the atoms of the most repeated law with atoms onto the grid.
double aligned(const std::vector<LawCount>& laws, bool forward, double step) {
  double count = 0, spacing = 0;
  for (const LawCount& law : laws) {
    const double own = chosen(law, forward).spacing();
    if (own > 0 && law.count > count) count = law.count, spacing = own;
  }
  // Atoms much closer than the step would make the grid finer than anybody asked for, without end.
  return spacing * kFinestAlignment > step ? spacing / std::ceil(spacing / step) : step;
}

}  // namespace

PrivacyCurve::PrivacyCurve(std::span<const PrivacyEvent> events) {
  for (const PrivacyEvent& event : events) {
    require(event.neighbours == events.front().neighbours,
            "events under different neighbouring relations do not add up");
  }
  EventLaws found = laws_of(events);
  *this = PrivacyCurve(std::move(found.laws), found.slack_delta);
  attained_ = found.attained;
  if (!found.below.empty()) below_ = std::make_shared<PrivacyCurve>(std::move(found.below), 0);
}

PrivacyCurve::PrivacyCurve(std::vector<LawCount> laws, double slack_delta)
    : laws_(std::move(laws)), slack_delta_(slack_delta) {
  for (const LawCount& law : laws_) symmetric_ = symmetric_ && !law.reverse;
}

double PrivacyCurve::total_count() const {
  double count = 0;
  for (const LawCount& law : laws_) count += law.count;
  return count;
}

// [proof privacy_curve.refine]
// Every grid gives a valid interval; intervals of several grids are intersected.
Interval PrivacyCurve::one_way(bool forward, double delta, double width, double enough) const {
  const double count = total_count();
  const double tail = std::max(1e-6 * delta / count, 1e-290);
  double step = first_step(std::sqrt(0.4 * width / count), widest_range(laws_, forward, tail));
  Interval best{0, kInfinity};
  bool found = false;
  for (int i = 0; i < kMostRefinements; ++i) {
    const auto sum = sum_on_grid(laws_, forward, aligned(laws_, forward, step), tail);
    if (!sum) {
      if (found) break;
      step *= 4;  // nothing yet: take what a coarser grid can give
      continue;
    }
    best.upper = std::min(best.upper, sum->epsilon_from_support(delta));
    if (best.upper <= enough) break;
    const auto tilted = sum->at(sum->tilt_for_delta(delta), kMostWindowPoints);
    if (!tilted) {
      if (found) break;
      step *= 4;
      continue;
    }
    found = true;
    const double before = best.upper - best.lower;
    best.upper = std::min(best.upper, tilted->epsilon_upper(delta));
    best.lower = std::max(best.lower, tilted->epsilon_lower(delta));
    const double reached = best.upper - best.lower;
    if (i > 2 && reached > 0.9 * before) break;
    if (reached <= width || best.upper <= enough) break;
    step *= std::clamp(0.8 * std::sqrt(width / reached), 0.1, 0.5);
  }
  return best;
}
// [/proof]

Interval PrivacyCurve::epsilon(double delta, double width) const {
  require_in_open_range("delta", delta, 0, 1);
  require_positive_finite("width", width);
  const double left = rounded_down(delta - slack_delta_);
  if (!(left > 0)) return {0, kInfinity};
  if (laws_.empty()) return {0, 0};
  if (below_) width = std::max(width, kRoundedWidth);
  Interval result = one_way(true, left, width, 0);
  if (!symmetric_) {
    const Interval other = one_way(false, left, width, result.lower);
    result = {std::max(result.lower, other.lower), std::max(result.upper, other.upper)};
  }
  if (below_) result.lower = below_->epsilon(delta, std::max(width, kRoundedWidth)).lower;
  if (!attained_) result.lower = 0;
  return result;
}

Interval PrivacyCurve::delta_one_way(bool forward, double epsilon, double relative, double enough) const {
  const double count = total_count();
  double tail = 1e-18 / count;
  double step = first_step(std::sqrt(0.04 * relative / count), widest_range(laws_, forward, tail));
  Interval best{0, 1};
  bool found = false;
  for (int i = 0; i < kMostRefinements; ++i) {
    const auto sum = sum_on_grid(laws_, forward, aligned(laws_, forward, step), tail);
    const auto tilted = sum ? sum->at(sum->tilt_for_epsilon(epsilon), kMostWindowPoints) : std::nullopt;
    if (!tilted) {
      if (found) break;
      step *= 4;
      continue;
    }
    found = true;
    const double before = best.upper - best.lower;
    best.upper = std::min(best.upper, tilted->delta_upper(epsilon));
    best.lower = std::max(best.lower, tilted->delta_lower(epsilon));
    if (best.upper <= best.lower * (1 + relative) || best.upper < 1e-280 || best.upper <= enough) break;
    if (count * tail > 0.1 * relative * best.upper && tail > 1e-280) {
      tail = std::max(1e-285, std::min(tail * 1e-12, best.lower * relative * 0.01 / count));
      continue;
    }
    if (i > 4 && best.upper - best.lower > 0.9 * before) break;
    step *= std::clamp(0.8 * std::sqrt(relative * best.lower / (best.upper - best.lower)), 0.1, 0.5);
  }
  return best;
}

Interval PrivacyCurve::delta(double epsilon, double relative) const {
  require_nonnegative_finite("epsilon", epsilon);
  require_positive_finite("relative", relative);
  if (laws_.empty()) return {0, std::min(1.0, slack_delta_)};
  Interval result = delta_one_way(true, epsilon, relative, 0);
  if (!symmetric_) {
    const Interval other = delta_one_way(false, epsilon, relative, result.lower);
    result = {std::max(result.lower, other.lower), std::max(result.upper, other.upper)};
  }
  result.upper = std::min(1.0, rounded_up(result.upper + slack_delta_));
  if (below_) result.lower = below_->delta(epsilon, relative).lower;
  if (!attained_) result.lower = 0;
  return result;
}

double PrivacyCurve::advantage() const { return delta(0, 1e-3).upper; }

// [proof privacy_curve.attack]
// Every epsilon bounds it by delta + e^epsilon FPR, also with the roles exchanged; the best of a geometric grid.
std::vector<double> PrivacyCurve::true_positive_rates(const std::vector<double>& false_positive_rates) const {
  double least = 1;
  for (const double rate : false_positive_rates) {
    require_in_closed_range("false positive rate", rate, 0, 1);
    least = std::min(least, rate);
  }
  std::vector<double> best(false_positive_rates.size(), 1);
  const double most = std::min(60.0, -std::log(std::max(least, 1e-30)) + 0.1);
  for (double epsilon = 0; epsilon <= most; epsilon = epsilon == 0 ? 0.05 : epsilon * 1.25) {
    const double d = delta(epsilon, 0.02).upper;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double wrong = false_positive_rates[i];
      best[i] = std::min({best[i], d + std::exp(epsilon) * wrong, 1 - std::exp(-epsilon) * (1 - d - wrong)});
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    best[i] = std::min(1.0, std::max(false_positive_rates[i], rounded_up(best[i])));
  }
  return best;
}
// [/proof]

// [proof privacy_curve.group]
// The chain of `size` neighbours, each at epsilon / size.
double PrivacyCurve::group_delta(std::int64_t size, double epsilon) const {
  require(size >= 1, "a group has at least one record");
  require_nonnegative_finite("epsilon", epsilon);
  const double share = epsilon / static_cast<double>(size);
  const double factor = share > 0 ? std::expm1(epsilon) / std::expm1(share) : static_cast<double>(size);
  return std::min(1.0, rounded_up(rounded_up(delta(share).upper) * factor));
}
// [/proof]

}  // namespace dperm::privacy
