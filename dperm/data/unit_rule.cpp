// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/unit_rule.hpp"

#include <algorithm>

namespace dperm::data {

// [proof data_unit_rule.counts]
UnitRule::Person UnitRule::person(std::string_view identifier) {
  const auto found = numbers_.find(identifier);
  if (found != numbers_.end()) return found->second;
  seen_.push_back(0);
  return numbers_.emplace(std::string(identifier), seen_.size() - 1).first->second;
}

// Depends on the rows of the same person alone, and on nothing of them but how many stand before this one.
bool UnitRule::counts(Person person) {
  if (person == kNobody) {
    ++without_;
    return false;
  }
  const std::size_t number = ++seen_[person];
  if (number == 1) ++persons_;
  largest_ = std::max(largest_, number);
  if (number > most_) ++surplus_;
  return number <= most_;
}
// [/proof]

}  // namespace dperm::data
