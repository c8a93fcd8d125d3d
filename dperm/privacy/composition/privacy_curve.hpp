// SPDX-License-Identifier: Apache-2.0
// The exact trade between epsilon and delta of a composition, as intervals that contain it. Note: privacy_curve.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dperm/privacy/distributions/event_distribution.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

struct Interval {
  double lower;
  double upper;
};

class PrivacyCurve {
 public:
  // The worst pair of each event. Throws ArgumentError for events under different neighbouring relations and for an
  // event without a known dominating pair (private selection; the text says which accountant knows it).
  explicit PrivacyCurve(std::span<const PrivacyEvent> events);
  PrivacyCurve(std::vector<DistributionCount> distributions, double slack_delta);

  // Contains the smallest epsilon >= 0 with delta(epsilon) <= delta. The grid is refined until the interval is at most
  // `width` wide or the work exceeds a few seconds; the interval is valid either way, its upper end perhaps infinite.
  // Where an event's worst pair is only bounded (fixed-size samples, lattice Laplace, K-norm, choices) the lower end is
  // what a pair that the event has costs, and many different events are bounded from both sides: wider than asked for.
  Interval epsilon(double delta, double width = 1e-3) const;
  // Contains delta at epsilon >= 0, refined until upper <= lower (1 + relative) or as above.
  Interval delta(double epsilon, double relative = 1e-2) const;

  // True where some event's cost is known from above only (perturbed objectives, private selection): the lower end of
  // an interval leaves it out, and is 0 where nothing else is there.
  bool lower_is_partial() const { return lower_is_partial_; }

  // What an attacker who must decide between two neighbouring datasets can reach: upper bounds of the true positive
  // rate at each false positive rate (the trade-off curve), and of the true minus the false positive rate.
  std::vector<double> true_positive_rates(const std::vector<double>& false_positive_rates) const;
  double advantage() const;

  // An upper bound of delta at epsilon for datasets that differ in `size` records.
  double group_delta(std::int64_t size, double epsilon) const;

 private:
  Interval one_way(bool forward, double delta, double width, double enough) const;
  Interval delta_one_way(bool forward, double epsilon, double relative, double enough) const;
  Interval dominating_delta(double epsilon, double relative) const;
  bool is_hopeless(double epsilon) const;
  double total_count() const;

  std::vector<DistributionCount> distributions_;
  std::shared_ptr<const PrivacyCurve> below_;  // gives the lower ends where distributions_ are not attained
  double slack_delta_ = 0;
  bool symmetric_ = true;
  bool lower_is_partial_ = false;
  bool one_grid_ = false;  // many distributions: one grid is enough

  friend std::vector<double> true_positive_rates(std::span<const PrivacyCurve> curves,
                                                 const std::vector<double>& false_positive_rates);
};

// The true positive rates where a record takes part in one of several lists of releases, by a division that was drawn
// without looking at what records hold: at every epsilon the largest delta of them.
std::vector<double> true_positive_rates(std::span<const PrivacyCurve> curves,
                                        const std::vector<double>& false_positive_rates);

}  // namespace dperm::privacy
