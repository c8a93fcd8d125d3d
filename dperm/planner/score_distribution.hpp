// SPDX-License-Identifier: Apache-2.0
// Scores and targets of the reference population under its best weights, and what noise in a score costs there.
// Derivation: docs/forecast.md.
#pragma once

#include <limits>
#include <vector>

#include "dperm/loss/loss.hpp"

namespace dperm::planner {

// A loss whose slope is limited in size: beyond the points where it would be steeper it continues as a straight line.
// Clipping gradients of rows of one length minimises this instead.
class LimitedLoss {
 public:
  // A loss of one score.
  LimitedLoss(const loss::Loss& loss, double largest_slope);

  double value(double score, double target) const;
  double slope(double score, double target) const;

 private:
  double argument(double score, double target) const;

  loss::Loss loss_;
  double largest_slope_;
  double low_, high_;  // of the argument: where the slope reaches its limits
};

class ScoreDistribution {
 public:
  // A loss of one score. The best weights are those for it with slopes limited; what noise costs is told of the loss
  // itself, against its own best weights.
  explicit ScoreDistribution(const loss::Loss& loss, double largest_slope = std::numeric_limits<double>::infinity());

  double mean() const { return mean_; }      // of the best scores, the size of it
  double spread() const { return spread_; }  // their standard deviation
  double curvature() const { return curvature_; }
  double slope_square() const { return slope_square_; }  // mean square of the limited slopes
  double shift() const { return shift_; }  // root mean square distance from the scores that are best without a limit

  // Mean loss with normal noise of this standard deviation in every score, less that of the best scores.
  double excess_risk(double noise) const;
  // Share of right answers that such noise costs; margin losses only.
  double accuracy_lost(double noise) const;

 private:
  struct Case {
    double score, target, probability;
  };
  double risk(const LimitedLoss& loss, double noise) const;
  double best_parameter(const LimitedLoss& loss);
  void set_cases(double parameter);

  bool margin_;
  LimitedLoss loss_;
  double scale_ = 1;  // of margin losses' scores, in log-odds
  double mean_ = 0, spread_ = 0, curvature_ = 0, slope_square_ = 0, shift_ = 0, best_risk_ = 0;
  std::vector<Case> cases_;
};

}  // namespace dperm::planner
