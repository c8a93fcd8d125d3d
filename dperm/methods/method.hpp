// SPDX-License-Identifier: Apache-2.0
// The shape every DP-ERM algorithm has: options, plan (public facts only), fit. The list of methods.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/engine/dataset.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::methods {

// One link of the chain from bounds to sensitivity to noise to epsilon.
struct DerivationStep {
  std::string quantity;  // "sensitivity of the summed gradient"
  double value;
  std::string reason;  // the theorem or rule that gives it
};

// What a theorem promises about F(released) - min F over the feasible set.
struct UtilityBound {
  double excess_risk;
  std::string theorem;  // what is assumed and where it is proved; of an infinite bound: why there is none
  std::string holds = "on average over the noise";
};

// How the method approaches the best weights, in encoded units and for the mean objective: the numbers from which its
// accuracy can be predicted. Noises are standard deviations of one coordinate.
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

// Everything decided before any record is read. Plain data.
struct Plan {
  std::string method;
  Task task;  // resolved: penalty and feasible set as the method will use them
  std::map<std::string, std::string> options;
  std::vector<privacy::PrivacyEvent> events;
  privacy::Guarantee guarantee;
  std::vector<DerivationStep> derivation;
  UtilityBound utility;
  std::optional<ErrorModel> error_model = {};  // nothing where no prediction is known
};

// What a choice among candidates released beside the weights.
struct TuningOutcome {
  std::string candidate;  // the winner's settings; empty: no run took place, and the weights are a public default
  double score;           // on held-out rows, with noise; the best of several, hence a little flattering
  double noise;           // standard deviation of that noise
  bool operator==(const TuningOutcome&) const = default;
};

struct FitResult {
  privacy::Released<std::vector<double>> weights;  // encoded units, in the feasible set
  std::vector<privacy::PrivacyEvent> events;       // recorded by the curator
  bool secure;                                     // false: made with reproducible bits, hence not private
  std::optional<TuningOutcome> tuning = {};
};

// Called with public numbers only: step t of T.
using Progress = std::function<void(std::size_t step, std::size_t steps)>;

struct FitOptions {
  Threads threads;
  Progress progress;
};

class Method {
 public:
  virtual ~Method() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::span<const OptionSpec> options() const = 0;
  // Checks every precondition (ArgumentError says which fails and what to do), calibrates, lists the events to come.
  virtual Plan plan(const Task& task, const std::map<std::string, std::string>& options) const = 0;
  // Executes a plan made by this method. The recorded events equal the planned ones (InternalError otherwise).
  virtual FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                        const FitOptions& options) const = 0;
};

std::span<const Method* const> all_methods();
// One of them, or "tuned" (tuned.hpp); ArgumentError listing the names.
const Method& method_named(std::string_view name);

// Fills in a plan: refuses noise that the samplers cannot make, and accounts for the events at the task's delta.
Plan make_plan(const Method& method, const Task& resolved, const OptionValues& options,
               std::vector<privacy::PrivacyEvent> events, std::vector<DerivationStep> derivation, UtilityBound utility);

// The public radius assumed for the weights where the user names none: coefficients of up to 5 (classification; softmax
// 10) or 1 (regression) per full swing of every column at once.
double default_radius(const Problem& problem, const PublicFacts& facts);

}  // namespace dperm::methods
