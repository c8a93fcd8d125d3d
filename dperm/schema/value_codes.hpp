// SPDX-License-Identifier: Apache-2.0
// The values of a list and the code of each: how a cell is found among them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// Looked up by string_view, so that a cell is never copied.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

class ValueCodes {
 public:
  ValueCodes() = default;
  // Codes are places in the list. `labels`: texts compare up to the plus sign of a number.
  ValueCodes(const std::vector<std::string>& values, Compare compare, bool labels = false);

  // The code of a cell, or nothing. Total: any text.
  std::optional<std::uint32_t> find(std::string_view text) const;

 private:
  Compare compare_ = Compare::text;
  bool labels_ = false;
  TextMap<std::uint32_t> texts_;
  std::unordered_map<double, std::uint32_t> numbers_;
};

}  // namespace dperm::schema
