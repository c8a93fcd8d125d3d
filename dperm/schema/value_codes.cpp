// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/value_codes.hpp"

#include <cmath>

#include "dperm/schema/cell_text.hpp"

namespace dperm::schema {

ValueCodes::ValueCodes(const std::vector<std::string>& values, Compare compare, bool labels)
    : compare_(compare), labels_(labels) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto code = static_cast<std::uint32_t>(i);
    if (compare == Compare::number) {
      numbers_.emplace(parse_number(values[i]), code);
    } else {
      texts_.emplace(labels ? label_text(values[i]) : std::string_view(values[i]), code);
    }
  }
}

std::optional<std::uint32_t> ValueCodes::find(std::string_view text) const {
  const auto found = [](const auto& map, const auto& key) {
    const auto place = map.find(key);
    return place == map.end() ? std::nullopt : std::optional(place->second);
  };
  switch (compare_) {
    case Compare::number: {
      const double value = parse_value(text);
      return std::isnan(value) ? std::nullopt : found(numbers_, value);
    }
    case Compare::truth:
      if (is_true_text(text)) return found(texts_, std::string_view("true"));
      return is_false_text(text) ? found(texts_, std::string_view("false")) : std::nullopt;
    case Compare::text:
      break;
  }
  return found(texts_, labels_ ? label_text(text) : trimmed(text));
}

}  // namespace dperm::schema
