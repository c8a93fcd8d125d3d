// SPDX-License-Identifier: Apache-2.0
// Sizes and rates of samples, and the noise of sums over them. Note: dperm/privacy/curator/sampled_release.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

inline constexpr std::size_t kMostSampledRows = std::size_t{1} << 50;

// The smallest double that is at least size / rows; 1 <= size <= rows.
double rate_of_size(std::size_t size, std::size_t rows);
// The largest integer that is at most rate * rows: the size of a sample of fixed size. rate in (0, 1].
std::size_t size_of_rate(double rate, std::size_t rows);

// A noise sigma, for `event` as it is but for its sigma, at which the best accountant proves (epsilon, delta) for all
// of its repetitions. Spends at least 0.999 of epsilon wherever noise of a tenth of the contribution does not already
// keep the promise. Throws ArgumentError where no noise up to 10^6 contributions does.
double sampled_sigma_for(const PrivacyEvent& event, double epsilon, double delta);

}  // namespace dperm::privacy
