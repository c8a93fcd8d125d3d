// SPDX-License-Identifier: Apache-2.0
// The noise of one exact integer sum, or of a vector of them, that a whole budget is spent on. Note: sum_noise.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dperm/methods/options.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::methods {

// How far replacing a record moves the sums, in two norms.
struct SumSensitivity {
  std::uint64_t l1;
  double l2;
};

struct SumNoise {
  privacy::Mechanism mechanism;  // a DiscreteLaplaceEvent or a GaussianEvent
  double square;                 // the mean square of one coordinate's noise is at most this
  std::string_view reason;       // where it comes from, for people
};

// The one asked for; none: the smaller. Throws ArgumentError for Gaussian noise without a delta, naming the option by
// which it was asked for.
SumNoise sum_noise(const SumSensitivity& sensitivity, const Budget& budget, std::optional<MeanNoise> asked,
                   std::string_view option);

}  // namespace dperm::methods
