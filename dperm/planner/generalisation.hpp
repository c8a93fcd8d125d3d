// SPDX-License-Identifier: Apache-2.0
// From training rows to new rows: uniform convergence over linear models of bounded norm. This term is there without
// privacy as well. Derivation: docs/generalisation.md.
#pragma once

#include <optional>

#include "dperm/methods/method.hpp"

namespace dperm::planner {

// Expected largest amount, over weights of norm at most `radius`, by which the mean loss on new rows exceeds that on n
// independent training rows of norm at most 1; the loss has slope at most `lipschitz`.
double expected_deviation(double rows, double lipschitz, double radius);

// Expected excess risk on new rows, against every point of the feasible set: the plan's bound plus the deviation. For
// plans whose weights keep to a ball or box and whose bound holds on average; nothing otherwise.
std::optional<double> population_excess_risk(const methods::Plan& plan);

}  // namespace dperm::planner
