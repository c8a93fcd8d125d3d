// SPDX-License-Identifier: Apache-2.0
// Every method's plan for one question, side by side, and the choice among them. Public facts only, so it is free.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dperm/methods/method.hpp"

namespace dperm::plan {

// Options given for methods, by option name; each method takes those it has.
using GivenOptions = std::map<std::string, std::string>;

struct Alternative {
  std::string method;
  std::optional<methods::Plan> plan;
  std::string refusal;  // why there is no plan
};

// One entry a method, best utility bound first, refusals last. Throws ArgumentError for an invalid question and for a
// given option that no method has.
std::vector<Alternative> compare(const methods::Question& question, const GivenOptions& given);

// The plan of the named method, or for "auto" the one with the smallest bound among those that take every given
// option. Throws ArgumentError with every method's reason when none applies.
methods::Plan choose(const std::string& method, const methods::Question& question, const GivenOptions& given);

}  // namespace dperm::plan
