// SPDX-License-Identifier: Apache-2.0
// The tables of all options structs: names, ranges and help, once. Command line, model file and documentation follow.
#pragma once

#include "dperm/engine/network/clipped_query.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/option_table.hpp"
#include "dperm/methods/options.hpp"

namespace dperm {

template <>
struct Words<methods::OutputNoise> {
  using enum methods::OutputNoise;
  static constexpr std::array<std::pair<methods::OutputNoise, std::string_view>, 3> table = {
      {{gaussian, "gaussian"}, {pure, "pure"}, {textbook, "textbook"}}};
};
template <>
struct Words<methods::TermNoise> {
  using enum methods::TermNoise;
  static constexpr std::array<std::pair<methods::TermNoise, std::string_view>, 2> table = {
      {{gaussian, "gaussian"}, {pure, "pure"}}};
};
template <>
struct Words<methods::ObjectiveCalibration> {
  using enum methods::ObjectiveCalibration;
  static constexpr std::array<std::pair<methods::ObjectiveCalibration, std::string_view>, 4> table = {
      {{tight, "tight"}, {cms11, "cms11"}, {kst12, "kst12"}, {amp, "amp"}}};
};
template <>
struct Words<methods::BinaryLoss> {
  using enum methods::BinaryLoss;
  static constexpr std::array<std::pair<methods::BinaryLoss, std::string_view>, 2> table = {
      {{logistic, "logistic"}, {smoothed_hinge, "smoothed-hinge"}}};
};
template <>
struct Words<methods::Ridge> {
  using enum methods::Ridge;
  static constexpr std::array<std::pair<methods::Ridge, std::string_view>, 2> table = {
      {{adaptive, "adaptive"}, {certified, "certified"}}};
};
template <>
struct Words<methods::StepSchedule> {
  using enum methods::StepSchedule;
  static constexpr std::array<std::pair<methods::StepSchedule, std::string_view>, 2> table = {
      {{constant, "constant"}, {strongly_convex, "strongly-convex"}}};
};
template <>
struct Words<methods::UpdateRule> {
  using enum methods::UpdateRule;
  static constexpr std::array<std::pair<methods::UpdateRule, std::string_view>, 3> table = {
      {{plain, "plain"}, {momentum, "momentum"}, {adam, "adam"}}};
};
template <>
struct Words<methods::LocationScore> {
  using enum methods::LocationScore;
  static constexpr std::array<std::pair<methods::LocationScore, std::string_view>, 2> table = {
      {{rank, "rank"}, {loss, "loss"}}};
};
template <>
struct Words<methods::ChoiceRule> {
  using enum methods::ChoiceRule;
  static constexpr std::array<std::pair<methods::ChoiceRule, std::string_view>, 2> table = {
      {{permute_and_flip, "permute-and-flip"}, {exponential, "exponential"}}};
};
template <>
struct Words<methods::MeanNoise> {
  using enum methods::MeanNoise;
  static constexpr std::array<std::pair<methods::MeanNoise, std::string_view>, 2> table = {
      {{laplace, "laplace"}, {gaussian, "gaussian"}}};
};
template <>
struct Words<methods::Repetitions> {
  using enum methods::Repetitions;
  static constexpr std::array<std::pair<methods::Repetitions, std::string_view>, 3> table = {
      {{poisson, "poisson"}, {geometric, "geometric"}, {logarithmic, "logarithmic"}}};
};

namespace methods {

// What the tables share. kNotText counts the members that are no text options.
struct PlainTable {
  static constexpr std::size_t kNotText = 0;
};

inline constexpr double kMostSteps = 1e6;
inline constexpr std::string_view kAveragedHelp = "share of the last iterates that is averaged; 0: the last one alone";
inline constexpr std::string_view kNeighboursHelp =
    "replace-one, or add-remove: a record is there or blank, the number of rows public";

template <>
struct OptionTable<ObjectivePerturbationOptions> : PlainTable {
  using O = ObjectivePerturbationOptions;
  static constexpr std::string_view algorithm = "objective-perturbation", method = "objective-perturbation";
  static constexpr std::string_view summary = "minimiser of the risk plus a random linear term; smooth losses";
  static constexpr auto fields = std::tuple(
      option("noise", &O::noise,
             "gaussian, pure (delta = 0); output-perturbation also textbook; auto: by delta, with constant the "
             "smaller"),
      option("calibration", &O::calibration,
             "tight, or an earlier theorem to compare with: cms11 (pure), kst12, amp (Gaussian)"));
};

template <>
struct OptionTable<OneVsRestOptions> : PlainTable {
  using O = OneVsRestOptions;
  static constexpr std::string_view algorithm = "one-vs-rest", method = "objective-perturbation";
  static constexpr std::string_view summary = "a binary model per class by objective perturbation";
  static constexpr auto fields = std::tuple(
      option("noise", &O::noise, "gaussian or pure (delta = 0); auto: by delta"),
      option("binary_loss", &O::binary_loss, "one-vs-rest: the loss of the binary models, logistic or smoothed-hinge"),
      option("binary_margin", &O::binary_margin, "one-vs-rest: margin of the smoothed hinge; auto: 0.5", 0,
             loss::kLargestWidth),
      option("binary_smoothing", &O::binary_smoothing, "one-vs-rest: width of the smoothed hinge; auto: 0.35",
             loss::kSmallestWidth, loss::kLargestWidth));
};

template <>
struct OptionTable<SufficientStatisticsOptions> : PlainTable {
  using O = SufficientStatisticsOptions;
  static constexpr std::string_view algorithm = "sufficient-statistics", method = "sufficient-statistics";
  static constexpr std::string_view summary = "linear regression from noisy second moments";
  static constexpr auto fields = std::tuple(
      option("ridge", &O::ridge, "adaptive (smaller where the data allow it) or certified (as the utility bound asks)"),
      option("row_norm", &O::row_norm,
             "rows longer than this (intercept 1, features in [-1, 1]) count less; auto: sqrt(1 + 0.4 "
             "columns) if all are real",
             1, 64),
      option("neighbours", &O::neighbours, kNeighboursHelp));
};

template <>
struct OptionTable<ExponentialLocationOptions> : PlainTable {
  using O = ExponentialLocationOptions;
  static constexpr std::string_view algorithm = "exponential-location", method = "exponential";
  static constexpr std::string_view summary = "mean, median or quantile without feature columns; pure epsilon";
  static constexpr auto fields = std::tuple(
      option("score", &O::score,
             "what a candidate is judged by: rank (distance to the wanted rank) or loss (its total loss); auto: rank"),
      option("choice", &O::choice,
             "permute-and-flip (needs score rank) or exponential; auto: permute-and-flip where it can"),
      option("grid_bits", &O::grid_bits, "the answer is one of 2^bits + 1 points between the bounds", 1, 31),
      option("mean_noise", &O::mean_noise,
             "squared loss: laplace (pure) or gaussian noise on the sum; auto: the smaller"),
      option("interval", &O::interval,
             "also give an interval that holds the population's number with this confidence; that of a median or "
             "quantile takes half of epsilon, that of a mean is free",
             0.5, 0.9999));
};

template <>
struct OptionTable<ExponentialRulesOptions> : PlainTable {
  using O = ExponentialRulesOptions;
  static constexpr std::string_view algorithm = "exponential-rules", method = "exponential";
  static constexpr std::string_view summary = "a rule of a finite class under zero-one loss; pure epsilon";
  static constexpr auto fields =
      std::tuple(option("choice", &O::choice, "permute-and-flip (never worse) or exponential; auto: permute-and-flip"),
                 option("failure_probability", &O::failure_probability,
                        "zero-one loss: chance allowed to the promises about errors", 1e-12, 0.5));
};

template <>
struct OptionTable<ExponentialBallOptions> : PlainTable {
  using O = ExponentialBallOptions;
  static constexpr std::string_view algorithm = "exponential-ball", method = "exponential";
  static constexpr std::string_view summary = "linear models with up to 4 weights; pure epsilon";
  static constexpr auto fields =
      std::tuple(option("grid_bits", &O::grid_bits, "exact: each weight is one of 2^bits points", 1, 30));
};

template <>
struct OptionTable<ExponentialRegularisedOptions> : PlainTable {
  using O = ExponentialRegularisedOptions;
  static constexpr std::string_view algorithm = "exponential-regularised", method = "exponential";
  static constexpr std::string_view summary = "linear models with a smooth loss, drawn from a density";
  static constexpr auto fields = std::tuple(
      option("max_steps", &O::max_steps, "proximal sampler: refuse where it needs more rounds than this", 1, 1e7));
};

template <>
struct OptionTable<GradientDescentOptions> : PlainTable {
  using O = GradientDescentOptions;
  static constexpr std::string_view algorithm = "gradient-descent", method = "gradient-descent";
  static constexpr std::string_view summary = "noisy projected gradient descent on all rows, iterates averaged";
  static constexpr auto fields = std::tuple(
      option("steps", &O::steps, "number of noisy gradients T", 1, kMostSteps),
      option("step_size", &O::step_size, "step size eta of w - eta * gradient", 1e-12, 1e12),
      option("average_fraction", &O::average_fraction, kAveragedHelp, 0, 1),
      option("schedule", &O::schedule,
             "constant steps, or strongly-convex: 2/(l2_penalty (t + 1)) with weights t; auto: the smaller bound"),
      option("momentum", &O::momentum,
             "heavy-ball momentum; free of privacy cost, but no utility bound is proved for it", 0, 0.99));
};

template <>
struct OptionTable<NewtonOptions> : PlainTable {
  using O = NewtonOptions;
  static constexpr std::string_view algorithm = "newton", method = "gradient-descent";
  static constexpr std::string_view summary = "damped Newton steps with noise of their own; logistic loss";
  static constexpr auto fields = std::tuple(
      option("steps", &O::steps, "number of noisy steps", 1, 1000),
      option("damping", &O::damping, "order second: added to the curvature; auto: by the noise of a step", 1e-6, 1e6));
};

inline constexpr std::string_view kOutputNoiseHelp =
    "gaussian (tight), pure (delta = 0), textbook (classical formula, epsilon < 1 only); auto: by delta";
inline constexpr std::string_view kPassesHelp = "gradient-descent, permutation-sgd: passes over the data";
inline constexpr std::string_view kOutputStepHelp =
    "gradient-descent, permutation-sgd: step size of w - step * gradient";

template <>
struct OptionTable<OutputCertifiedOptions> : PlainTable {
  using O = OutputCertifiedOptions;
  static constexpr std::string_view algorithm = "output-certified", method = "output-perturbation";
  static constexpr std::string_view summary = "the minimiser, to a certified residual, plus noise";
  static constexpr auto fields = std::tuple(option("noise", &O::noise, kOutputNoiseHelp));
};

template <>
struct OptionTable<OutputDescentOptions> : PlainTable {
  using O = OutputDescentOptions;
  static constexpr std::string_view algorithm = "output-descent", method = "output-perturbation";
  static constexpr std::string_view summary = "the point of a fixed number of gradient steps plus noise";
  static constexpr auto fields =
      std::tuple(option("noise", &O::noise, kOutputNoiseHelp), option("passes", &O::passes, kPassesHelp, 1, 1e6),
                 option("step_size", &O::step_size, kOutputStepHelp, 1e-12, 1e12));
};

template <>
struct OptionTable<OutputSgdOptions> : PlainTable {
  using O = OutputSgdOptions;
  static constexpr std::string_view algorithm = "output-sgd", method = "output-perturbation";
  static constexpr std::string_view summary = "the point of fixed passes over batches of rows plus noise";
  static constexpr auto fields = std::tuple(
      option("noise", &O::noise, kOutputNoiseHelp), option("passes", &O::passes, kPassesHelp, 1, 1e6),
      option("step_size", &O::step_size, kOutputStepHelp, 1e-12, 1e12),
      option("batch", &O::batch, "permutation-sgd: rows per step", 1, static_cast<double>(engine::kMostBatchRows)));
};

template <>
struct OptionTable<SgdOptions> : PlainTable {
  using O = SgdOptions;
  static constexpr std::string_view algorithm = "sgd", method = "sgd";
  static constexpr std::string_view summary =
      "noisy steps on all rows or random samples, gradients clipped; also neural networks";
  static constexpr auto fields = std::tuple(
      option("batch", &O::batch, "expected rows per step", 1, 0x1p38),
      option("epochs", &O::epochs, "passes over the rows: steps = epochs * rows / batch", 1e-6, 1e6),
      option("steps", &O::steps, "number of noisy gradients T", 1, kMostSteps),
      option("clip", &O::clip, "largest norm of a row's gradient; longer ones are shortened to it",
             network::kSmallestClip, network::kLargestClip),
      option("optimiser", &O::optimiser, "plain (with a radius or box it has a utility bound), momentum or adam"),
      option("learning_rate", &O::learning_rate, "step size of the optimiser", 1e-12, 1e12),
      option("average_fraction", &O::average_fraction, kAveragedHelp, 0, 1),
      option("sampling", &O::sampling,
             "poisson: every row by its own coin; fixed-size: the same number every time, at a higher price"),
      option("neighbours", &O::neighbours, kNeighboursHelp),
      option("init_seed", &O::init_seed, "of the network's public starting weights", 0, 0x1p53));
};

template <>
struct OptionTable<ConstantOptions> : PlainTable {
  using O = ConstantOptions;
  static constexpr std::string_view algorithm = "constant", method = "constant";
  static constexpr std::string_view summary =
      "the best answer that looks at no feature: base rate, shares of the classes, mean or quantile";
  static constexpr auto fields =
      std::tuple(option("noise", &O::noise, "gaussian, or pure (Laplace) on counts and sums; auto: the smaller"));
};

template <>
struct OptionTable<NonPrivateOptions> : PlainTable {
  using O = NonPrivateOptions;
  static constexpr std::string_view algorithm = "non-private", method = "non-private";
  static constexpr std::string_view summary = "NO privacy: the exact minimiser, for the owner of the data alone";
  static constexpr auto fields = std::tuple(
      option("epochs", &O::epochs, "networks: passes over the rows; auto: 100", 1e-6, 1e6),
      option("batch", &O::batch, "networks: rows per step; auto: 64", 1, 0x1p38),
      option("learning_rate", &O::learning_rate, "networks: of Adam; auto: 0.002", 1e-12, 1e12),
      option("init_seed", &O::init_seed, "networks: of the starting weights and the order of the rows", 0, 0x1p53));
};

template <>
struct OptionTable<TunedOptions> {
  static constexpr std::size_t kNotText = 2;  // method and candidates
  using O = TunedOptions;
  static constexpr std::string_view algorithm = "tuned", method = "tuned";
  static constexpr std::string_view summary = "the best of a random number of private fits on a grid";
  static constexpr auto fields = std::tuple(
      option("repetitions", &O::repetitions, "expected number of runs, each on a candidate drawn at random", 2, 1000),
      option("distribution", &O::distribution, "of the number of runs; auto: poisson, pure: logarithmic"),
      option("holdout", &O::holdout, "share of the rows that scores the runs and trains none", 0.01, 0.5));
};

}  // namespace methods
}  // namespace dperm
