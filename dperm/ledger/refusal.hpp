// SPDX-License-Identifier: Apache-2.0
// Whether a dataset's cap allows a request, and what is said where it does not. Internal to this room.
#pragma once

#include <string>

#include "dperm/ledger/ledger.hpp"
#include "dperm/ledger/state.hpp"

namespace dperm::ledger {

bool affords(const DatasetState& state, const Reserved& request);

// True where no request that spends this epsilon is allowed, whatever its releases are and however small its delta.
bool is_hopeless(const DatasetState& state, double epsilon, double delta);

// A cap counts requests that protect whom it protects. Throws BudgetError for others.
void require_same_unit(const DatasetState& state, const ProtectedUnit& unit);

// What was asked, what is spent, what would fit. Depends on the ledger and the request alone.
std::string refusal(const DatasetState& state, const std::string& path, const Request& request);

}  // namespace dperm::ledger
