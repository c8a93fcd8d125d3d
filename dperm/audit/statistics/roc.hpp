// SPDX-License-Identifier: Apache-2.0
// How well scores tell two kinds of runs apart: every threshold's rates, as they were counted.
#pragma once

#include <cstdint>
#include <vector>

#include "dperm/audit/statistics/bounds.hpp"

namespace dperm::audit {

struct RocPoint {
  double threshold;  // a score above it says "the record is there"
  double false_positives;
  double true_positives;
};

// From no alarm at all to nothing but alarms, one point for every value that a score has. Neither list is empty, no
// score is NaN (ArgumentError).
std::vector<RocPoint> roc(std::vector<double> with, std::vector<double> without);

// The largest share of true positives whose share of false positives is at most `false_positives`.
double true_positives_at(const std::vector<RocPoint>& curve, double false_positives);

// The probability that a run with the record has the larger score, ties counting half.
double area(const std::vector<RocPoint>& curve);

// Guesses of the test "score above threshold".
Guesses guesses_above(double threshold, const std::vector<double>& with, const std::vector<double>& without);

}  // namespace dperm::audit
