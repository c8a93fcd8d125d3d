// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/objective_perturbation/objective_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/plan.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/objective/objective_classical.hpp"
#include "dperm/random/noise/k_norm.hpp"

namespace dperm::methods {

namespace {

using Settings = ObjectiveSettings;

// Share of epsilon for hiding the residual: at most this, and as little as the solver's floor allows.
constexpr double kLargestShare = 0.01;
constexpr double kSmallestShare = 1e-4;
// The residual asked for lies this factor above what plain descent is proved to reach on any data.
constexpr double kAboveReachable = 1.5;
// A Gaussian b leaves the ball of radius sigma (sqrt(d) + t) with probability at most exp(-t^2/2); t^2/2 = 1000 + this,
// so that the charge to delta, which grows with the epsilon of all releases accounted together, holds for every epsilon
// allowed.
constexpr double kTailExponent = 80;
// (1 + e^epsilon) exp(-(1000 + 80)) <= 2 e^-80 for epsilon <= 1000, rounded up: what that tail costs of delta. It must
// stay invisible.
constexpr double kTailDelta = 3.8e-35;
constexpr double kLeastDelta = 1e-30;
// The random term lives on a lattice this much finer than its noise, the weights on one this much finer than their
// sensitivity. The pure term's lattice is coarser: its 64 bits must reach where no term ever is.
constexpr double kTermSteps = 0x1p40;
constexpr double kPureTermSteps = 0x1p30;
constexpr double kLatticeShare = 1e-3;
// For monotone losses: this many times the least penalty makes the determinant's cost invisible. Measured on five
// public tables at epsilon 0.1 and 1: three times gains up to 0.002 of accuracy on two and loses as much on a third,
// five times the other way round.
constexpr double kAboveLeast = 4;

double rows(const Settings& s) { return static_cast<double>(s.task.facts.rows); }
double dimension(const Settings& s) { return static_cast<double>(weight_count(s.task)); }
loss::LossConstants constants(const Settings& s, double norm) {
  return loss::constants(s.task.problem.loss, norm, s.task.facts.classes);
}
bool pure(const Settings& s) { return s.noise == TermNoise::pure; }

privacy::RecordBounds record_bounds(const privacy::PerturbedObjective& objective) {
  const bool monotone = objective.sign == privacy::GradientSign::monotone;
  return {objective.gradient, rounded_up(monotone ? objective.curvature / 4 : objective.curvature)};
}

void check_task(const Task& task, TermNoise noise, ObjectiveCalibration calibration) {
  validate_linear_or_softmax(task, "objective-perturbation");
  require(calibration == ObjectiveCalibration::tight || model_form(task.problem) == ModelForm::linear,
          "calibrations cms11, kst12 and amp are stated for models with one score; with softmax take tight");
  const double delta = task.budget.delta;
  if (noise == TermNoise::gaussian && delta < kLeastDelta) {
    throw ArgumentError(
        fmt::format("Gaussian noise in objective-perturbation charges part of delta for rare random terms and needs a "
                    "delta of at least {}; got {}. Take noise = pure for pure epsilon",
                    kLeastDelta, delta));
  }
  const bool pure_only = calibration == ObjectiveCalibration::cms11;
  const bool gaussian_only = calibration == ObjectiveCalibration::kst12 || calibration == ObjectiveCalibration::amp;
  require(!(noise == TermNoise::gaussian && pure_only), "calibration cms11 is for pure epsilon: take noise = pure");
  require(!(noise == TermNoise::pure && gaussian_only),
          "calibrations kst12 and amp are for Gaussian noise: take noise = gaussian and a delta above 0");
  if (noise == TermNoise::pure) {
    require(weight_count(task) <= random::kMaximumKNormDimension,
            "noise of pure epsilon is limited to 131072 weights; take a delta above 0 or fewer categories");
  }
  if (task.problem.feasible_set.kind != loss::SetKind::unconstrained) {
    throw ArgumentError(
        "objective-perturbation cannot keep to a feasible set: its proof needs a free minimum. Use "
        "`l2_penalty` to keep weights small, or `method = gradient-descent`");
  }
}

// [proof methods_objective_perturbation.term]
// Epsilon and delta of the random term: less what the output step takes, and the tail of a Gaussian term.
Budget term_budget(const Settings& s) {
  const Budget& budget = s.task.budget;
  return {rounded_down((1 - s.output_share) * budget.epsilon),
          rounded_down(privacy::kObjectiveDeltaShare * budget.delta / (1 + 0x1p-30) - kTailDelta)};
}

// Never less than the proved profile asks for, whatever the calibration.
double gaussian_sigma(const Settings& s, const privacy::PerturbedObjective& objective) {
  const Budget budget = term_budget(s);
  const double proved = privacy::sigma_for_objective(objective, budget.epsilon, budget.delta);
  const privacy::RecordBounds record = record_bounds(objective);
  switch (s.calibration) {
    case ObjectiveCalibration::kst12:
      return std::max(proved, privacy::kst12_sigma(record, objective.penalty, budget.epsilon, budget.delta));
    case ObjectiveCalibration::amp:
      return std::max(proved, privacy::amp_sigma(record, objective.penalty, budget.epsilon, budget.delta));
    default:
      return proved;
  }
}

double pure_scale(const Settings& s, const privacy::PerturbedObjective& objective) {
  const double epsilon = term_budget(s).epsilon;
  const double proved = privacy::scale_for_pure_objective(
      {objective.sign, objective.gradient, objective.curvature, objective.penalty, 1, objective.classes}, epsilon);
  if (s.calibration != ObjectiveCalibration::cms11) return proved;
  return std::max(proved, privacy::cms11_scale(record_bounds(objective), objective.penalty, epsilon));
}

void derive_term(Settings& s) {
  privacy::PerturbedObjective objective = perturbed_objective(s.task);
  // Rounded down: a smaller penalty is the weaker assumption.
  objective.penalty = rounded_down(s.task.problem.l2_penalty * rows(s));
  if (pure(s)) {
    const double scale = pure_scale(s, objective);
    s.term = privacy::PureObjectiveEvent{
        {objective.sign, objective.gradient, objective.curvature, objective.penalty, scale, objective.classes}};
    s.term_step = std::exp2(std::ceil(std::log2(scale / kPureTermSteps)));
    s.noise_square = dimension(s) * (dimension(s) + 1) * scale * scale;
  } else {
    objective.sigma = gaussian_sigma(s, objective);
    s.term = privacy::ObjectivePerturbationEvent{objective, kTailDelta};
    s.term_step = std::exp2(std::ceil(std::log2(objective.sigma / kTermSteps)));
    s.noise_square = dimension(s) * objective.sigma * objective.sigma;
  }
}
// [/proof]

// [proof methods_objective_perturbation.sensitivity]
// Bounds that hold for all data and every random term of norm at most `term` in the mean objective.
SolverLevel solver_level(const Settings& s, double term) {
  const Problem& problem = s.task.problem;
  const double penalty = problem.l2_penalty;
  const auto lattice_at = [&](double norm) {
    return gradient_lattice(problem.loss, norm, s.task.facts, engine::Resolution::solver);
  };
  // J(w) <= J(0): penalty/2 r^2 - term r <= largest loss at zero. Four times that covers the computed point and every
  // point the solver's fallback can meet.
  const double value_at_zero = constants(s, 0).largest_value;
  const double radius = rounded_up(4 * (term + std::sqrt(term * term + 2 * penalty * value_at_zero)) / penalty);
  const loss::LossConstants loss = constants(s, radius);
  SolverLevel level{term, lattice_at(radius), {}};
  SolverBounds& bounds = level.bounds;
  bounds.smoothness = loss.smoothness + penalty;
  bounds.largest_weight = radius;
  bounds.largest_gradient = rounded_up(2 * loss.lipschitz + penalty * radius + term);
  bounds.evaluation_error = rounded_up(level.lattice.mean_error + 0x1p-48 * bounds.largest_gradient);
  bounds.residual = kAboveReachable * reachable_residual(problem, bounds);
  // A point with computed residual at most `residual` has norm at most `far`; were it outside `radius`, its true
  // residual would still bring it within radius/2 of the minimiser, whose norm is at most radius/4.
  const double far = rounded_up((2 * loss.lipschitz + bounds.residual + term) / penalty);
  const double far_error = lattice_at(far).mean_error + 0x1p-48 * (loss.lipschitz + penalty * far + term);
  require(bounds.residual + far_error <= penalty * radius / 2,
          "l2_penalty is too small for double arithmetic; take a larger one");
  require_executable(problem, bounds);
  return level;
}

void derive_gaussian_level(Settings& s) {
  const double sigma = std::get<privacy::ObjectivePerturbationEvent>(s.term).objective.sigma;
  const double tail = std::sqrt(2 * (privacy::kMaximumEpsilon + kTailExponent));
  const double root = std::sqrt(dimension(s));
  s.levels = {solver_level(s, (sigma * (root + tail) + s.term_step * root) / rows(s))};
  const double term_rounding = s.term_step * root / (2 * rows(s));
  s.sensitivity = rounded_up(2 * (s.levels[0].bounds.residual + term_rounding) / s.task.problem.l2_penalty);
}

// A level for every term that 64 bits can hold, each twice the one before. Far out the minimiser is about minus the
// term over the penalty, and moving it into the kept ball shrinks the error in proportion.
void derive_pure_levels(Settings& s) {
  const privacy::PureObjective& objective = std::get<privacy::PureObjectiveEvent>(s.term).objective;
  const double penalty = s.task.problem.l2_penalty;
  const double root = std::sqrt(dimension(s));
  const double term_rounding = s.term_step * root / (2 * rows(s));
  const double largest = 0x1.1p63 * s.term_step * root / rows(s);
  const double gradient = rounded_up(objective.gradient);
  s.levels.clear();
  double error = 0;
  double term = std::max(4 * gradient, objective.scale * (4 * dimension(s) + 200) / rows(s)) + 2 * term_rounding;
  for (bool last = false; !last; term *= 2) {
    last = term >= largest;
    s.levels.push_back(solver_level(s, term));
    const double distance = rounded_up((s.levels.back().bounds.residual + term_rounding) / penalty);
    if (s.levels.size() == 1) {
      s.kept_radius = s.levels[0].bounds.largest_weight / 4;
      error = distance;
      continue;
    }
    const double least = rounded_down((term / 2 * (1 - 0x1p-28) - 2 * term_rounding - gradient) / penalty) - distance;
    error = std::max(error, least > s.kept_radius ? rounded_up(distance * s.kept_radius / least) : distance);
  }
  const double projection = loss::projection_error({loss::SetKind::ball, s.kept_radius}, weight_count(s.task));
  s.sensitivity = rounded_up(2 * (error + projection));
}

void derive_output(Settings& s) {
  const Budget& budget = s.task.budget;
  s.lattice_step = std::exp2(std::floor(std::log2(kLatticeShare * s.sensitivity / std::sqrt(dimension(s)))));
  const double largest = pure(s) ? s.kept_radius : s.levels[0].bounds.largest_weight;
  require(largest / s.lattice_step < 0x1p62, "rows, weights or l2_penalty are too large for the 64-bit lattice");
  const double sensitivity = rounded_up(s.sensitivity / s.lattice_step + std::sqrt(dimension(s)));
  const double epsilon = rounded_down(s.output_share * budget.epsilon);
  if (pure(s)) {
    const double scale = privacy::k_norm_scale_for(sensitivity, epsilon);
    s.output = privacy::KNormEvent{sensitivity, scale};
    s.output_square = dimension(s) * (dimension(s) + 1) * scale * scale * s.lattice_step * s.lattice_step;
    return;
  }
  const double delta = rounded_down(privacy::kOtherDeltaShare * budget.delta);
  double sigma = rounded_up(sensitivity / privacy::mu_for(epsilon, delta));
  if (s.calibration == ObjectiveCalibration::amp) {
    sigma = std::max(sigma, privacy::amp_output_sigma(sensitivity, epsilon, delta));
  }
  s.output = privacy::GaussianEvent{sensitivity, sigma};
  s.output_square = dimension(s) * sigma * sigma * s.lattice_step * s.lattice_step;
}
// [/proof]

// The first two terms of the utility bound, which the random term is responsible for.
double leading_risk(const Settings& s) {
  const double penalty = s.task.problem.l2_penalty;
  return penalty * s.comparator * s.comparator / 2 + s.noise_square / (2 * rows(s) * rows(s) * penalty);
}

double output_risk(const Settings& s) { return s.levels[0].bounds.smoothness / 2 * s.output_square; }

void derive_all(Settings& s) {
  derive_term(s);
  pure(s) ? derive_pure_levels(s) : derive_gaussian_level(s);
  derive_output(s);
  const double lipschitz = constants(s, s.levels[0].bounds.largest_weight).lipschitz;
  s.excess_risk = leading_risk(s) * (1 + 0x1p-20) + output_risk(s) + lipschitz * s.sensitivity;
}

Settings with_penalty(Settings s, double penalty) {
  s.task.problem.l2_penalty = penalty;
  s.output_share = kLargestShare;
  derive_all(s);
  if (s.calibration == ObjectiveCalibration::amp) return s;  // its theorem fixes the division
  // A smaller share x costs the random term about x of its risk and the output (largest share / x)^2 of what it costs
  // now; the sum is least where its derivative vanishes.
  const double balance = std::cbrt(2 * output_risk(s) * kLargestShare * kLargestShare / leading_risk(s));
  s.output_share = std::clamp(balance, kSmallestShare, kLargestShare);
  if (s.output_share < kLargestShare) derive_all(s);
  return s;
}

// The least penalty of the summed objective at which the calibration says something.
double least_penalty(const Settings& s, const privacy::PerturbedObjective& objective) {
  const double epsilon = s.task.budget.epsilon;
  const privacy::RecordBounds record = record_bounds(objective);
  switch (s.calibration) {
    case ObjectiveCalibration::cms11:
      return privacy::cms11_least_penalty(record, epsilon);
    case ObjectiveCalibration::kst12:
      return std::max(objective.curvature / epsilon, privacy::kst12_least_penalty(record, epsilon));
    case ObjectiveCalibration::amp:
      return std::max(objective.curvature / epsilon, privacy::amp_least_penalty(record, epsilon));
    case ObjectiveCalibration::tight:
      break;
  }
  if (!pure(s)) return objective.curvature / epsilon;
  return privacy::least_pure_penalty({objective.sign, objective.gradient, objective.curvature, 0, 0, objective.classes},
                                     epsilon);
}

// Penalty of the summed objective that minimises LAM R^2/(2n) + E||b||^2/(2 n LAM): a search over public facts.
double automatic_penalty(Settings s) {
  const privacy::PerturbedObjective objective = perturbed_objective(s.task);
  const Budget& budget = s.task.budget;
  const double least = least_penalty(s, objective);
  s.output_share = kLargestShare;
  const bool vanishing = objective.sign != privacy::GradientSign::two_sided;  // curvature where the slope is extreme
  if (!pure(s) && s.calibration == ObjectiveCalibration::tight && vanishing) {
    const double sigma = 2 * objective.gradient / privacy::mu_for(budget.epsilon, budget.delta);
    return std::max(sigma * std::sqrt(dimension(s)) / s.comparator, kAboveLeast * least);
  }
  const double ideal = 2 * objective.gradient / budget.epsilon * dimension(s) / s.comparator;
  double best = 0, best_risk = std::numeric_limits<double>::infinity();
  for (double penalty = 2 * least; penalty < 1e3 * std::max(least, ideal); penalty *= 1.5) {
    s.task.problem.l2_penalty = penalty / rows(s);
    derive_term(s);
    if (leading_risk(s) < best_risk) {
      best = penalty;
      best_risk = leading_risk(s);
    }
  }
  return best;
}

}  // namespace

privacy::PerturbedObjective perturbed_objective(const Task& task) {
  const loss::Loss& loss = task.problem.loss;
  switch (loss.kind) {
    case loss::LossKind::logistic:
      return {privacy::GradientSign::monotone, 1, 1, 0, 0};
    case loss::LossKind::smoothed_hinge:
      return {privacy::GradientSign::monotone, 1, rounded_up(1 / loss.smoothing), 0, 0};
    case loss::LossKind::huber:
      return {privacy::GradientSign::two_sided, loss.threshold, 1, 0, 0};
    case loss::LossKind::softmax:
      return {privacy::GradientSign::multinomial, privacy::kMultinomialGradient, 1, 0, 0, task.facts.classes};
    default:
      break;
  }
  throw ArgumentError(fmt::format(
      "objective-perturbation is proved for logistic, smoothed-hinge, huber and softmax; {} has {}: use one of "
      "these or gradient-descent",
      loss::name(loss.kind), std::isinf(loss::constants(loss, 1).smoothness) ? "a kink" : "an unbounded slope"));
}

double classical_noise(const Settings& settings, ObjectiveCalibration calibration) {
  Settings s = settings;
  s.calibration = calibration;
  s.output_share = kLargestShare;
  const privacy::PerturbedObjective objective = perturbed_objective(s.task);
  const privacy::RecordBounds record = record_bounds(objective);
  const auto [epsilon, delta] = term_budget(s);
  // The least penalty is that of the whole epsilon.
  const double least = least_penalty(s, objective) / (1 - 2 * kLargestShare);
  const double penalty = std::max(s.task.problem.l2_penalty * rows(s), least);
  if (calibration == ObjectiveCalibration::cms11) return privacy::cms11_scale(record, penalty, epsilon);
  if (calibration == ObjectiveCalibration::kst12) return privacy::kst12_sigma(record, penalty, epsilon, delta);
  return privacy::amp_sigma(record, penalty, epsilon, delta);
}

TermNoise term_noise(std::optional<TermNoise> asked, const Budget& budget) {
  if (!asked) return budget.delta > 0 ? TermNoise::gaussian : TermNoise::pure;
  require(*asked == TermNoise::pure || budget.delta > 0,
          "gaussian noise needs `delta` above 0 (for example 1e-6); use `noise = pure` for a delta of 0");
  return *asked;
}

ObjectiveSettings objective_settings(const Task& asked, TermNoise noise, ObjectiveCalibration calibration) {
  check_task(asked, noise, calibration);
  Settings s{};
  s.task = asked;
  s.noise = noise;
  s.calibration = calibration;
  s.comparator = default_radius(asked.problem, asked.facts);
  if (asked.problem.l2_penalty > 0) return with_penalty(std::move(s), asked.problem.l2_penalty);
  // The penalty that is best for the random term may be too small for the solver's residual when there are many rows:
  // double it as long as the bound falls.
  double penalty = automatic_penalty(s) / rows(s);
  std::optional<Settings> best;
  for (int doubling = 0; doubling < 30; ++doubling, penalty *= 2) {
    try {
      Settings next = with_penalty(s, penalty);
      if (best && !(next.excess_risk < best->excess_risk)) return *best;
      best = std::move(next);
    } catch (const ArgumentError&) {
      if (best) return *best;  // a refused first penalty is too small for the solver: the next may do
    }
  }
  return best ? *best : with_penalty(s, penalty);
}

// [proof methods_objective_perturbation.minimiser]
std::vector<std::int64_t> perturbed_minimiser(const Settings& s, const engine::RowSums& sums,
                                              const std::vector<std::int64_t>& term, Threads threads) {
  std::vector<double> linear(term.size());
  double square = 0;
  for (std::size_t j = 0; j < term.size(); ++j) {
    linear[j] = static_cast<double>(term[j]) * s.term_step / rows(s);
    square += linear[j] * linear[j];
  }
  const double norm = std::sqrt(square) * (1 + 0x1p-30);
  const auto covers = [&](const SolverLevel& level) { return norm <= level.term; };
  const auto found = std::find_if(s.levels.begin(), s.levels.end(), covers);
  const SolverLevel& level = found == s.levels.end() ? s.levels.back() : *found;
  const loss::FeasibleSet kept = pure(s) ? loss::FeasibleSet{loss::SetKind::ball, s.kept_radius} : loss::FeasibleSet{};
  return certified_minimiser(sums, s.task.problem, level.lattice, level.bounds, s.lattice_step, threads, linear, kept);
}
// [/proof]

}  // namespace dperm::methods
