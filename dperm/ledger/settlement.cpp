// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/settlement.hpp"

#include <fmt/format.h>

#include "dperm/core/error.hpp"

namespace dperm::ledger {

std::string try_to_settle(Ledger& ledger, const Mark& mark, std::string_view result, const std::string& release) {
  try {
    ledger.settle(mark, result, release);
    return {};
  } catch (const DataError& error) {
    return fmt::format("{}. The result is yours all the same; entry {} stays spent without it", error.what(),
                       mark.entry);
  }
}

}  // namespace dperm::ledger
