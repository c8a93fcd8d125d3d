// SPDX-License-Identifier: Apache-2.0
// What is asked, in public facts alone: the problem, the size of the data and the privacy budget. No record is in here.
#pragma once

#include <cstddef>

#include "dperm/loss/feasible_set.hpp"
#include "dperm/loss/loss.hpp"
#include "dperm/privacy/event.hpp"

namespace dperm::methods {

// Minimise (1/n) sum_i loss(<w, x_i>, y_i) + (l2_penalty / 2) ||w||^2 over the feasible set, in encoded units
// (||x_i|| <= 1). l2_penalty is the modulus of strong convexity; the intercept is penalised like every weight.
struct Problem {
  loss::Loss loss;
  double l2_penalty = 0;
  loss::FeasibleSet feasible_set;
};

struct PublicFacts {
  std::size_t rows = 0;       // n, public: neighbours replace a record
  std::size_t dimension = 0;  // number of weights, the intercept among them
  std::size_t columns = 0;    // m, the intercept among them: features are scaled by 1/sqrt(m)
};

struct Budget {
  double epsilon = 0;
  double delta = 0;  // 0 asks for pure epsilon
};

struct Question {
  Problem problem;
  PublicFacts facts;
  Budget budget;
};

// Throws ArgumentError naming the field, its rule and its value.
void validate(const Question& question);

}  // namespace dperm::methods
