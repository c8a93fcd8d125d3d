// SPDX-License-Identifier: Apache-2.0
// What makes a schema valid, one function per part. Each returns what is wrong and what to do, or an empty text, so
// that the parser can add the line and validate() the name.
#pragma once

#include <cstddef>
#include <string>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// Tables of weights stay small enough for every method, and a mistyped range is caught early.
inline constexpr std::size_t kMaximumWeights = 1'000'000;

// Number of weights of one column: 1 for numbers, the levels of a category.
std::size_t weight_count(const Column& column);

// Why a bound or value list has to be written by hand: used by every message about a missing one.
extern const char* const kWhyPublic;

std::string bounds_problem(double lower, double upper, Scale scale);
std::string column_problem(const Column& column, const TextFormat& format);
std::string target_problem(const Target& target, const TextFormat& format);
std::string format_problem(const TextFormat& format);
// What only shows when all parts are seen together: duplicates, target among the features, number of weights.
std::string integer_problem(const Schema& schema);

}  // namespace dperm::schema
