// SPDX-License-Identifier: Apache-2.0
// A method's own options as a table (name, meaning, range) and checked values. The command line, the model file and
// the documentation read the same table.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dperm::methods {

struct OptionSpec {
  std::string_view name;           // "steps"; --steps on the command line
  std::string_view default_value;  // text; "auto" where the method chooses from public facts
  std::string_view help;
  double lower = 0, upper = 0;                 // numbers: accepted closed range
  std::vector<std::string_view> choices = {};  // not empty: the value is one of these words
  bool integer = false;
};

class OptionValues {
 public:
  // Takes given texts over defaults. Throws ArgumentError for an unknown option (naming the known ones), a value that
  // does not parse, or one out of range.
  OptionValues(std::string_view method, std::span<const OptionSpec> specs,
               const std::map<std::string, std::string>& given);

  bool is_auto(std::string_view name) const { return text(name) == "auto"; }
  double number(std::string_view name) const;  // ArgumentError when auto
  const std::string& text(std::string_view name) const;
  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace dperm::methods
