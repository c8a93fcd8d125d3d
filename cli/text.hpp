// SPDX-License-Identifier: Apache-2.0
// Words for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dperm::cli {

// Broken at blanks into lines of at most `width` characters; `indent` blanks are put before all but the first.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

// Texts beside options in help, which is to be read in a window of 100 columns.
inline constexpr std::size_t kHelpWidth = 74;

// The library names settings in backticks, `l2_penalty` or `solver = certified`; here they are flags: --l2-penalty,
// --solver certified.
std::string rendered(std::string_view text);

// In red where standard output is a terminal that wants colours (none with NO_COLOR), and the same for a note.
std::string red(const std::string& text);
std::string red_note(const std::string& text);

// As a shell takes it: in quotes where it must be.
std::string quoted(const std::string& argument);

// "1 row", "2 rows"
std::string counted(std::size_t number, std::string_view noun);

}  // namespace dperm::cli
