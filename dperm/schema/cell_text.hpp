// SPDX-License-Identifier: Apache-2.0
// Total functions from the text of one cell: trimming, numbers, booleans. Independent of locale and platform.
#pragma once

#include <string>
#include <string_view>

namespace dperm::schema {

// Without blanks, tabs and line ends on either side.
std::string_view trimmed(std::string_view text);

// A decimal number with an optional sign and blanks around it; "inf" is infinite, a number too large for a double
// likewise, one too small is the nearest double. Everything else is NaN.
double parse_number(std::string_view text);

// The shortest text that reads back as the same number: 3 for 3.0.
std::string number_text(double value);

// A target label: trimmed, and without the plus sign of a number, so that "+1" and "1" are the same label.
std::string_view label_text(std::string_view text);

// Texts that mean true (true, True, TRUE, 1, yes, t) and false (false, False, FALSE, 0, no, f).
bool is_true_text(std::string_view text);
bool is_false_text(std::string_view text);

}  // namespace dperm::schema
