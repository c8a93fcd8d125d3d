// SPDX-License-Identifier: Apache-2.0
// From noisy counts of the target to the scores of the best constant answer. Post-processing: it sees neither records
// nor the noise, only how large that is. Note: constant.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/loss/feasible_set.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::methods {

// No class is believed to have fewer rows than this, whatever its noisy count says: the noise's standard deviation (a
// count below it tells nothing), half a row at least, an even share at most.
double smallest_count(double noise, double rows, std::size_t classes);

// The share of the first of two classes, of whose rows `noisy` were counted; and those of all of them. Positive, and
// they add up to 1.
double believed_share(std::int64_t noisy, double rows, double smallest);
std::vector<double> believed_shares(std::span<const std::int64_t> noisy, double rows, double smallest);

// The score s that minimises share * loss(s, +1) + (1 - share) * loss(s, -1) + (penalty / 2) s^2 over |s| <= limit; of
// several the one nearest to 0. A loss of one margin, 0 < share < 1, 0 <= penalty <= 2^500; the limit may be infinite.
double constant_score(const loss::Loss& loss, double share, double penalty, double limit);

// The scores that minimise ln(sum_k e^s_k) - sum_k share_k s_k + (penalty / 2) ||s||^2 over the set; of several those
// of the smallest norm.
std::vector<double> constant_class_scores(std::span<const double> shares, double penalty, const loss::FeasibleSet& set);

}  // namespace dperm::methods
