// SPDX-License-Identifier: Apache-2.0
// The end of a request whose result is there, whatever becomes of the ledger.
#pragma once

#include <string>
#include <string_view>

#include "dperm/ledger/ledger.hpp"

namespace dperm::ledger {

// Keeps the result. Where the ledger cannot be written any more the result is the caller's all the same, and the text
// says so; empty where all is well.
std::string try_to_settle(Ledger& ledger, const Mark& mark, std::string_view result, const std::string& release = {});

}  // namespace dperm::ledger
