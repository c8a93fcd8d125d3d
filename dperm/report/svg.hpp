// SPDX-License-Identifier: Apache-2.0
// Pieces of SVG that several drawings share.
#pragma once

#include <string>
#include <string_view>

namespace dperm::report {

// Any bytes as the content of an element or of an attribute in quotes, of HTML and of XML: their own characters
// escaped, control characters as blanks, marks that turn the direction of text and bytes that are no UTF-8 as U+FFFD.
std::string escaped(std::string_view text);

}  // namespace dperm::report
