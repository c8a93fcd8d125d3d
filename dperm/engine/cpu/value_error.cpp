// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/rounding.hpp"
#include "dperm/engine/rounding_error.hpp"

namespace dperm::engine {

// [proof engine_value_error.bound]
double value_error(const loss::Loss& loss, double weight_norm, std::size_t columns) {
  constexpr double kUnit = 0x1p-53;
  constexpr double kRoundings = 40;
  const double score = slope_error(loss, 1, weight_norm, columns, Resolution::solver).score;
  const loss::LossConstants constants = loss::constants(loss, rounded_up(weight_norm + score));
  return rounded_up(constants.lipschitz * score + kRoundings * kUnit * (1 + constants.largest_value));
}
// [/proof]

}  // namespace dperm::engine
