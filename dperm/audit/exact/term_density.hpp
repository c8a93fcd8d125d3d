// SPDX-License-Identifier: Apache-2.0
// The density of the minimiser of an objective with a random term, which is known exactly: at weights w the term was
// minus the gradient there, and its density times the determinant of the Hessian is that of w.
#pragma once

#include <optional>
#include <vector>

#include "dperm/audit/replay/pair.hpp"

namespace dperm::audit {

class TermDensity {
 public:
  TermDensity(const methods::Plan& plan, const Pair& pair, const privacy::Mechanism& term);

  // The logarithm of the density at these weights on the first table over that on the second. The small noise that
  // hides the solver's residual is left out.
  double log_ratio(const std::vector<double>& weights) const;
  // The logarithm of the density on the first or second table, up to a constant.
  double log_density(const std::vector<double>& weights, bool first) const;

 private:
  struct Point {
    std::vector<double> x;
    double target;
    double count;  // rows alike
  };
  std::vector<Point> common_;  // rows of both tables
  Point first_, second_;
  loss::Loss loss_;
  double penalty_;                // of the sum
  double sigma_ = 0, scale_ = 0;  // of the term: Gaussian, or of density exp(-||b||/scale)
};

// Nothing for plans without a random term, and for models with several scores.
std::optional<TermDensity> term_density(const methods::Plan& plan, const Pair& pair);

}  // namespace dperm::audit
