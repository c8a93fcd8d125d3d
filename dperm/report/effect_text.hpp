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

// "12.346" for an error of 0.056, "12,350" for one of 560: the digits that the error leaves, two of its own.
std::string rounded_to(double value, double error);
// "12,952"
std::string whole(double number);

// At most `longest` bytes, cut between characters of UTF-8.
std::string shortened(const std::string& text, std::size_t longest);

}  // namespace dperm::report
