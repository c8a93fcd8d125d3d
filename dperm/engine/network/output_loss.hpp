// SPDX-License-Identifier: Apache-2.0
// What a network's outputs are judged by while it learns: softmax over classes, or a loss of one score. Total in scores
// and targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dperm/loss/loss.hpp"

namespace dperm::network {

// Softmax reads the encoded target as a class, 0 ... outputs - 1; what lies outside counts as the nearest (so a binary
// target -1 or +1 is class 0 or 1). A loss of one score reads targets as engine/sums.hpp does: classification losses
// the sign, the others target / kTargetOne.

// Throws ArgumentError unless the loss is valid, has a slope and fits the number of outputs (softmax: two or more, else
// one).
void validate_output(const loss::Loss& loss, std::size_t outputs);

// The derivative of the loss in each output, into `slopes` (as many as scores).
void slopes(const loss::Loss& loss, std::span<const float> scores, std::int32_t target, float* slopes);

}  // namespace dperm::network
