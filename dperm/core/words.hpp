// SPDX-License-Identifier: Apache-2.0
// The words of an enumeration, listed once: what the command line, the model file and the documentation call its
// values.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dperm {

// Specialised beside the enumeration:
//   template <> struct Words<Sampling> {
//     static constexpr std::array table = {std::pair{Sampling::poisson, std::string_view("poisson")}, ...};
//   };
template <class Enum>
struct Words;

template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires { Words<Enum>::table; };

template <HasWords Enum>
constexpr std::string_view word(Enum value) {
  for (const auto& [each, text] : Words<Enum>::table) {
    if (each == value) return text;
  }
  return {};  // not reached: a test asserts that every value has a word
}

template <HasWords Enum>
constexpr std::optional<Enum> from_word(std::string_view wanted) {
  for (const auto& [each, text] : Words<Enum>::table) {
    if (text == wanted) return each;
  }
  return std::nullopt;
}

}  // namespace dperm
