// SPDX-License-Identifier: Apache-2.0
// Which known word a misspelt one was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dperm {

// The candidate with the fewest letters to change, the first among several; empty without candidates.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates);

// The same, but empty where no candidate is near: less than half of the letters change, or one begins with the other.
std::string_view likely_meant(std::string_view text, const std::vector<std::string_view>& candidates);

// "; did you mean 'x'?", or nothing where no candidate is near.
std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& candidates);

}  // namespace dperm
