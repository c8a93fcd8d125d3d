// SPDX-License-Identifier: Apache-2.0
// How the page looks: on a phone, at a desk, in print, in light and dark.
#pragma once

#include <string_view>

namespace dperm::report {

std::string_view page_style();

}  // namespace dperm::report
