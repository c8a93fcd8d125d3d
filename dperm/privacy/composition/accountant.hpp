// SPDX-License-Identifier: Apache-2.0
// From events to a guarantee. Sees events only, rounds up, refuses what it does not understand. Note: accountant.md.
#pragma once

#include <span>
#include <vector>

#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// How delta is divided when objective perturbation is composed with other releases by basic composition.
inline constexpr double kObjectiveDeltaShare = 0.99;
inline constexpr double kOtherDeltaShare = 0.01;

// How wide the interval around the exact epsilon may be where privacy-loss distributions decide.
inline constexpr double kDefaultWidth = 1e-3;

// The guarantee of all events together, each chosen with knowledge of the earlier results: THE epsilon, the same in a
// model file and in every shell. Other accountants are shown beside it by comparison.hpp.
//   every release pure:     the sum of epsilons, delta 0 ("pure"); with a delta > 0, the privacy-loss or Renyi bound
//                           where it is at least 5% smaller
//   every release Gaussian: exact Gaussian-DP composition ("gaussian-dp")
//   some of each:           the smaller of tight zCDP ("zcdp") and the sum of pure epsilons plus the exact epsilon of
//                           the Gaussian part at `delta` ("basic")
//   perturbed objectives:   Gaussian DP where every part has it, else basic composition with delta divided as above
//   divisions into parts:   the largest over the parts that a record can be in
//   densities drawn by a sampler: as Gaussian releases, at the delta left after the sampler's distance
//   something left without noise: epsilon infinity ("none"), whatever else is in the list
// A smaller `width` costs time and makes an epsilon that rests on privacy-loss distributions smaller by up to that.
// No events: epsilon 0. `delta` must be in (0, 1) when a release is Gaussian and in [0, 1) otherwise. Throws
// ArgumentError for that, for impossible events and for events under different neighbouring relations.
Guarantee account(std::span<const PrivacyEvent> events, double delta, double width = kDefaultWidth);

// Every list of releases that one record can take part in: of each division, each time, those of one part. Where these
// are too many, one list with the releases of all parts. Without divisions: the events themselves.
std::vector<std::vector<PrivacyEvent>> roles_of(std::span<const PrivacyEvent> events);

}  // namespace dperm::privacy
