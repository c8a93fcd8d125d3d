// SPDX-License-Identifier: Apache-2.0
// A public grid of settings to choose from, as text: what --tune names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dperm/methods/method.hpp"

namespace dperm::methods {

inline constexpr std::size_t kMostCandidates = 256;

// All combinations of a grid "l2_penalty=0.001,0.01;steps=50,200", the last name varying fastest. A name is an option
// of the method, l2_penalty or radius; with one value it is fixed. Throws ArgumentError for any other text, for a
// name given twice, a value given twice, and unless there are 2 to kMostCandidates combinations. Values of the method's
// options are checked when the candidate is planned.
std::vector<TunedCandidate> candidates_of(std::string_view grid, const Method& method);

// What tuning takes, from texts: "method" and "grid" (or "candidates", the labels with " | " between them) beside the
// options of the table; and back, with the candidates by their labels.
TunedOptions tuned_options(const Texts& texts);
Texts tuned_texts(const TunedOptions& options);

// The task of a candidate. Throws ArgumentError where the task gives what is tuned.
Task candidate_task(const TunedCandidate& candidate, Task task);

}  // namespace dperm::methods
