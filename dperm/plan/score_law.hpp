// SPDX-License-Identifier: Apache-2.0
// Scores and targets of the reference population under its best weights, and what noise in a score costs there.
// Derivation: docs/prediction.md.
#pragma once

#include <vector>

#include "dperm/loss/loss.hpp"

namespace dperm::plan {

class ScoreLaw {
 public:
  // A loss of one score.
  explicit ScoreLaw(const loss::Loss& loss);

  double mean() const { return mean_; }      // of the best scores, the size of it
  double spread() const { return spread_; }  // their standard deviation
  double curvature() const { return curvature_; }

  // Mean loss with normal noise of this standard deviation in every score, less the mean loss without.
  double excess_risk(double noise) const;
  // Share of right answers that such noise costs; margin losses only.
  double accuracy_lost(double noise) const;

 private:
  struct Case {
    double score, target, probability;
  };
  double risk(double noise) const;
  void set_cases(double parameter);

  loss::Loss loss_;
  double scale_ = 1;  // of margin losses' scores, in log-odds
  double mean_ = 0, spread_ = 0, curvature_ = 0, best_risk_ = 0;
  std::vector<Case> cases_;
};

}  // namespace dperm::plan
