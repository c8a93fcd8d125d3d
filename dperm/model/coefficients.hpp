// SPDX-License-Identifier: Apache-2.0
// Weights in the units of the original columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dperm/schema/encoding.hpp"

namespace dperm::model {

struct Coefficient {
  std::string name;  // "age", "workclass=Private", "intercept", "age@35", "age[35,45)"
  double encoded;    // weight in encoded units
  double original;   // effect on the score (log-odds, margin, or the target's own unit) per unit of the column
  std::string per;   // "unit", "unit of log(1 + value - 0)", "if so", "all columns zero, no category", "at this value"
  // Of a category's value: its effect less that of the first value of its column, whose name is `reference`.
  double against = 0;
  std::string reference = {};
};

// score = intercept + sum of original * column value + effects of curves, steps and pairs (curves.hpp) reproduces the
// encoded score for every row within bounds; for a real target it is the prediction in the target's own unit. The
// linear term of a curve is per half of its range: added as the encoded value runs from 0 to 1.
std::vector<Coefficient> coefficients(const schema::Encoding& encoding, std::span<const double> weights);

// Standard errors by noise alone of those `original`s, from independent ones of the weights.
std::vector<double> coefficient_noise(const schema::Encoding& encoding, std::span<const double> weight_noise);

}  // namespace dperm::model
