// SPDX-License-Identifier: Apache-2.0
// Error bars of numbers computed from noisy counts: what the noise of the counts, and drawing the rows, does to them.
// Note: judgement.md.
#pragma once

#include <cstddef>

#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

// The gradient of a number with respect to the counts: the powers of its entries, added up.
struct Spread {
  double sum = 0, square = 0, fourth = 0;
  void add(double slope, double times = 1) {
    sum += times * slope;
    square += times * slope * slope;
    fourth += times * slope * slope * slope * slope;
  }
};

inline constexpr double kLevel = 0.05;  // error bars are missed this often

// Independent noise on every count, the counts then moved alike so that they add up to the public number of rows.
struct NoiseModel {
  double variance = 0;  // of one count; 0: exact counts
  double kurtosis = 0;  // excess: 3 for Laplace noise, 0 for Gaussian
  double cells = 0;     // that share what the counts are moved by; 0: they are not moved
  // Rows of one person, who is drawn from the source as a whole: at worst all alike, which multiplies the variance of
  // every mean over rows by this much.
  double alike = 1;

  double variance_of(const Spread& spread) const;
  // Half the width of an interval that noise (and an independent error of variance `other`) leaves at most with
  // probability `level`, up to the Cornish-Fisher expansion to fourth order.
  double radius(const Spread& spread, double other = 0, double level = kLevel) const;
};

// Of a release of counts in steps of `unit` each. ArgumentError for mechanisms that add no such noise.
NoiseModel noise_of(const privacy::Mechanism& mechanism, double unit, double cells);

}  // namespace dperm::methods
