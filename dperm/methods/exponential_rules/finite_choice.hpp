// SPDX-License-Identifier: Apache-2.0
// Private learning of a rule from a finite class under zero-one loss: plan, exact choice, and how many records a
// promised error takes. Proof note: finite_choice.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dperm/engine/dataset.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/rules/finite_class.hpp"

namespace dperm::methods {

// [proof methods_finite_choice.range]
// Replacing a record changes each rule's errors by -1, 0 or 1.
inline constexpr std::uint64_t kErrorRange = 2;
// [/proof]

struct ClassPlan {
  std::uint64_t rules;
  std::size_t rows;
  privacy::PrivacyEvent event;
  privacy::Guarantee guarantee;
  double scale;         // a rule with g errors more than the best has odds of exp(-g / scale)
  double expected_gap;  // expected number of training errors above the best rule's, at most
};

// Pure epsilon, replace-one. Public facts only. Throws ArgumentError for a meaningless epsilon or no rows.
ClassPlan plan_choice(std::uint64_t rules, std::size_t rows, double epsilon,
                      ChoiceRule rule = ChoiceRule::permute_and_flip);

// The number of a rule.
privacy::Released<std::uint64_t> choose_rule(const rules::FiniteClass& rules, const ClassPlan& plan,
                                             const data::Dataset& dataset, privacy::Curator& curator, Threads threads);

// With probability 1 - beta the chosen rule makes at most this many training errors more than the best.
double gap_bound(double rules, double epsilon, double beta);

// How many records make the chosen rule's true error at most alpha above the best rule's, with probability 1 - beta,
// whatever the distribution; and how many where some rule is always right.
std::size_t records_for_agnostic(double rules, double epsilon, double alpha, double beta);
std::size_t records_for_realisable(double rules, double epsilon, double alpha, double beta);
// The other way round: alpha from the number of records; 1 where they promise nothing.
double agnostic_error(double rules, double records, double epsilon, double beta);
double realisable_error(double rules, double records, double epsilon, double beta);

}  // namespace dperm::methods
