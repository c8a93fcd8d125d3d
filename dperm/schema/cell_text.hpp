// SPDX-License-Identifier: Apache-2.0
// Total functions from the text of one cell: trimming, numbers, booleans. Independent of locale and platform.
#pragma once

#include <string>
#include <string_view>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// Without blanks, tabs and line ends on either side.
std::string_view trimmed(std::string_view text);

// A decimal number with an optional sign and blanks around it; "inf" is infinite, a number too large for a double
// likewise, one too small is the nearest double. Everything else is NaN.
double parse_number(std::string_view text);

// The same for a number written in a style: signs are taken off at either end, thousands must stand before groups of
// three digits, and the decimal sign is the style's only. What does not keep to this is NaN, so "1,5" is never 15.
double parse_number(std::string_view text, const NumberStyle& style);

// A cell to compare with numbers: also true and false count as 1 and 0.
double parse_value(std::string_view text);
// The same for a number written in a style.
double parse_value(std::string_view text, const NumberStyle& style);

// The shortest text that reads back as the same number. Whole numbers are digits alone: 3 for 3.0, as an integer of the
// same value is written, so that it does not matter which type held it.
std::string number_text(double value);

// A decimal number, perhaps with an exponent, as digits: no zeros behind the last other digit of its fraction, so that
// it does not matter how many of them its type keeps. 1.5 for 1.50, 1200 for 1.2E+3.
std::string numeral_text(std::string_view text);

// A target label: trimmed, and without the plus sign of a number, so that "+1" and "1" are the same label.
std::string_view label_text(std::string_view text);

// Texts that mean true (true, yes, t, y, 1, 1.0) and false (false, no, f, n, 0, 0.0), without regard to case.
bool is_true_text(std::string_view text);
bool is_false_text(std::string_view text);

}  // namespace dperm::schema
