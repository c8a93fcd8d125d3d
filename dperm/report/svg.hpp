// SPDX-License-Identifier: Apache-2.0
// Pieces of SVG that several drawings share.
#pragma once

#include <string>
#include <string_view>

namespace dperm::report {

// Any text as the content of an element: XML's own characters escaped, control characters as blanks.
std::string escaped(std::string_view text);

}  // namespace dperm::report
