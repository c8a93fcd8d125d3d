// SPDX-License-Identifier: Apache-2.0
// What a plan tells before it runs, as plain data: how epsilon follows, what a theorem promises, what the forecast
// needs.
#pragma once

#include <limits>
#include <optional>
#include <string>

namespace dperm::methods {

// One link of the chain from bounds to sensitivity to noise to epsilon. The words are for people; nothing reads them.
struct DerivationStep {
  std::string quantity;  // "sensitivity of the summed gradient"
  double value;
  std::string reason;  // the theorem or rule that gives it
};

// What a theorem promises about F(released) - min F over the feasible set.
struct UtilityBound {
  double excess_risk = std::numeric_limits<double>::infinity();
  std::string theorem = {};  // what is assumed and where it is proved; of an infinite bound: why there is none
  std::optional<double> probability = {};     // that it holds; none: it holds on average over the noise
  std::optional<double> if_rows_within = {};  // it holds where no row is longer than this
};
// "on average over the noise", "with probability 0.85".
std::string holds_text(const UtilityBound& bound);

// A model of how far a method ends from the best weights, in encoded units and for the mean objective: the numbers from
// which its accuracy is forecast. Noises are standard deviations of one coordinate.
struct ErrorModel {
  double penalty = 0;       // added to the curvature in every direction
  double term_noise = 0;    // in the gradient of the objective that is minimised
  double matrix_noise = 0;  // in its curvature: an entry of the diagonal, off-diagonal ones have 1/sqrt(2) of it
  double output_noise = 0;  // added to the weights at the end
  double temperature = 0;   // weights are drawn with odds exp(-objective / temperature)
  double steps = 0;         // of gradient descent from zero; 0: the minimum itself is found
  double step_size = 0;
  double step_noise = 0;                                    // in the gradient of every step
  double averaged = 1;                                      // this many last iterates are averaged
  double radius = std::numeric_limits<double>::infinity();  // weights are kept within
  double clip = std::numeric_limits<double>::infinity();    // a row's gradient is shortened to this norm
  double sample = std::numeric_limits<double>::infinity();  // rows that a step looks at; infinity: all
  bool damped = false;  // momentum: directions too steep for the step size settle instead of diverging
};

// An interval around one released number, in encoded units: for the population that the rows were drawn from.
struct ReleasedInterval {
  double lower = 0, upper = 0;
  double confidence = 0;
  bool operator==(const ReleasedInterval&) const = default;
};

// What a choice among candidates released beside the weights.
struct TuningOutcome {
  std::string candidate;  // the winner's settings; empty: no run took place, and the weights are a public default
  double score;           // on held-out rows, with noise; the best of several, hence a little flattering
  double noise;           // standard deviation of that noise
  bool operator==(const TuningOutcome&) const = default;
};

}  // namespace dperm::methods
