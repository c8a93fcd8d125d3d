// SPDX-License-Identifier: Apache-2.0
// The kinds of failure, one per process exit status. Texts may quote parameters, public facts, file names and line
// numbers, never a value taken from a record.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace dperm {

// The caller asked for something impossible (exit status 2). Settings are named in backticks by their field,
// `l2_penalty` or `solver = certified`; each shell says them in its own words (--l2-penalty, l2_penalty=).
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
  // "`field` message"
  ArgumentError(std::string_view field, std::string_view message);

  const std::string& field() const { return field_; }  // empty where no single field is at fault

 private:
  std::string field_ = {};
};

// The same text for files and other places where fields go by their own names: without backticks.
std::string plain(std::string text);

// A file cannot be used as it is (exit status 3).
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The privacy budget does not allow it (exit status 4).
class BudgetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A promise of our own code is broken (exit status 5).
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace dperm
