// SPDX-License-Identifier: Apache-2.0
// All that a solver ever sees: a differentiable convex function. Solvers know neither data nor privacy.
#pragma once

#include <cstddef>
#include <span>

namespace dperm::solve {

class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::size_t dimension() const = 0;
  // Returns the value at w and writes the gradient (size dimension()).
  virtual double value_and_gradient(std::span<const double> w, std::span<double> gradient) const = 0;
};

}  // namespace dperm::solve
