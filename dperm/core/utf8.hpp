// SPDX-License-Identifier: Apache-2.0
// Text that is shown to people and stored as JSON: what is well-formed UTF-8, and what may stand in one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dperm {

// The character at the front of a text that is not empty, and how many bytes it takes; 0 bytes: no well-formed UTF-8
// begins there.
struct Utf8Character {
  std::uint32_t code;
  std::size_t bytes;
};
Utf8Character first_character(std::string_view text);

bool is_control(std::uint32_t code);
// Marks that change in which order the text around them is shown: with them a name could rewrite its neighbours.
bool changes_direction(std::uint32_t code);

// Well-formed, without line breaks, other controls and such marks.
bool is_plain_line(std::string_view text);

}  // namespace dperm
