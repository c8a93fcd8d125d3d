// SPDX-License-Identifier: Apache-2.0
// What a plan lets one expect, in the one number that is told, and what more rows or epsilon would make of it. No
// record is asked: the planner knows public facts only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::report {

struct Outlook {
  double expected;
  double lower = 0, upper = 0;  // most often between; both 0: a bound
  bool proven = false;          // for every table
  bool points = false;          // percentage points, else the target's unit
  std::string unit;             // "points of accuracy lost to privacy"

  std::string number() const;  // "0.84", "less than 0.1"
  std::string range() const;   // "0.4 to 1.6"; empty for a bound
};

// Nothing where neither a forecast nor a bound says anything.
std::optional<Outlook> outlook_of(const model::Model& model, const methods::Plan& plan);

struct NextUnit {
  std::string what;  // "twice the epsilon: 2"
  std::optional<Outlook> outlook;
};
// The model's own plan first, then the same method with more epsilon or rows.
std::vector<NextUnit> next_units(const model::Model& model);

}  // namespace dperm::report
