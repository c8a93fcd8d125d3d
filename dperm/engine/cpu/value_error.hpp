// SPDX-License-Identifier: Apache-2.0
// How far a row's computed loss can lie from the true one: what claims about engine::loss_sum rest on. Note:
// value_error.md.
#pragma once

#include <cstddef>

#include "dperm/loss/loss.hpp"

namespace dperm::engine {

// For weights with ||w||_2 <= weight_norm and m columns, and every value_bound that no loss exceeds, a row's integer in
// loss_sum is at most  steps * (value + value_error) / value_bound  and more than
// steps * (value - value_error) / value_bound - 1.
double value_error(const loss::Loss& loss, double weight_norm, std::size_t columns);

}  // namespace dperm::engine
