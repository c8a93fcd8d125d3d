// SPDX-License-Identifier: Apache-2.0
// What makes a schema valid, one function per part. Each returns what is wrong and what to do, or an empty text, so
// that the parser can add the line and validate() the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// Tables of weights stay small enough for every method, and a mistyped range is caught early.
inline constexpr std::size_t kMaximumWeights = 1'000'000;

inline constexpr std::uint32_t kMostPieces = 63;      // of a curve or of steps
inline constexpr std::uint32_t kMostPairPieces = 31;  // of a surface, in each direction

// Real and integer columns, dates and days, and categories in order.
bool enters_as_number(const Column& column);
// Pieces of a curve or of steps; 0: linear, or not chosen yet, which counts as linear.
std::uint32_t piece_count(const Column& column);
// Number of weights of one column: the levels of a category; of a number a linear term, knots or steps.
std::size_t weight_count(const Column& column);
std::size_t weight_count(const ColumnPair& pair);
// Blocks of norm at most 1 that a column contributes to an encoded row: 2 for a curve with its linear term.
std::size_t block_count(const Column& column);

// Why a bound or value list has to be written by hand: used by every message about a missing one.
extern const char* const kWhyPublic;

// One character, or "\\t" and "tab", as people write them where a tab cannot be typed; else nothing.
std::optional<char> delimiter_from(std::string_view text);

std::string style_problem(const NumberStyle& style);
std::string bounds_problem(double lower, double upper, Scale scale);
std::string column_problem(const Column& column, const TextFormat& format);
using ColumnsByName = std::unordered_map<std::string_view, const Column*>;
ColumnsByName by_name(const std::vector<Column>& columns);
std::string pair_problem(const ColumnPair& pair, const ColumnsByName& columns);
std::string target_problem(const Target& target, const TextFormat& format);
std::string unit_problem(const Unit& unit, const Schema& schema);
std::string format_problem(const TextFormat& format);
// What only shows when all parts are seen together: duplicates, target among the features, number of weights.
std::string integer_problem(const Schema& schema);

}  // namespace dperm::schema
