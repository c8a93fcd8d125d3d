// SPDX-License-Identifier: Apache-2.0
// Every method's plan for one task, side by side, and the choice among them. Public facts only, so it is free.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dperm/methods/method.hpp"
#include "dperm/planner/forecast.hpp"

namespace dperm::planner {

// Options given for methods, by option name; each method takes those it has.
using GivenOptions = std::map<std::string, std::string>;

struct Alternative {
  std::string method;
  std::optional<methods::Plan> plan;
  std::optional<Forecast> predicted;  // nothing where no prediction is known
  std::string refusal;                // why there is no plan

  // What methods are compared by: the predicted excess risk, or the proven one where none is predicted.
  double expected_risk() const;
};

// One entry a method, smallest expected risk first, refusals last. Second choices come after the others: with softmax
// bounds that promise little; methods that clip gradients where a penalty or a set asks for one particular minimum, or
// where the table is too large for their copy of it.
// Throws ArgumentError for an invalid task and for a given option that no method has.
std::vector<Alternative> compare(const methods::Task& task, const GivenOptions& given, const Population& population);

// The named method, or for "auto" the one with the smallest expected risk among those that take every given option. It
// has a plan: throws ArgumentError with every method's reason when none applies.
Alternative choose(const std::string& method, const methods::Task& task, const GivenOptions& given,
                   const Population& population);

}  // namespace dperm::planner
