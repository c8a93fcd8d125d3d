// SPDX-License-Identifier: Apache-2.0
// The finite classes of rules: how many there are (public), what each gets wrong (from exact counts), and what a
// number stands for. Note: dperm/methods/exponential_rules/finite_choice.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/engine/rules/hypothesis.hpp"
#include "dperm/random/choice/selection.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::rules {

// Every class is a function of the encoding and of public parameters; the meaning of a number never depends on data.
class FiniteClass {
 public:
  virtual ~FiniteClass() = default;
  virtual std::string name() const = 0;
  virtual std::uint64_t size() const = 0;
  // Rows that each rule gets wrong, rules in the order of their numbers: size() of them in all.
  virtual std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const = 0;
  virtual Hypothesis hypothesis(std::uint64_t number) const = 0;  // number < size()
};

// Classes whose rules are written out one by one take no more than this many.
inline constexpr std::uint64_t kMostListedRules = std::uint64_t{1} << 22;

// Each throws ArgumentError for columns that are not there and for classes too large to list.

// A real column: yes from a limit on, or below it; the parts + 1 limits that cut its range into equal parts. Of more
// than kLatticeParts parts some are told apart by no encoded value: they are equal rules in runs, up to 2^32 and more.
inline constexpr std::size_t kLatticeParts = 2 * schema::kRealOne + 1;
inline constexpr std::size_t kMostThresholdParts = std::size_t{1} << 32;
std::unique_ptr<FiniteClass> thresholds(const schema::Encoding& encoding, std::size_t real,
                                        std::size_t parts = kLatticeParts);
// A real column cut into equal parts: yes in consecutive parts, or never.
std::unique_ptr<FiniteClass> intervals(const schema::Encoding& encoding, std::size_t real, std::size_t parts);
// Thresholds on every real column and single levels (or none) of every category, each in both directions.
std::unique_ptr<FiniteClass> stumps(const schema::Encoding& encoding);
// Up to `most` of: a category has this level, or has it not.
std::unique_ptr<FiniteClass> conjunctions(const schema::Encoding& encoding, std::size_t most);
// Two real columns cut into equal parts: yes in a rectangle of parts, or never.
std::unique_ptr<FiniteClass> rectangles(const schema::Encoding& encoding, std::size_t first, std::size_t second,
                                        std::size_t parts);
// All real columns: directions with integer coefficients of size at most `largest`, each with parts + 1 limits equally
// spaced over its range.
std::unique_ptr<FiniteClass> halfspaces(const schema::Encoding& encoding, std::int32_t largest, std::size_t parts);
// These rules, in this order. The only class whose time is rows times rules.
std::unique_ptr<FiniteClass> listed(std::vector<Hypothesis> rules);

}  // namespace dperm::rules
