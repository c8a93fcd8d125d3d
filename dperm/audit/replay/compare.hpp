// SPDX-License-Identifier: Apache-2.0
// Two runs with the same outputs, on neighbouring rows: did they ask the same, with the same noise, and how far were
// the exact answers apart beside what is declared?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/audit/replay/watch.hpp"

namespace dperm::audit {

// Releases of one kind. Measured and declared are in the mechanism's own norm.
struct StepCheck {
  std::string what;
  std::string mechanism;  // its word
  std::size_t releases = 0;
  double declared = 0;
  double measured = 0;  // the largest
  double share() const { return declared > 0 ? measured / declared : 0; }
};

struct Comparison {
  std::string difference;          // in flow, in words; empty: none
  std::vector<StepCheck> checks;   // releases that a distance can be measured of
  double worst_share = 0;          // of a declared sensitivity
  double mu = 0, declared_mu = 0;  // of all Gaussian releases together: as measured, and as declared
  bool within() const { return difference.empty() && worst_share <= 1; }
};

Comparison compare(const Transcript& first, const Transcript& second, const methods::Plan& plan);

// The logarithm of the density of the common outputs on the first rows over that on the second, as declared noise has
// it, up to a constant that depends on no output. Nothing where a release keeps a sample or a selection to itself, or
// has a random term.
std::optional<double> log_ratio(const Transcript& first, const Transcript& second);

}  // namespace dperm::audit
