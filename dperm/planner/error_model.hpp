// SPDX-License-Identifier: Apache-2.0
// How far a method ends from the best weights, by its error model, when the risk is quadratic: exact formulas,
// direction by direction. Derivation: docs/forecast.md.
#pragma once

#include <span>

#include "dperm/methods/method.hpp"

namespace dperm::planner {

// A principal direction of the curvature.
struct Direction {
  double curvature;
  double weight_square;   // of the best weights' coordinate
  double row_square = 0;  // mean square of a row's gradient along it, for error models of methods that look at samples
};

// Expected sum over directions of curvature * (coordinate - best coordinate)^2; twice the excess risk.
double mean_square_error(const methods::ErrorModel& error_model, std::span<const Direction> directions);

}  // namespace dperm::planner
