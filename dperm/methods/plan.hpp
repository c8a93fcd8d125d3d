// SPDX-License-Identifier: Apache-2.0
// A plan: everything decided before any record is read, and able to run. What was planned is what is run.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/curator/curator.hpp"

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
  std::string theorem = {};                  // what is assumed and where it is proved; of an infinite bound: why there is none
  std::optional<double> probability = {};    // that it holds; none: it holds on average over the noise
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
  double averaged = 1;                                      // so many last iterates are averaged
  double radius = std::numeric_limits<double>::infinity();  // weights are kept within
  double clip = std::numeric_limits<double>::infinity();    // a row's gradient is shortened to this norm
  double sample = std::numeric_limits<double>::infinity();  // rows that a step looks at; infinity: all
  bool damped = false;  // momentum: directions too steep for the step size settle instead of diverging
};

// What a choice among candidates released beside the weights.
struct TuningOutcome {
  std::string candidate;  // the winner's settings; empty: no run took place, and the weights are a public default
  double score;           // on held-out rows, with noise; the best of several, hence a little flattering
  double noise;           // standard deviation of that noise
  bool operator==(const TuningOutcome&) const = default;
};

// Called with public numbers only: step t of T.
using Progress = std::function<void(std::size_t step, std::size_t steps)>;

struct FitOptions {
  Threads threads;
  Progress progress;
};

// What a run releases.
struct Trained {
  privacy::Released<std::vector<double>> weights;  // encoded units, in the feasible set
  std::optional<TuningOutcome> tuning = {};
};
using Run = std::function<Trained(const data::Dataset&, privacy::Curator&, const FitOptions&)>;

struct TuningPlan;

struct Plan {
  AlgorithmOptions options;  // which algorithm, with its options
  Task task;                 // resolved: penalty and feasible set as the algorithm uses them
  std::vector<privacy::PrivacyEvent> events = {};
  privacy::Guarantee guarantee = {};
  std::vector<DerivationStep> derivation = {};
  UtilityBound utility = {};
  std::optional<ErrorModel> error_model = {};           // nothing where no forecast is known
  std::shared_ptr<const TuningPlan> tuning = nullptr;  // of tuned plans
  Run run = {};                                        // empty in a plan read from a file
};

// What each candidate of a tuned plan would do, on fewer rows and with a part of the budget.
struct TuningPlan {
  struct Candidate {
    std::string label;  // "l2_penalty=0.01;steps=200"
    Plan plan;
  };
  double score_noise;  // standard deviation of a score's noise
  std::vector<Candidate> candidates;
};

struct FitResult {
  privacy::Released<std::vector<double>> weights;  // encoded units, in the feasible set
  std::vector<privacy::PrivacyEvent> events;       // recorded by the curator
  bool secure;                                     // false: made with reproducible bits, hence not private
  std::optional<TuningOutcome> tuning = {};
};

// Runs a plan. Throws ArgumentError for a plan made for other data or read from a file, before any record is looked at.
// The recorded events equal the planned ones, or nothing is released (InternalError).
FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& options);

// For algorithms: what a plan is made of. Refuses noise that the samplers cannot make and accounts for the events at
// the task's delta.
Plan make_plan(AlgorithmOptions options, const Task& resolved, std::vector<privacy::PrivacyEvent> events,
               std::vector<DerivationStep> derivation, UtilityBound utility, Run run);

// The public radius assumed for the weights where the user names none: coefficients of up to 5 (classification; softmax
// 10) or 1 (regression) per full swing of every column at once.
double default_radius(const Problem& problem, const PublicFacts& facts);

}  // namespace dperm::methods
