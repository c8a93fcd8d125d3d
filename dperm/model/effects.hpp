// SPDX-License-Identifier: Apache-2.0
// What columns add to a model's score, in their own units. Plain data.
#pragma once

#include <string>
#include <vector>

namespace dperm::model {

// Where effects are given: numbers in the column's own unit, or all values of a category in order.
struct EffectAxis {
  std::string name;                 // of the column
  std::vector<double> values;       // numbers
  std::vector<std::string> labels;  // a category in order, in its order; numbers have none
  bool log = false;                 // between numbers effects are straight in log(1 + value - the first value)
  bool date = false;                // numbers are days since 1970
};

enum class CurveKind {
  lines,   // straight between neighbouring values
  steps,   // constant from a value to the next: one value more than effects
  labels,  // a category in order: an effect per label
};

// What one column adds to the score: log-odds, a margin, or the target's own unit.
struct Curve {
  EffectAxis along;
  CurveKind kind = CurveKind::lines;
  std::vector<double> effects;
  std::string label = {};  // with several classes: the class whose score it belongs to
};

// What a pair of columns adds, beside the effect of each: one effect per value of the first and the second, those of
// the first value first; straight in each direction between neighbours.
struct Surface {
  EffectAxis first, second;
  std::vector<double> effects;
  std::string label = {};
};

}  // namespace dperm::model
