// SPDX-License-Identifier: Apache-2.0
// Which rows count where a person is protected, not a row: the first `rows` of each, in the order of the file. Note:
// unit_rule.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/encoding.hpp"

namespace dperm::data {

class UnitRule {
 public:
  explicit UnitRule(std::uint32_t rows) : most_(rows) {}

  // The person with this identifier, a trimmed text. The same text is always the same person, however often asked for.
  using Person = std::size_t;
  static constexpr Person kNobody = SIZE_MAX;  // of a row without an identifier
  Person person(std::string_view identifier);

  // Whether the next row, this person's, counts. One call a row, in the order of the file.
  bool counts(Person person);

  // For the owner of the data; NOT private.
  std::size_t persons() const { return persons_; }
  std::size_t without_identifier() const { return without_; }
  std::size_t surplus() const { return surplus_; }      // rows beyond the first `rows` of a person
  std::size_t most_of_one() const { return largest_; }  // rows of the person who has most

 private:
  std::uint32_t most_;
  schema::TextMap<Person> numbers_;  // memory grows with the number of persons
  std::vector<std::size_t> seen_;    // rows of each so far
  std::size_t persons_ = 0, without_ = 0, surplus_ = 0, largest_ = 0;
};

}  // namespace dperm::data
