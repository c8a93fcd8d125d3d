// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::methods {

namespace {

// As people write it on the command line.
std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

double parse_number(std::string_view name, std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) {
    throw ArgumentError(fmt::format("{} must be a number or 'auto'; got '{}'", name, text));
  }
  return value;
}

void check_value(const OptionSpec& spec, const std::string& text) {
  if (!spec.choices.empty()) {
    if (std::find(spec.choices.begin(), spec.choices.end(), text) == spec.choices.end()) {
      throw ArgumentError(
          fmt::format("{} must be one of {}; got '{}'", spec.name, fmt::join(spec.choices, ", "), text));
    }
    return;
  }
  if (text == "auto" && spec.default_value == "auto") return;
  const double value = parse_number(spec.name, text);
  require_in_closed_range(spec.name, value, spec.lower, spec.upper);
  if (spec.integer && value != std::floor(value)) {
    throw ArgumentError(fmt::format("{} must be an integer; got {}", spec.name, value));
  }
}

}  // namespace

OptionValues::OptionValues(std::string_view method, std::span<const OptionSpec> specs,
                           const std::map<std::string, std::string>& given) {
  for (const OptionSpec& spec : specs) texts_[std::string(spec.name)] = std::string(spec.default_value);
  for (const auto& [name, text] : given) {
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const auto& s) { return s.name == name; });
    if (spec == specs.end()) {
      std::vector<std::string> known;
      for (const OptionSpec& s : specs) known.push_back(flag_of(s.name));
      throw ArgumentError(
          fmt::format("method {} has no option {}; it has: {}", method, flag_of(name), fmt::join(known, ", ")));
    }
    check_value(*spec, text);
    texts_[name] = text;
  }
}

const std::string& OptionValues::text(std::string_view name) const {
  const auto found = texts_.find(std::string(name));
  ensure(found != texts_.end(), fmt::format("option '{}' is not in the method's table", name));
  return found->second;
}

double OptionValues::number(std::string_view name) const { return parse_number(name, text(name)); }

}  // namespace dperm::methods
