// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/privacy_curve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/distributions/loss_sum.hpp"
#include "dperm/privacy/distributions/tilted_moments.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostGridPoints = 0x1p19, kHeterogeneousGridPoints = 300'000;
constexpr std::size_t kMostWindowPoints = std::size_t{1} << 21, kMostHeterogeneousWindowPoints = std::size_t{1} << 18;
constexpr int kMostRefinements = 12;
constexpr double kFinestAlignment = 16;
constexpr double kLeastTail = 1e-290;   // below, doubles lose digits
constexpr double kFinestStep = 1e-13;   // far below the margin of every release
constexpr double kRoundedWidth = 0.02;  // of a blend of many distributions, whose own error is of this order

const LossDistribution& chosen(const auto& distribution, bool forward) {
  return forward || !distribution.reverse ? *distribution.forward : *distribution.reverse;
}

// All distributions of an entry.
std::vector<const LossDistribution*> distributions_in(const DistributionCount& entry, bool forward) {
  if (entry.blend.empty()) return {&chosen(entry, forward)};
  std::vector<const LossDistribution*> result;
  for (const DistributionShare& share : entry.blend) result.push_back(&chosen(share, forward));
  return result;
}

// Distributions on one grid, each once. Those that are mixed have a common origin.
class Gridded {
 public:
  Gridded(bool forward, double step, double tail, bool heterogeneous)
      : forward_(forward), heterogeneous_(heterogeneous), step_(step), tail_(tail) {}

  // A step of a distribution's own, rounded down to the grid's times a power of two; else it is the grid's.
  void coarsen(const LossDistribution& distribution, double step) {
    strides_[&distribution] = std::int64_t{1}
                              << std::clamp(static_cast<int>(std::floor(std::log2(step / step_))), 0, 30);
  }

  void add(const DistributionCount& entry) {
    if (entry.blend.empty()) {
      const LossDistribution& distribution = chosen(entry, forward_);
      distributions_.push_back(discretise(distribution, distribution.anchor(), step_, tail_));
      parts_.push_back({{{distributions_.size() - 1}}, entry.count});
      if (heterogeneous_) parts_.back().moments = moments_of(distribution, distributions_.back(), entry.count);
      return;
    }
    LossPart part{{}, entry.count};
    for (const DistributionShare& share : entry.blend) {
      const LossDistribution& distribution = chosen(share, forward_);
      const auto [place, fresh] = index_.try_emplace(&distribution, distributions_.size());
      if (fresh) {
        const auto found = strides_.find(&distribution);
        const std::int64_t stride = found == strides_.end() ? 1 : found->second;
        distributions_.push_back(discretise(distribution, 0, step_ * static_cast<double>(stride), tail_, Ends::upper));
        distributions_.back().stride = stride;
      }
      part.shares.push_back({place->second, share.weight, share.spread});
    }
    if (forward_ && entry.moments) part.moments = moments_of(entry);
    parts_.push_back(std::move(part));
  }

  LossSum sum() && {
    return LossSum(std::move(distributions_), std::move(parts_), step_, heterogeneous_ ? Ends::upper : Ends::both);
  }

 private:
  using MomentsBelow = std::function<double(double, double)>;

  double top_of(const DiscreteLoss& distribution) const {
    return distribution.at(distribution.upper.size() - 1, step_);
  }
  double step_of(const DiscreteLoss& distribution) const { return static_cast<double>(distribution.stride) * step_; }

  // [proof privacy_curve.moments]
  // Four times a distribution's moment beyond its grid, with losses rounded up to it; the distributions outlive the
  // grid.
  static double lost(const LossDistribution& distribution, double theta, double top, double step,
                     double log_reference) {
    return 4 * std::exp(distribution.log_moment_beyond(theta, top) + theta * step - log_reference);
  }
  MomentsBelow moments_of(const LossDistribution& distribution, const DiscreteLoss& gridded, double count) const {
    return [&distribution, gridded, count, top = top_of(gridded), step = step_](double theta, double log_reference) {
      const double dominated = tilted_moments(gridded, gridded.lower, step, theta).log;
      return count * (std::exp(dominated - log_reference) - lost(distribution, theta, top, step, log_reference));
    };
  }
  MomentsBelow moments_of(const DistributionCount& entry) const {
    std::vector<double> tops, steps;
    for (const DistributionShare& share : entry.blend) {
      const DiscreteLoss& distribution = distributions_[index_.at(share.forward.get())];
      tops.push_back(top_of(distribution));
      steps.push_back(step_of(distribution));
    }
    return [&entry, tops, steps](double theta, double log_reference) {
      double sum = entry.moments(theta, log_reference);
      for (std::size_t c = 0; c < tops.size(); ++c) {
        const DistributionShare& share = entry.blend[c];
        sum -= entry.count * share.weight * lost(*share.forward, theta, tops[c], steps[c], log_reference);
      }
      return sum;
    };
  }
  // [/proof]

  bool forward_, heterogeneous_;
  double step_, tail_;
  std::map<const LossDistribution*, std::size_t> index_;
  std::map<const LossDistribution*, std::int64_t> strides_;
  std::vector<DiscreteLoss> distributions_;
  std::vector<LossPart> parts_;
};

bool has_blends(const std::vector<DistributionCount>& distributions) {
  return std::any_of(distributions.begin(), distributions.end(),
                     [](const DistributionCount& distribution) { return !distribution.blend.empty(); });
}

// In a heterogeneous composition every distribution has a step of its own. A distribution of range r that n releases
// have costs n step^2 in variance and r / step points: the least cost for kHeterogeneousGridPoints, or for the cost of
// n releases at `step`, has step^3 in proportion to r / n.
LossSum heterogeneous_on_grid(const std::vector<DistributionCount>& distributions, bool forward, double step,
                              double tail) {
  struct Use {
    double count = 0, range = 0;
  };
  std::map<const LossDistribution*, Use> uses;
  double releases = 0, total = 0, least = kInfinity;
  for (const DistributionCount& entry : distributions) {
    for (const DistributionShare& share : entry.blend)
      uses[&chosen(share, forward)].count += entry.count * share.weight;
    releases += entry.count;
  }
  for (auto& [distribution, use] : uses) {
    const LossRange range = distribution->range(tail);
    use.range = std::max(range.upper - range.lower, 1e-9);
    total += std::cbrt(use.count * use.range * use.range);
    least = std::min(least, std::cbrt(use.range / use.count));
  }
  const double scale = std::max(total / kHeterogeneousGridPoints, step * std::sqrt(releases / total));
  Gridded grid(forward, std::max(scale * least, step / 2), tail, true);  // a finer one would gain little
  for (const auto& [distribution, use] : uses) grid.coarsen(*distribution, scale * std::cbrt(use.range / use.count));
  for (const DistributionCount& entry : distributions) grid.add(entry);
  return std::move(grid).sum();
}

// Nothing when some distribution would need too many grid points.
std::optional<LossSum> sum_on_grid(const std::vector<DistributionCount>& distributions, bool forward, double step,
                                   double tail) {
  if (has_blends(distributions)) return heterogeneous_on_grid(distributions, forward, step, tail);
  double points = 0;
  for (const DistributionCount& distribution : distributions)
    points += grid_points(chosen(distribution, forward), step, tail);
  if (!(points < kMostGridPoints)) return std::nullopt;
  Gridded grid(forward, step, tail, false);
  for (const DistributionCount& entry : distributions) grid.add(entry);
  return std::move(grid).sum();
}

double widest_range(const std::vector<DistributionCount>& distributions, bool forward, double tail) {
  double widest = 0;
  for (const DistributionCount& entry : distributions) {
    for (const LossDistribution* distribution : distributions_in(entry, forward)) {
      const LossRange range = distribution->range(tail);
      widest = std::max(widest, range.upper - range.lower);
    }
  }
  return widest;
}

double first_step(double wanted, double range) { return std::max(std::min(wanted, range / 64), kFinestStep); }

// A step at most `step` that puts the atoms of the most repeated distribution with atoms onto the grid.
double aligned(const std::vector<DistributionCount>& distributions, bool forward, double step) {
  double count = 0, spacing = 0;
  for (const DistributionCount& distribution : distributions) {
    const double own = distribution.blend.empty() ? chosen(distribution, forward).spacing() : 0;
    if (own > 0 && distribution.count > count) count = distribution.count, spacing = own;
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
  EventDistributions found = distributions_of(events);
  *this = PrivacyCurve(std::move(found.distributions), found.slack_delta);
  lower_is_partial_ = found.below_is_partial;
  one_grid_ = has_blends(distributions_);
  if (!found.attained) {
    const auto below = std::make_shared<PrivacyCurve>(std::move(found.below), 0);
    below->one_grid_ = one_grid_;
    below_ = below;
  }
}

PrivacyCurve::PrivacyCurve(std::vector<DistributionCount> distributions, double slack_delta)
    : distributions_(std::move(distributions)), slack_delta_(slack_delta) {
  for (const DistributionCount& distribution : distributions_) symmetric_ = symmetric_ && !distribution.reverse;
}

double PrivacyCurve::total_count() const {
  double count = 0;
  for (const DistributionCount& distribution : distributions_) count += distribution.count;
  return count;
}

// [proof privacy_curve.refine]
// Every grid gives a valid interval; intervals of several grids are intersected.
Interval PrivacyCurve::one_way(bool forward, double delta, double width, double enough) const {
  const double count = total_count();
  const double tail = std::max(1e-6 * delta / count, kLeastTail);
  // Masses that may be infinite losses, each at least kLeastTail, then exceed delta on every grid: no upper end to
  // refine.
  const bool out_of_reach = count * kLeastTail >= delta;
  double step = first_step(std::sqrt(0.4 * width / count), widest_range(distributions_, forward, tail));
  Interval best{0, kInfinity};
  bool found = false;
  for (int i = 0; i < ((one_grid_ || out_of_reach) && found ? 1 : kMostRefinements); ++i) {
    const auto sum = sum_on_grid(distributions_, forward, aligned(distributions_, forward, step), tail);
    if (!sum) {
      if (found) break;
      step *= 4;  // nothing yet: take what a coarser grid can give
      continue;
    }
    best.upper = std::min(best.upper, sum->epsilon_from_support(delta));
    if (best.upper <= enough) break;
    const auto tilted =
        sum->at(sum->tilt_for_delta(delta), one_grid_ ? kMostHeterogeneousWindowPoints : kMostWindowPoints);
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

std::vector<double> PrivacyCurve::true_positive_rates(const std::vector<double>& false_positive_rates) const {
  return privacy::true_positive_rates(std::span(this, 1), false_positive_rates);
}

Interval PrivacyCurve::epsilon(double delta, double width) const {
  require_in_open_range("delta", delta, 0, 1);
  require_positive_finite("width", width);
  const double left = rounded_down(delta - slack_delta_);
  if (!(left > 0)) return {0, kInfinity};
  if (distributions_.empty()) return {0, 0};
  if (one_grid_) width = std::max(width, kRoundedWidth);
  Interval result = one_way(true, left, width, 0);
  if (!symmetric_) {
    const Interval other = one_way(false, left, width, result.lower);
    result = {std::max(result.lower, other.lower), std::max(result.upper, other.upper)};
  }
  if (below_) result.lower = below_->epsilon(delta, width).lower;
  return result;
}

Interval PrivacyCurve::delta_one_way(bool forward, double epsilon, double relative, double enough) const {
  const double count = total_count();
  double tail = 1e-18 / count;
  double step = first_step(std::sqrt(0.04 * relative / count), widest_range(distributions_, forward, tail));
  Interval best{0, 1};
  bool found = false;
  for (int i = 0; i < (one_grid_ && found ? 1 : kMostRefinements); ++i) {
    const auto sum = sum_on_grid(distributions_, forward, aligned(distributions_, forward, step), tail);
    const auto tilted =
        sum ? sum->at(sum->tilt_for_epsilon(epsilon), one_grid_ ? kMostHeterogeneousWindowPoints : kMostWindowPoints)
            : std::nullopt;
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

// Of the pairs that dominate the events: its upper end is that of `delta`, at half the work.
Interval PrivacyCurve::dominating_delta(double epsilon, double relative) const {
  if (distributions_.empty()) return {0, std::min(1.0, slack_delta_)};
  Interval result = delta_one_way(true, epsilon, relative, 0);
  if (!symmetric_) {
    const Interval other = delta_one_way(false, epsilon, relative, result.lower);
    result = {std::max(result.lower, other.lower), std::max(result.upper, other.upper)};
  }
  result.upper = std::min(1.0, rounded_up(result.upper + slack_delta_));
  return result;
}

// Whether delta at epsilon is 1 but for a rounding, as far as a coarse grid tells. Then nobody needs to compute a bound
// of it, which would take minutes for a million releases; no claim rests on the answer, because 1 bounds every delta.
bool PrivacyCurve::is_hopeless(double epsilon) const {
  constexpr double kCells = 1024, kRare = 30, kTail = 1e-18;
  if (distributions_.empty() || has_blends(distributions_)) return false;
  const double step = std::max(widest_range(distributions_, true, kTail) / kCells, kFinestStep);
  const auto sum = sum_on_grid(distributions_, true, step, kTail);
  return sum && sum->log_chance_at_most(epsilon + kRare) < -kRare;
}

Interval PrivacyCurve::delta(double epsilon, double relative) const {
  require_nonnegative_finite("epsilon", epsilon);
  require_positive_finite("relative", relative);
  Interval result = dominating_delta(epsilon, relative);
  if (below_ && !distributions_.empty()) result.lower = below_->delta(epsilon, relative).lower;
  return result;
}

double PrivacyCurve::advantage() const { return is_hopeless(0) ? 1 : dominating_delta(0, 1e-3).upper; }

// [proof privacy_curve.attack]
// Every epsilon bounds it by delta + e^epsilon FPR, also with the roles exchanged; the best of a geometric grid.
std::vector<double> true_positive_rates(std::span<const PrivacyCurve> curves,
                                        const std::vector<double>& false_positive_rates) {
  double least = 1;
  for (const double rate : false_positive_rates) {
    require_in_closed_range("false positive rate", rate, 0, 1);
    least = std::min(least, rate);
  }
  std::vector<double> best(false_positive_rates.size(), 1);
  const double most = std::min(60.0, -std::log(std::max(least, 1e-30)) + 0.1);
  // Delta falls with epsilon: where it is 1 at the largest, no other gives a bound below 1.
  if (std::any_of(curves.begin(), curves.end(), [&](const PrivacyCurve& each) { return each.is_hopeless(most); })) {
    return best;
  }
  for (double epsilon = 0; epsilon <= most; epsilon = epsilon == 0 ? 0.05 : epsilon * 1.25) {
    double d = 0;
    for (const PrivacyCurve& each : curves) d = std::max(d, each.dominating_delta(epsilon, 0.02).upper);
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
