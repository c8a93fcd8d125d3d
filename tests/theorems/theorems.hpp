// SPDX-License-Identifier: Apache-2.0
// The utility theorems of the methods, each on data where its rate is attained.
#pragma once

#include "tests/theorems/experiment.hpp"

namespace dperm::tests {

// Linear models.
Theorem objective_perturbation();
Theorem pure_objective_perturbation();
Theorem output_perturbation();
Theorem lipschitz_descent();
Theorem smooth_descent();
Theorem strongly_convex_descent();
Theorem steps_on_samples();
Theorem sufficient_statistics();
Theorem regularised_exponential();
Theorem uniform_convergence();  // on the population

// Exponential mechanism and one number.
Theorem exponential_on_a_ball();
Theorem exponential_median();
Theorem rank_median();
Theorem laplace_mean();

// Finite classes.
Theorem best_of_a_class();
Theorem agnostic_learning();
Theorem realisable_learning();

}  // namespace dperm::tests
