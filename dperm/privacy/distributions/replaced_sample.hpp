// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of one Gaussian release on a Poisson sample, a record being replaced: those of the exact worst pair
//     P = (1-q) N(0,1) + q N(mu,1),   Q = (1-q) N(0,1) + q N(-mu,1).
// Note: dperm/privacy/composition/renyi.md.
#pragma once

#include <vector>

namespace dperm::privacy {

class ReplacedSample {
 public:
  static constexpr double kLargestMu = 8;
  // 0 < mu <= kLargestMu, 0 < rate < 1. Order-independent work is done here, once.
  ReplacedSample(double mu, double rate);

  // An upper bound of ln E_Q (dP/dQ)^order, which is order - 1 times the divergence, for order > 1.
  double exponent(double order) const;

 private:
  struct Node {
    double loss, weight;
  };
  double tail(double order) const;

  double mu_, rate_;
  std::vector<Node> nodes_;
};

}  // namespace dperm::privacy
