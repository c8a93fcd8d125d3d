// SPDX-License-Identifier: Apache-2.0
// The exponential mechanism over the weights of a linear model in a ball or box, exact in distribution and pure
// epsilon, for few weights. Proof note: exponential_ball.md.
#pragma once

#include <cstddef>

namespace dperm::methods {

// Boxes of weights are halved until the risk is nearly constant on each; their number grows with the power of the
// dimension.
inline constexpr std::size_t kMostExactWeights = 4;

}  // namespace dperm::methods
