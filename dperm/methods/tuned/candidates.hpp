// SPDX-License-Identifier: Apache-2.0
// A public grid of settings to choose from: what --tune names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/methods/method.hpp"

namespace dperm::methods {

inline constexpr std::size_t kMostCandidates = 256;
// The step of a tuned plan's derivation that holds the standard deviation of a score's noise.
inline constexpr std::string_view kScoreNoise = "noise of a score";

// One point of the grid, applied to a task.
struct Candidate {
  std::string text;  // "l2_penalty=0.01;steps=200"
  Task task;
  std::map<std::string, std::string> options;
};

// All combinations of a grid "l2_penalty=0.001,0.01;steps=50,200", the last name varying fastest. A name is an option
// of the method, l2_penalty or radius; with one value it is fixed. Throws ArgumentError for any other text, for a
// name given twice, a value given twice, and unless there are 2 to kMostCandidates combinations. Values of the method's
// options are checked when the candidate is planned.
std::vector<Candidate> candidates_of(std::string_view grid, const Method& method, const Task& task);

}  // namespace dperm::methods
