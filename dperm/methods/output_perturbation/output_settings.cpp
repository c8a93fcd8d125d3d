// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/output_perturbation/output_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/plan.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/random/choice/permutation.hpp"

namespace dperm::methods {

namespace {

// Share of the sensitivity that the solver's residual may add, where arithmetic allows so little.
constexpr double kResidualShare = 0.01;
// The lattice is this much finer than the sensitivity, so rounding to it costs nothing visible.
constexpr double kLatticeShare = 1e-6;
// The residual asked for lies this factor above what plain descent is proved to reach on any data.
constexpr double kAboveReachable = 4;
// The solver's fallback is planned for points of norm up to this many times the radius, more than it meets.
constexpr double kDescentRadius = 3;
// Passes over the data that a solver with a fixed number of steps takes by default; beyond, its bound gains little.
constexpr std::size_t kAutomaticPasses = 1000;
constexpr std::size_t kAutomaticBatchPasses = 50;

loss::LossConstants constants(const Task& task, double norm) {
  return loss::constants(task.problem.loss, norm, task.facts.classes);
}

// Largest norm of the weights that the task allows.
double set_radius(const Task& task) { return loss::norm_bound(task.problem.feasible_set, weight_count(task)); }

// Expected excess risk against any comparator of the given norm: half penalty times its square, half the smoothness
// times the noise, what the residual leaves, and what projecting back can cost where the gradient is not zero.
double certified_risk(const OutputSettings& s) {
  const double penalty = s.task.problem.l2_penalty;
  const bool boundary = s.task.problem.feasible_set.kind != loss::SetKind::unconstrained;
  const double gradient_at_optimum = boundary ? constants(s.task, s.radius).lipschitz + penalty * s.radius : 0;
  return penalty * s.comparator * s.comparator / 2 + s.bounds.smoothness / 2 * s.noise_square +
         s.bounds.residual * s.bounds.residual / (2 * penalty) +
         (gradient_at_optimum + s.bounds.residual) * std::sqrt(s.noise_square);
}

// The same for a point of a solver with a fixed number of steps. Without a feasible set noise has mean 0 to first
// order, and projecting onto a ball of twice the radius disturbs that little.
double stable_risk(const OutputSettings& s, const StableRule& rule, double noise_square, double lattice_step) {
  const double factor = penalty_factor(s.shape, rule);
  const bool boundary = s.task.problem.feasible_set.kind != loss::SetKind::unconstrained;
  const double first_order =
      boundary ? std::sqrt(noise_square)
               : noise_square / (4 * s.radius) + lattice_step * std::sqrt(static_cast<double>(weight_count(s.task)));
  return factor * s.shape.penalty * s.comparator * s.comparator / 2 + optimisation_error(s.shape, rule) +
         factor * (s.shape.smoothness / 2 * noise_square + s.shape.lipschitz * first_order);
}

// Noise of one unit of sensitivity: expected squared norm.
double unit_noise_square(const Task& task, bool pure) {
  const double dimension = static_cast<double>(weight_count(task));
  const double scale = pure ? privacy::k_norm_scale_for(1, task.budget.epsilon)
                            : privacy::sigma_for(1, task.budget.epsilon, task.budget.delta, 1);
  return (pure ? dimension * (dimension + 1) : dimension) * scale * scale;
}

// The penalty that minimises the bound when the sensitivity is 2G/(n penalty): a search over public facts.
double automatic_penalty(const Task& task, const loss::LossConstants& loss, double comparator, bool pure) {
  const double rows = static_cast<double>(task.facts.rows);
  const double unit = unit_noise_square(task, pure);
  const auto bound = [&](double penalty) {
    const double sensitivity = 2 * loss.lipschitz / (rows * penalty);
    return penalty * comparator * comparator / 2 + (loss.smoothness + penalty) / 2 * unit * sensitivity * sensitivity;
  };
  double best = 1e-9;
  for (double penalty = 1e-9; penalty < 1e6; penalty *= 1.05) {
    if (bound(penalty) < bound(best)) best = penalty;
  }
  return best;
}

OutputNoise resolved_noise(std::optional<OutputNoise> asked, const Budget& budget) {
  if (!asked) return budget.delta > 0 ? OutputNoise::gaussian : OutputNoise::pure;
  require(*asked == OutputNoise::pure || budget.delta > 0,
          "gaussian and textbook noise need `delta` above 0 (for example 1e-6); use `noise = pure` for a delta of 0");
  return *asked;
}

void check_loss(const Problem& problem, const loss::LossConstants& loss) {
  if (std::isinf(loss.smoothness)) {
    throw ArgumentError(fmt::format(
        "output-perturbation needs a loss with a continuous slope, so that the solver can certify its minimum; {} has "
        "a kink. Use {} instead, or `method = gradient-descent` with a delta above 0",
        loss::name(problem.loss.kind), loss::is_classification(problem.loss.kind) ? "smoothed-hinge" : "huber"));
  }
  if (std::isinf(loss.lipschitz)) {
    throw ArgumentError(fmt::format("the slope of the {} loss is unbounded without a feasible set; give `radius`",
                                    loss::name(problem.loss.kind)));
  }
}

// [proof methods_output_perturbation.sensitivity]
// Fills radius, tolerance, residual and sensitivity for a resolved penalty.
void derive_sensitivity(OutputSettings& s) {
  const Problem& problem = s.task.problem;
  const double penalty = problem.l2_penalty;
  const double rows = static_cast<double>(s.task.facts.rows);
  const double lipschitz = constants(s.task, set_radius(s.task)).lipschitz;
  // A point with computed residual at most G has norm at most 2 G / penalty; the minimiser has at most G / penalty.
  s.radius = std::min(set_radius(s.task), rounded_up(2 * lipschitz / penalty));
  const loss::LossConstants loss = constants(s.task, s.radius);
  s.gradient_difference = loss.gradient_difference;
  s.lattice = gradient_lattice(problem.loss, s.radius, s.task.facts, engine::Resolution::solver);
  // The engine's error, and the roundings of scaling the sums and adding the penalty's gradient.
  SolverBounds& bounds = s.bounds;
  bounds.smoothness = loss.smoothness + penalty;
  bounds.evaluation_error = rounded_up(s.lattice.mean_error + 0x1p-48 * (lipschitz + penalty * s.radius));
  bounds.projection_error = loss::projection_error(problem.feasible_set, weight_count(s.task));
  bounds.largest_weight = kDescentRadius * s.radius;
  bounds.largest_gradient = rounded_up(2 * lipschitz + penalty * bounds.largest_weight);
  bounds.residual = std::max(kResidualShare / 2 * s.gradient_difference / rows,
                             kAboveReachable * reachable_residual(problem, bounds));
  require(bounds.residual < lipschitz, "l2_penalty is too small for double arithmetic; take a larger one");
  require_executable(problem, bounds);
  s.sensitivity = rounded_up((s.gradient_difference / rows + 2 * bounds.residual) / penalty);
  s.release_radius = s.radius;
}
// [/proof]

// [proof methods_output_perturbation.stable]
// Where iterates are kept and what is known there, for batches of this many rows.
void derive_shape(OutputSettings& s, std::size_t batch) {
  const Problem& problem = s.task.problem;
  const PublicFacts& facts = s.task.facts;
  const double penalty = problem.l2_penalty;
  const bool free = problem.feasible_set.kind == loss::SetKind::unconstrained;
  const double everywhere = constants(s.task, set_radius(s.task)).lipschitz;
  // Without a set a penalty keeps iterates, like the minimiser, within G / penalty of 0; without a penalty either, the
  // ball of the comparator does.
  s.radius = !free ? set_radius(s.task) : (penalty > 0 ? rounded_up(2 * everywhere / penalty) : s.comparator);
  s.release_radius = free ? 2 * s.radius : s.radius;
  s.kept_in = free ? loss::FeasibleSet{loss::SetKind::ball, s.radius} : problem.feasible_set;
  const loss::LossConstants loss = constants(s.task, s.radius);
  s.gradient_difference = loss.gradient_difference;
  PublicFacts of_batch = facts;
  of_batch.rows = batch;
  s.lattice = gradient_lattice(problem.loss, s.radius, of_batch, engine::Resolution::solver);
  StableShape& shape = s.shape;
  shape = {.rows = facts.rows, .gradient_difference = loss.gradient_difference, .penalty = penalty, .radius = s.radius};
  shape.lipschitz = rounded_up(loss.lipschitz + penalty * s.radius);
  shape.smoothness = rounded_up(loss.smoothness + penalty);
  shape.start_distance = std::min(s.comparator, s.radius);
  shape.minimiser_norm = penalty > 0 ? std::min(s.radius, rounded_up(loss.lipschitz / penalty)) : s.radius;
  shape.interior = free && penalty > 0;
  // Truncated sums, the roundings of scaling them and adding the penalty's gradient, those of the step.
  shape.gradient_error = rounded_up(s.lattice.mean_error + (0x1p-48 + 0x1p-52) * shape.lipschitz);
  shape.position_error = rounded_up(0x1p-52 * s.radius + loss::projection_error(s.kept_in, weight_count(s.task)));
}
// [/proof]

// [proof methods_output_perturbation.noise]
void calibrate(OutputSettings& s, OutputNoise noise) {
  const Budget& budget = s.task.budget;
  const double dimension = static_cast<double>(weight_count(s.task));
  s.lattice_step = std::exp2(std::floor(std::log2(kLatticeShare * s.sensitivity / std::sqrt(dimension))));
  // Rounding each coordinate to the lattice moves two neighbours' vectors apart by at most sqrt(d) steps.
  const double sensitivity = rounded_up(s.sensitivity / s.lattice_step + std::sqrt(dimension));
  require(s.radius / s.lattice_step < 0x1p62, "rows, weights or l2_penalty are too large for the 64-bit lattice");
  const double step_square = s.lattice_step * s.lattice_step;
  if (noise == OutputNoise::pure) {
    const double scale = privacy::k_norm_scale_for(sensitivity, budget.epsilon);
    s.mechanism = privacy::KNormEvent{sensitivity, scale};
    s.noise_square = (dimension * (dimension + 1) * scale * scale + dimension) * step_square;
  } else {
    const double sigma = noise == OutputNoise::textbook
                             ? privacy::textbook_sigma(sensitivity, budget.epsilon, budget.delta)
                             : privacy::sigma_for(sensitivity, budget.epsilon, budget.delta, 1);
    s.mechanism = privacy::GaussianEvent{sensitivity, sigma};
    s.noise_square = (dimension * sigma * sigma + dimension) * step_square;
  }
}
// [/proof]

// What the options of the two solvers with a fixed number of steps say.
struct StepOptions {
  OutputNoise noise;
  bool descent;  // all rows in a step
  std::size_t batch;
  std::optional<std::size_t> passes;
  std::optional<double> step_size;
};

// A fixed number of steps, chosen by the bound where the options leave it open.
OutputSettings stable_settings(OutputSettings s, const StepOptions& options) {
  const bool descent = options.descent;
  const std::size_t batch = options.batch;
  require(batch <= s.task.facts.rows, "`batch` must be at most the number of rows");
  derive_shape(s, batch);
  StableRule rule{.batch = batch, .passes = options.passes.value_or(0), .step_size = options.step_size.value_or(0)};
  // With a penalty, steps of 1/(penalty t) have a sensitivity that does not grow with the passes: measured risks are
  // far below those of the mean of constant steps, whatever the bounds of the two say.
  rule.decreasing = !descent && s.shape.interior;
  rule.averaged = !rule.decreasing;
  const double unit = unit_noise_square(s.task, options.noise == OutputNoise::pure);
  const auto risk = [&](const StableRule& candidate) {
    const double sensitivity = iterate_sensitivity(s.shape, candidate);
    return stable_risk(s, candidate, unit * sensitivity * sensitivity, 0);
  };
  const std::size_t most = descent ? kAutomaticPasses : kAutomaticBatchPasses;
  s.rule = best_rule(s.shape, rule, most, risk);
  if (descent) {
    rule.averaged = false;
    const StableRule last = best_rule(s.shape, rule, most, risk);
    if (risk(last) < risk(s.rule)) s.rule = last;
  }
  require(options.passes || std::isfinite(optimisation_error(s.shape, s.rule)),
          "no bound is proved for so large a `step_size` (at most 1/smoothness); give `passes` too");
  s.sensitivity = iterate_sensitivity(s.shape, s.rule);
  calibrate(s, options.noise);
  s.excess_risk = stable_risk(s, s.rule, s.noise_square, s.lattice_step);
  return s;
}

OutputSettings certified_settings(OutputSettings s, OutputNoise noise) {
  if (s.task.problem.l2_penalty == 0) {
    s.task.problem.l2_penalty =
        automatic_penalty(s.task, constants(s.task, set_radius(s.task)), s.comparator, noise == OutputNoise::pure);
  }
  derive_sensitivity(s);
  calibrate(s, noise);
  s.excess_risk = certified_risk(s);
  return s;
}

// What all solvers check and start from.
OutputSettings common_settings(const Task& asked) {
  validate_linear_or_softmax(asked, "output-perturbation");
  OutputSettings s{};
  s.task = asked;
  check_loss(asked.problem, constants(asked, set_radius(asked)));
  s.comparator = std::min(set_radius(asked), default_radius(asked.problem, asked.facts));
  return s;
}

}  // namespace

OutputSettings output_settings(const Task& asked, const OutputCertifiedOptions& options) {
  OutputSettings s = common_settings(asked);
  s.certified = true;
  return certified_settings(s, resolved_noise(options.noise, asked.budget));
}

OutputSettings output_settings(const Task& asked, const OutputDescentOptions& options) {
  return stable_settings(common_settings(asked), {resolved_noise(options.noise, asked.budget), true, asked.facts.rows,
                                                  options.passes, options.step_size});
}

OutputSettings output_settings(const Task& asked, const OutputSgdOptions& options) {
  require(model_form(asked.problem) == ModelForm::linear,
          "permutation-sgd sums batches for losses of one score; with softmax take `solver = certified` or "
          "`solver = gradient-descent`, or `method = sgd`");
  require(asked.facts.rows <= random::kMostPermuted,
          "permutation-sgd keeps a random order of all rows in memory and takes at most 4294967296 of them; use "
          "`method = sgd`");
  return stable_settings(common_settings(asked), {resolved_noise(options.noise, asked.budget), false,
                                                  options.batch ? *options.batch : automatic_batch(asked.facts.rows),
                                                  options.passes, options.step_size});
}

}  // namespace dperm::methods
