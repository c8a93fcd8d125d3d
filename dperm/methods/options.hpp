// SPDX-License-Identifier: Apache-2.0
// The options of every algorithm, one struct each. A default-made struct leaves everything to the algorithm, which then
// chooses from public facts. Ranges, words and help stand in option_tables.hpp; planning checks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

// Noise of one release of the weights: gaussian is calibrated tightly, pure needs no delta, textbook is the classical
// formula for epsilon below 1.
enum class OutputNoise { gaussian, pure, textbook };

// Output perturbation of the minimiser, found to a certified residual.
struct OutputCertifiedOptions {
  std::optional<OutputNoise> noise = {};  // none: gaussian with a delta, else pure
};

// Output perturbation of the point that a fixed number of gradient steps on all rows reaches; needs no penalty.
struct OutputDescentOptions {
  std::optional<OutputNoise> noise = {};   // none: gaussian with a delta, else pure
  std::optional<std::size_t> passes = {};  // steps; none: minimises the utility bound
  std::optional<double> step_size = {};    // eta of w - eta * gradient; none: minimises the utility bound
};

// The same for steps on batches of rows in a fixed public order.
struct OutputSgdOptions {
  std::optional<OutputNoise> noise = {};   // none: gaussian with a delta, else pure
  std::optional<std::size_t> passes = {};  // over the rows; none: minimises the utility bound
  std::optional<double> step_size = {};    // eta of w - eta * gradient; none: minimises the utility bound
  std::optional<std::size_t> batch = {};   // rows per step; none: about 256 batches per pass
};

enum class TermNoise { gaussian, pure };
// tight: the profile proved here; the others are earlier theorems to compare with.
enum class ObjectiveCalibration { tight, cms11, kst12, amp };

// Objective perturbation.
struct ObjectivePerturbationOptions {
  std::optional<TermNoise> noise = {};  // of the random term; none: gaussian with a delta, else pure
  ObjectiveCalibration calibration = ObjectiveCalibration::tight;
};

enum class BinaryLoss { logistic, smoothed_hinge };

// One binary model per class by objective perturbation, the budget divided among them.
struct OneVsRestOptions {
  std::optional<TermNoise> noise = {};            // of the random terms; none: gaussian with a delta, else pure
  BinaryLoss binary_loss = BinaryLoss::logistic;  // of the binary models
  std::optional<double> binary_margin = {};       // smoothed hinge: its margin; none: 0.5
  std::optional<double> binary_smoothing = {};    // smoothed hinge: its width; none: 0.35
};

enum class Ridge {
  adaptive,   // smaller where the data allow it
  certified,  // as the utility bound asks
};

// Linear regression from noisy second moments.
struct SufficientStatisticsOptions {
  Ridge ridge = Ridge::adaptive;
  std::optional<double> row_norm = {};  // longer rows count less; none: sqrt(1 + 0.4 columns) if all are real
  privacy::Neighbours neighbours = privacy::Neighbours::replace_one;
};

enum class StepSchedule {
  constant,         // eta, the last iterates averaged evenly
  strongly_convex,  // 2/(l2_penalty (t + 1)) at step t = 1, 2, ..., all iterates averaged with weight t
};

// Noisy projected gradient descent on all rows.
struct GradientDescentOptions {
  std::optional<std::size_t> steps = {};        // noisy gradients T; none: as many as the utility bound gains from
  std::optional<double> step_size = {};         // eta of w - eta * gradient; none: minimises the utility bound
  std::optional<double> average_fraction = {};  // share of the last iterates that is averaged; 0: the last one alone
  std::optional<StepSchedule> schedule = {};    // none: the one with the smaller bound
  double momentum = 0;                          // heavy ball; costs no privacy, but no utility bound is proved for it
};

// Damped Newton steps, gradient and direction with noise of their own; logistic loss.
struct NewtonOptions {
  std::optional<std::size_t> steps = {};  // none: 8
  std::optional<double> damping = {};     // added to the curvature; none: by the noise of a step
};

enum class UpdateRule { plain, momentum, adam };

// DP-SGD: noisy sums of clipped gradients over random samples of the rows.
struct SgdOptions {
  std::optional<std::size_t> batch = {};        // expected rows per step
  std::optional<double> epochs = {};            // passes over the rows: steps = epochs * rows / batch
  std::optional<std::size_t> steps = {};        // noisy gradients T
  std::optional<double> clip = {};              // largest norm of a row's gradient; longer ones are shortened to it
  std::optional<UpdateRule> optimiser = {};     // none: adam; plain with a radius or box has a utility bound
  std::optional<double> learning_rate = {};     // step size of the optimiser
  std::optional<double> average_fraction = {};  // share of the last iterates that is averaged; 0: the last one alone
  privacy::Sampling sampling = privacy::Sampling::poisson;
  privacy::Neighbours neighbours = privacy::Neighbours::replace_one;
  std::uint64_t init_seed = 1;  // of a network's public starting weights
};

enum class LocationScore { rank, loss };
enum class ChoiceRule { permute_and_flip, exponential };
enum class MeanNoise { laplace, gaussian };

// Mean, median and quantiles of the target, without features.
struct ExponentialLocationOptions {
  std::optional<LocationScore> score = {};    // what a candidate is judged by; none: its distance to the wanted rank
  std::optional<ChoiceRule> choice = {};      // none: permute-and-flip where the score is the rank
  std::optional<std::size_t> grid_bits = {};  // the answer is one of 2^bits + 1 points between the bounds
  std::optional<MeanNoise> mean_noise = {};   // squared loss: noise on the sum; none: the smaller
  std::optional<double> interval = {};        // its confidence; a quantile's takes half of epsilon; none: only a mean's
};

// The exponential mechanism over a ball or box, exact, for few weights.
struct ExponentialBallOptions {
  std::optional<std::size_t> grid_bits = {};  // each weight is one of 2^bits points; none: 30
};

// Weights drawn from the penalised density by the proximal sampler.
struct ExponentialRegularisedOptions {
  std::size_t max_steps = 20000;  // a task that needs more rounds of the sampler is refused
};

// The best rule of a finite class under zero-one loss.
struct ExponentialRulesOptions {
  std::optional<ChoiceRule> choice = {};  // none: permute-and-flip, which is never worse
  double failure_probability = 0.05;      // chance allowed to the promises about errors
};

// The best answer that looks at no feature: base rate, shares of the classes, mean, median or quantile.
struct ConstantOptions {
  std::optional<TermNoise> noise = {};  // on counts and sums; none: the smaller
};

// No privacy at all: the minimiser itself, or a network trained as anyone would. For the owner of the data.
struct NonPrivateOptions {
  std::optional<double> epochs = {};         // networks: passes over the rows; none: 100
  std::optional<std::size_t> batch = {};     // networks: rows per step; none: 64
  std::optional<double> learning_rate = {};  // networks: of Adam; none: 0.002
  std::uint64_t init_seed = 1;               // of a network's public starting weights and of the order of its rows
};

struct Plan;  // plan.hpp

// One point of a public grid: what is asked for instead of the task's own, and how that is planned.
struct TunedCandidate {
  std::string label;                      // "l2_penalty=0.01;steps=200"
  std::optional<double> l2_penalty = {};  // instead of the task's
  std::optional<double> radius = {};      // of a ball, instead of the task's feasible set
  std::function<Plan(const Task&)> plan = {};
};

enum class Repetitions { poisson, geometric, logarithmic };

// Another algorithm with its settings chosen among public candidates by a private score on held-out rows.
struct TunedOptions {
  double repetitions = 10;                       // expected number of runs, each on a candidate drawn at random
  std::optional<Repetitions> distribution = {};  // of the number of runs; none: poisson, without a delta logarithmic
  double holdout = 0.2;                          // share of the rows that scores the runs and trains none
  std::string method = {};                       // whose settings are tuned
  std::vector<TunedCandidate> candidates = {};   // 2 to 256 settings of it
};

// One entry per algorithm, in the order in which ties are settled.
using AlgorithmOptions =
    std::variant<ObjectivePerturbationOptions, OneVsRestOptions, SufficientStatisticsOptions,
                 ExponentialLocationOptions, ExponentialRulesOptions, ExponentialBallOptions,
                 ExponentialRegularisedOptions, GradientDescentOptions, NewtonOptions, OutputCertifiedOptions,
                 OutputDescentOptions, OutputSgdOptions, SgdOptions, ConstantOptions, TunedOptions, NonPrivateOptions>;

}  // namespace dperm::methods
