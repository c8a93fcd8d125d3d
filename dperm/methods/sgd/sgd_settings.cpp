// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/sgd_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/engine/network/clipped_query.hpp"
#include "dperm/engine/network/output_loss.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/sgd/linear_pace.hpp"
#include "dperm/methods/sgd/sgd_risk.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/sampling.hpp"
#include "dperm/privacy/events/group.hpp"
#include "dperm/random/bits.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "noisy gradient of a sample";
// Measured on MNIST at epsilon 0.3 to 8: half and twice as many steps are no better, for softmax regression and for a
// network of 256 hidden units; from a multiplier of about 2.5 on, larger batches gain nothing. Adam's best learning
// rate hardly depends on epsilon; it falls with the number of weights, each of which wanders with its noise (100 to
// 200000 weights on MNIST, Covertype and Adult).
constexpr double kAutomaticSteps = 600;
constexpr double kGoodMultiplier = 2.5;
constexpr double kAdamRate = 0.12;  // over the fourth root of the number of weights
// With a real target scores suffer from all noise: a quarter of the rate where there is little signal (kin8nm, power,
// concrete and california), all of it from here on.
constexpr double kLeastRealRate = 0.25, kFullRateSignal = 3000;
constexpr double kMomentumRate = 0.3, kPlainRate = 3;  // times 1 / clip
// Automatic batches are so large that samples add at most this share to the variance of the noise.
constexpr double kSamplingShare = 0.25;

void check_task(const Task& task) {
  validate(task);
  if (model_form(task.problem) == ModelForm::rule) {
    throw ArgumentError("sgd fits linear models and networks, not rules");
  }
  if (task.budget.delta <= 0) {
    throw ArgumentError("sgd adds Gaussian noise and needs delta > 0 (for example 1e-6)");
  }
  network::validate_output(task.problem.loss, network_shape(task).outputs);
}

bool has_one_linear_score(const Task& task) { return model_form(task.problem) == ModelForm::linear; }

UpdateRule rule_of(const Task& task, const SgdOptions& options) {
  return options.optimiser.value_or(has_one_linear_score(task) ? UpdateRule::momentum : UpdateRule::adam);
}

// What the utility theorem says of the run to be planned, or why it says nothing.
struct Theorem {
  std::optional<FollowedRisk> risk;
  std::string gap;
};

// What to ask for instead; empty where the theorem applies if no gradient is shortened.
std::string theorem_gap(const Task& task, UpdateRule rule) {
  if (!task.problem.hidden.empty())
    return "the theorem of sgd is for convex risks, not for networks with hidden layers [sgd.md]";
  std::string needs = rule == UpdateRule::plain ? "" : "`optimiser = plain`";
  if (!is_covered(task)) needs += fmt::format("{}`radius` or `box`", needs.empty() ? "" : " and ");
  return needs.empty() ? "" : fmt::format("the theorem of sgd needs {} [sgd.md]", needs);
}

// The clip as given; by default as small as the theorem allows, where it covers the task.
Theorem choose_clip(SgdSettings& s, const SgdOptions& options) {
  s.clip = options.clip.value_or(s.shape.hidden.empty() ? linear_clip(s.task, options.neighbours) : 1);
  const std::string gap = theorem_gap(s.task, rule_of(s.task, options));
  if (!gap.empty()) return {std::nullopt, gap};
  const double least = network::least_clip(linear_rows(s.task));
  s.clip = options.clip.value_or(least);
  if (s.clip >= least) return {followed_risk(s.task, s.clip), ""};
  return {
      std::nullopt,
      fmt::format("the theorem of sgd needs `clip = auto` or at least {:.10g}, where no gradient is shortened [sgd.md]",
                  least)};
}

// Expected rows per step, and steps.
struct Pace {
  double batch;
  double steps;
};

// Samples of b rows need a noise multiplier of about b sqrt(steps) times this.
double multiplier_of_one(const Task& task, privacy::Neighbours neighbours) {
  const double change = neighbours == privacy::Neighbours::replace_one ? 2 : 1;
  const double group = static_cast<double>(group_of(task.facts));
  return group * change * privacy::sigma_for(1, task.budget.epsilon, task.budget.delta) /
         static_cast<double>(task.facts.rows);
}

// The smallest batch at which noise that falls on every weight is the larger part of the error (more rows would then be
// paid for by as much more noise), and large enough for samples to be accounted for as well as they can be.
double automatic_batch(const Task& task, const SgdOptions& options, double steps) {
  const double rows = static_cast<double>(task.facts.rows);
  const privacy::Neighbours neighbours = options.neighbours;
  if (has_one_linear_score(task)) {  // passes are fast, and other samples and steps only lose by them
    const bool paced = rule_of(task, options) == UpdateRule::momentum && options.sampling == privacy::Sampling::poisson;
    return paced ? linear_batch(task, neighbours, steps) : rows;
  }
  const double multiplier_a_row = std::sqrt(steps) * multiplier_of_one(task, neighbours);
  const double weights = static_cast<double>(weight_count(task));
  const double for_amplification = kGoodMultiplier / multiplier_a_row;
  const double for_sampling_error = 1 / (kSamplingShare * multiplier_a_row * multiplier_a_row * weights);
  return std::clamp(std::ceil(std::max(for_amplification, for_sampling_error)), 1.0, rows);
}

// As many steps as bring the theorem's bound close to its limit, or those that were good on MNIST.
double automatic_steps_for(const SgdSettings& s, const Theorem& theorem, UpdateRule rule,
                           privacy::Neighbours neighbours) {
  const double whole_noise = multiplier_of_one(s.task, neighbours) * s.clip;
  if (!theorem.risk && has_one_linear_score(s.task) && rule == UpdateRule::momentum) {
    return static_cast<double>(linear_steps(s.task, neighbours, whole_noise));
  }
  if (!theorem.risk) return kAutomaticSteps;
  const double noise = whole_noise / s.weight_unit;
  const double variance = (1 + kSamplingShare) * static_cast<double>(weight_count(s.task)) * noise * noise;
  return static_cast<double>(automatic_steps(theorem.risk->shape, StepSchedule::constant, variance));
}

Pace pace_for(const Task& task, const SgdOptions& options, double automatic_steps) {
  require(!options.steps || !options.epochs, "give `steps` or `epochs`, not both: steps = epochs * rows / batch");
  const double rows = static_cast<double>(task.facts.rows);
  Pace pace{0, options.steps ? static_cast<double>(*options.steps) : automatic_steps};
  pace.batch = options.batch ? static_cast<double>(*options.batch) : automatic_batch(task, options, pace.steps);
  require(pace.batch <= rows, fmt::format("batch must be at most the number of rows, {}; got {}", rows, pace.batch));
  if (options.epochs) pace.steps = std::ceil(*options.epochs * rows / pace.batch);
  require(pace.steps <= kMostSteps,
          fmt::format("epochs * rows / batch must be at most {:g} steps; got {:g}", kMostSteps, pace.steps));
  return pace;
}

double adam_rate(const SgdSettings& s, privacy::Neighbours neighbours) {
  const double rate = kAdamRate / std::sqrt(std::sqrt(static_cast<double>(network::weight_count(s.shape))));
  if (s.shape.hidden.empty() || loss::is_classification(s.task.problem.loss.kind)) return rate;
  const double share = std::clamp(std::sqrt(table_signal(s.task, neighbours) / kFullRateSignal), kLeastRealRate, 1.0);
  // Noise grows with the root of the steps: fewer of them may be longer.
  return rate * std::min(1.0, share * std::sqrt(std::max(1.0, kAutomaticSteps / static_cast<double>(s.steps))));
}

double automatic_rate(UpdateRule rule, const SgdSettings& s, privacy::Neighbours neighbours) {
  if (rule == UpdateRule::adam) return adam_rate(s, neighbours);
  return (rule == UpdateRule::momentum ? kMomentumRate : kPlainRate) / s.clip;
}

void choose_rate(OptimiserSettings& optimiser, const SgdOptions& options, const SgdSettings& s) {
  optimiser.rule = rule_of(s.task, options);
  optimiser.learning_rate = automatic_rate(optimiser.rule, s, options.neighbours);
  if (optimiser.rule == UpdateRule::momentum && has_one_linear_score(s.task)) {
    const double noise = std::get<privacy::SampledGaussianEvent>(s.event.mechanism).sigma * s.mean_scale;
    const LinearRate chosen = linear_rate(s.task, options.neighbours, static_cast<double>(s.steps), noise);
    optimiser.momentum = chosen.momentum;
    optimiser.learning_rate = chosen.learning_rate;
  }
  if (options.learning_rate) optimiser.learning_rate = *options.learning_rate;
}

OptimiserSettings optimiser_for(const Task& task, const SgdOptions& options, const SgdSettings& s,
                                const Theorem& theorem) {
  OptimiserSettings result;
  choose_rate(result, options, s);
  result.penalty = task.problem.l2_penalty * s.weight_unit * s.weight_unit;
  result.feasible_set = task.problem.feasible_set;
  result.feasible_set.radius /= s.weight_unit;
  result.steps = s.steps;
  result.rising_average =
      !theorem.risk && !options.average_fraction && result.rule == UpdateRule::momentum && has_one_linear_score(task);
  const double share = options.average_fraction.value_or(theorem.risk || result.rising_average ? 1 : 0.1);
  const double averaged = share * static_cast<double>(s.steps);
  result.averaged = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(averaged)));
  result.average_before = theorem.risk && theorem.risk->shape.has_kink();
  return result;
}

// The learning rate that minimises the theorem's bound, unless given, and the bound.
void apply_theorem(SgdSettings& s, const Theorem& theorem, bool choose_rate) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!theorem.risk) {
    s.utility = {kInfinity, theorem.gap};
    return;
  }
  const auto& mechanism = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
  const double variance = step_variance(*theorem.risk, s.task, mechanism, s.clip, s.expected_batch);
  const double unit = s.weight_unit * s.weight_unit;
  double& rate = s.optimiser.learning_rate;
  if (choose_rate) rate = best_step_size(theorem.risk->shape, static_cast<double>(s.steps), variance) / unit;
  DescentRule rule{StepSchedule::constant, s.steps, rate * unit, s.optimiser.averaged};
  s.utility = {sgd_risk(*theorem.risk, rule, variance),
               "excess risk of the averaged iterate against every point of the feasible set [sgd.md]"};
  // Further from its mean than 64 standard deviations no coordinate will be.
  const double farthest = s.clip * static_cast<double>(s.task.facts.rows) / s.expected_batch +
                          64 * mechanism.sigma * s.mean_scale + s.optimiser.penalty * network::kLargestScore;
  if (std::isfinite(s.utility.excess_risk) && network::kLargestScore + rate * farthest <= kLargestWeight) return;
  // A loss with a kink sets no limit of its own.
  const double steepest = theorem.risk->shape.has_kink() ? kInfinity : 1 / (theorem.risk->shape.smoothness * unit);
  const double held = (kLargestWeight - network::kLargestScore) / farthest;
  s.utility = {kInfinity, fmt::format("the theorem of sgd needs `learning_rate` below {:.4g} [sgd.md]",
                                      std::fmin(steepest, held))};
}

}  // namespace

// [proof methods_sgd.settings]
SgdSettings sgd_settings(const Task& task, const SgdOptions& options) {
  check_task(task);
  SgdSettings s{};
  s.task = task;
  s.shape = network_shape(task);
  s.weight_unit = s.shape.hidden.empty() ? std::sqrt(static_cast<double>(task.facts.columns)) : 1;
  const Theorem theorem = choose_clip(s, options);
  const privacy::Neighbours neighbours = options.neighbours;
  const Pace pace = pace_for(task, options, automatic_steps_for(s, theorem, rule_of(task, options), neighbours));
  s.steps = static_cast<std::size_t>(pace.steps);
  const double rate = privacy::rate_of_size(static_cast<std::size_t>(pace.batch), task.facts.rows);
  privacy::SampledGaussianEvent mechanism{network::kPresenceSensitivity, network::kPresenceSensitivity, rate,
                                          options.sampling};
  s.event = {kWhat, mechanism, neighbours, static_cast<std::int64_t>(s.steps)};
  privacy::validate(s.event);
  privacy::PrivacyEvent whole = s.event;  // of all rows that neighbours differ in
  whole.mechanism = privacy::for_group(mechanism, group_of(task.facts));
  mechanism.sigma = privacy::sampled_sigma_for(whole, task.budget.epsilon, task.budget.delta);
  s.event.mechanism = mechanism;

  s.expected_batch = pace.batch;
  s.mean_scale = network::step_size(s.clip) / s.expected_batch;
  s.optimiser = optimiser_for(task, options, s, theorem);
  apply_theorem(s, theorem, !options.learning_rate);
  if (!theorem.risk && !options.clip && s.shape.hidden.empty()) s.score_factor = score_factor(task, neighbours, s.clip);
  s.init_seed = options.init_seed;
  return s;
}
// [/proof]

std::vector<double> initial_weights(const network::Shape& shape, std::size_t columns, std::uint64_t seed) {
  std::vector<double> weights(network::weight_count(shape), 0.0);
  if (shape.hidden.empty()) return weights;
  random::SeededBits bits(seed);
  bool first = true;
  for (const network::Layer& layer : network::layers(shape)) {
    // A row has one feature that is not 0 per column, however many categories those have.
    const double inputs = static_cast<double>(first ? columns : layer.inputs);
    const double fan =
        shape.activation == network::Activation::relu ? inputs : (inputs + static_cast<double>(layer.outputs)) / 2;
    const double width = std::sqrt((shape.activation == network::Activation::relu ? 6 : 3) / fan);
    for (std::size_t j = layer.outputs; j < layer.inputs * layer.outputs; ++j) {
      const double uniform = static_cast<double>(bits.next() >> 11) * 0x1p-52 - 1;
      weights[layer.first_weight + j] = width * uniform;
    }
    first = false;
  }
  return weights;
}

std::vector<double> model_weights(const SgdSettings& s, std::span<const double> network_weights) {
  if (!s.shape.hidden.empty()) return {network_weights.begin(), network_weights.end()};
  std::vector<double> result(network_weights.size());
  for (std::size_t k = 0; k < s.shape.outputs; ++k) {
    for (std::size_t i = 0; i < s.shape.inputs; ++i) {
      result[k * s.shape.inputs + i] = s.score_factor * s.weight_unit * network_weights[i * s.shape.outputs + k];
    }
  }
  // The change of units rounds; the feasible set is stated in the model's own.
  loss::project(s.task.problem.feasible_set, result);
  return result;
}

}  // namespace dperm::methods
