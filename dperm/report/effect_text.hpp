// SPDX-License-Identifier: Apache-2.0
// Numbers and names beside effects, as short as they still say it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dperm::report {

// With as many digits as tell neighbours apart: a tenth of the distance to the nearest.
std::vector<std::string> number_texts(const std::vector<double>& values);
// Days since 1970: "2024-02-29".
std::vector<std::string> date_texts(const std::vector<double>& days);

// At most `longest` bytes, cut between characters of UTF-8.
std::string shortened(const std::string& text, std::size_t longest);

}  // namespace dperm::report
