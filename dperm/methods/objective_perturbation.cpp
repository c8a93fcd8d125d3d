// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/objective_perturbation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/certified_minimiser.hpp"
#include "dperm/methods/gradient_lattice.hpp"
#include "dperm/methods/recorded_events.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"
#include "dperm/privacy/gaussian_dp.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kObjective = "perturbed objective";
constexpr const char* kWhat = "weights";
// Share of epsilon for hiding the residual. On census-sized data it buys an output noise of a few percent of the noise
// that the objective's own term causes.
constexpr double kOutputShare = 0.01;
// The residual asked for lies this factor above what plain descent is proved to reach on any data.
constexpr double kAboveReachable = 1.5;
// b leaves the ball of radius sigma (sqrt(d) + t) with probability at most exp(-t^2/2); t^2/2 = 1000 + this, so that
// the charge to delta, which grows with the epsilon of all releases accounted together, holds for every epsilon
// allowed.
constexpr double kTailExponent = 80;
// (1 + e^epsilon) exp(-(1000 + 80)) <= 2 e^-80 for epsilon <= 1000, rounded up: what that tail costs of delta. It must
// stay invisible.
constexpr double kTailDelta = 3.8e-35;
constexpr double kLeastDelta = 1e-30;
// The random term lives on a lattice this fine, the weights on one this much finer than their sensitivity.
constexpr double kTermSteps = 0x1p40;
constexpr double kLatticeShare = 1e-3;

struct Settings {
  Question question;
  double comparator;  // norm of the weights the utility bound compares with
  privacy::ObjectivePerturbationEvent term;
  double term_step;  // lattice step of b, a power of two; the summed objective's units
  double radius;     // norm of the computed minimiser at most, unless b is in its tail
  GradientLattice lattice;
  SolverBounds bounds;
  double sensitivity;  // of the computed minimiser given the exact one
  double lattice_step;
  privacy::GaussianEvent output;
  double excess_risk;
};

privacy::PerturbedObjective perturbed_objective(const Problem& problem) {
  const loss::Loss& loss = problem.loss;
  switch (loss.kind) {
    case loss::LossKind::logistic:
      return {privacy::GradientSign::monotone, 1, 1, 0, 0};
    case loss::LossKind::smoothed_hinge:
      return {privacy::GradientSign::monotone, 1, 1 / loss.smoothing, 0, 0};
    case loss::LossKind::huber:
      return {privacy::GradientSign::two_sided, loss.threshold, 1, 0, 0};
    default:
      break;
  }
  throw ArgumentError(fmt::format("objective-perturbation is proved for logistic, smoothed-hinge and huber; {} has {}",
                                  loss::name(loss.kind),
                                  loss.kind == loss::LossKind::squared ? "an unbounded slope" : "a kink"));
}

void check_question(const Question& question) {
  validate(question);
  if (question.budget.delta <= 0) {
    throw ArgumentError(
        "objective-perturbation needs delta > 0 (for example 1e-6); for pure epsilon use output-perturbation");
  }
  if (question.budget.delta < kLeastDelta) {
    throw ArgumentError(fmt::format(
        "objective-perturbation charges part of delta for rare random terms and needs a delta of at least {}; got {}",
        kLeastDelta, question.budget.delta));
  }
  if (question.problem.feasible_set.kind != loss::SetKind::unconstrained) {
    throw ArgumentError(
        "objective-perturbation cannot keep to a feasible set: its proof needs a free minimum. Use "
        "--l2-penalty to keep weights small, or --method gradient-descent");
  }
}

// [proof methods_objective_perturbation.term]
// The random term's noise for a penalty of the summed objective; epsilon and delta less what the output step takes.
double term_sigma(privacy::PerturbedObjective objective, double penalty, const Budget& budget) {
  objective.penalty = penalty;
  return privacy::sigma_for_objective(
      objective, (1 - kOutputShare) * budget.epsilon,
      rounded_down(privacy::kObjectiveDeltaShare * budget.delta / (1 + 0x1p-30) - kTailDelta));
}
// [/proof]

// Penalty of the summed objective that minimises LAM R^2/(2n) + d sigma(LAM)^2/(2 n LAM): a search over public facts.
double automatic_penalty(const privacy::PerturbedObjective& objective, const Question& question, double comparator) {
  const double dimension = static_cast<double>(question.facts.dimension);
  const double least = objective.curvature / question.budget.epsilon;
  const double first_sigma = 2 * objective.gradient / privacy::mu_for(question.budget.epsilon, question.budget.delta);
  const double ideal = first_sigma * std::sqrt(dimension) / comparator;
  // Four times the least penalty makes the determinant's cost invisible for monotone losses.
  if (objective.sign == privacy::GradientSign::monotone) return std::max(ideal, 4 * least);
  double best = 0, best_bound = std::numeric_limits<double>::infinity();
  for (double penalty = 2 * least; penalty < 1e3 * std::max(least, ideal); penalty *= 1.5) {
    const double sigma = term_sigma(objective, penalty, question.budget);
    const double bound = penalty * comparator * comparator + dimension * sigma * sigma / penalty;
    if (bound < best_bound) {
      best = penalty;
      best_bound = bound;
    }
  }
  return best;
}

void derive_term(Settings& s) {
  const Question& question = s.question;
  const double rows = static_cast<double>(question.facts.rows);
  privacy::PerturbedObjective objective = perturbed_objective(question.problem);
  // Rounded down: a smaller penalty is the weaker assumption.
  objective.penalty = rounded_down(s.question.problem.l2_penalty * rows);
  const double sigma = term_sigma(objective, objective.penalty, question.budget);
  s.term_step = std::exp2(std::ceil(std::log2(sigma / kTermSteps)));
  objective.sigma = sigma;
  s.term = {objective, kTailDelta};
}

// [proof methods_objective_perturbation.sensitivity]
void derive_sensitivity(Settings& s) {
  const Problem& problem = s.question.problem;
  const double rows = static_cast<double>(s.question.facts.rows);
  const double dimension = static_cast<double>(s.question.facts.dimension);
  const double penalty = problem.l2_penalty;
  const double sigma = s.term.objective.sigma;
  const double tail = std::sqrt(2 * (privacy::kMaximumEpsilon + kTailExponent));
  const double largest_term = (sigma * (std::sqrt(dimension) + tail) + s.term_step * std::sqrt(dimension)) / rows;
  // J(w) <= J(0): penalty/2 r^2 - largest_term r <= largest loss at zero. Four times that covers the computed point and
  // every point the solver's fallback can meet.
  const double value_at_zero = loss::constants(problem.loss, 0).largest_value;
  s.radius =
      rounded_up(4 * (largest_term + std::sqrt(largest_term * largest_term + 2 * penalty * value_at_zero)) / penalty);
  const loss::LossConstants loss = loss::constants(problem.loss, s.radius);
  s.lattice = gradient_lattice(problem.loss, s.radius, s.question.facts, engine::Resolution::solver);
  SolverBounds& bounds = s.bounds;
  bounds.smoothness = loss.smoothness + penalty;
  bounds.largest_weight = s.radius;
  bounds.largest_gradient = rounded_up(2 * loss.lipschitz + penalty * s.radius + largest_term);
  bounds.evaluation_error = rounded_up(s.lattice.mean_error + 0x1p-48 * bounds.largest_gradient);
  bounds.residual = kAboveReachable * reachable_residual(problem, bounds);
  // A point with computed residual below G has norm at most `far`; were it outside `radius`, its true residual would
  // still bring it within radius/2 of the minimiser, whose norm is at most radius/4.
  const double far = rounded_up((2 * loss.lipschitz + largest_term) / penalty);
  const double far_error =
      gradient_lattice(problem.loss, far, s.question.facts, engine::Resolution::solver).mean_error +
      0x1p-48 * (loss.lipschitz + penalty * far + largest_term);
  require(s.bounds.residual < loss.lipschitz && s.bounds.residual + far_error <= penalty * s.radius / 2,
          "l2_penalty is too small for double arithmetic; take a larger one");
  require_executable(problem, bounds);
  const double term_rounding = s.term_step * std::sqrt(dimension) / (2 * rows);
  s.sensitivity = rounded_up(2 * (s.bounds.residual + term_rounding) / penalty);
}

void derive_output(Settings& s) {
  const double dimension = static_cast<double>(s.question.facts.dimension);
  const Budget& budget = s.question.budget;
  s.lattice_step = std::exp2(std::floor(std::log2(kLatticeShare * s.sensitivity / std::sqrt(dimension))));
  require(s.radius / s.lattice_step < 0x1p62, "rows, weights or l2_penalty are too large for the 64-bit lattice");
  const double sensitivity = rounded_up(s.sensitivity / s.lattice_step + std::sqrt(dimension));
  const double mu = privacy::mu_for(rounded_down(kOutputShare * budget.epsilon),
                                    rounded_down(privacy::kOtherDeltaShare * budget.delta));
  s.output = {sensitivity, rounded_up(sensitivity / mu)};
}
// [/proof]

double excess_risk(const Settings& s) {
  const double rows = static_cast<double>(s.question.facts.rows);
  const double dimension = static_cast<double>(s.question.facts.dimension);
  const double penalty = s.question.problem.l2_penalty;
  const double sigma = s.term.objective.sigma / rows;
  const double output = s.output.sigma * s.lattice_step;
  return penalty * s.comparator * s.comparator / 2 + dimension * sigma * sigma / (2 * penalty) +
         s.bounds.smoothness / 2 * dimension * output * output + s.lattice.slope_bound * s.sensitivity;
}

Settings with_penalty(const Question& asked, double penalty) {
  Settings s{};
  s.question = asked;
  s.question.problem.l2_penalty = penalty;
  s.comparator = default_radius(asked.problem, asked.facts);
  derive_term(s);
  derive_sensitivity(s);
  derive_output(s);
  s.excess_risk = excess_risk(s);
  return s;
}

Settings settings_for(const Question& asked, const OptionValues&) {
  check_question(asked);
  if (asked.problem.l2_penalty > 0) return with_penalty(asked, asked.problem.l2_penalty);
  // The penalty that is best for the random term may be too small for the solver's residual when there are many rows:
  // double it as long as the bound falls.
  const double rows = static_cast<double>(asked.facts.rows);
  const double comparator = default_radius(asked.problem, asked.facts);
  double penalty = automatic_penalty(perturbed_objective(asked.problem), asked, comparator) / rows;
  std::optional<Settings> best;
  for (int doubling = 0; doubling < 30; ++doubling, penalty *= 2) {
    try {
      Settings next = with_penalty(asked, penalty);
      if (best && !(next.excess_risk < best->excess_risk)) return *best;
      best = std::move(next);
    } catch (const ArgumentError&) {
      if (best) return *best;  // a refused first penalty is too small for the solver: the next may do
    }
  }
  return best ? *best : with_penalty(asked, penalty);
}

// [proof methods_objective_perturbation.minimiser]
// The computed minimiser of the perturbed objective on the lattice. Runs inside Sensitive::with.
std::vector<std::int64_t> lattice_minimiser(const Settings& s, const data::TileSet& tiles,
                                            const std::vector<std::int64_t>& term, engine::Threads threads) {
  const double rows = static_cast<double>(tiles.rows());
  std::vector<double> linear(term.size());
  for (std::size_t j = 0; j < term.size(); ++j) linear[j] = static_cast<double>(term[j]) * s.term_step / rows;
  return certified_minimiser(tiles, s.question.problem, s.lattice, s.bounds, s.lattice_step, threads, linear);
}
// [/proof]

std::vector<DerivationStep> derivation(const Settings& s) {
  const privacy::PerturbedObjective& objective = s.term.objective;
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", static_cast<double>(s.question.facts.rows), "public: neighbours replace one record"},
      {"gradient of one record at most", objective.gradient, "loss [loss.md]"},
      {"curvature of one record at most", objective.curvature, "loss [loss.md]; for monotone losses 1/h"},
      {"penalty of the summed objective", objective.penalty, "n * l2_penalty; chosen from public facts, or given"},
      {"sigma of the random term", objective.sigma, "smallest that satisfies the profile [objective_profile.md]"},
      {"cost of the determinant (kappa)", privacy::least_epsilon(objective), "the profile holds from this epsilon on"},
      {"solver's residual", s.bounds.residual,
       "certified gradient norm plus evaluation error; fixed before data is read"},
      {"sensitivity left by the residual", s.sensitivity, "2 (residual + rounding of the term) / l2_penalty"},
      {"lattice step", s.lattice_step, "a power of two far below that"},
      {"sensitivity (lattice units)", s.output.l2_sensitivity, "plus sqrt(d) for rounding to the lattice"},
      {"output sigma (lattice units)", s.output.sigma, "Gaussian, one percent of epsilon [BW18]"},
  };
}

}  // namespace

std::span<const OptionSpec> ObjectivePerturbation::options() const { return {}; }

Plan ObjectivePerturbation::plan(const Question& question, const std::map<std::string, std::string>& given) const {
  const OptionValues options(name(), {}, given);
  const Settings s = settings_for(question, options);
  return make_plan(*this, s.question, options,
                   {{kObjective, s.term, privacy::Neighbours::replace_one, 1},
                    {kWhat, s.output, privacy::Neighbours::replace_one, 1}},
                   derivation(s),
                   {s.excess_risk, fmt::format("excess risk against weights of norm {:.3g} [objective_perturbation.md]",
                                               s.comparator)});
}

FitResult ObjectivePerturbation::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                                     const FitOptions& options) const {
  const Settings s = settings_for(plan.question, OptionValues(name(), {}, plan.options));
  check_facts(plan, dataset);
  const auto term = curator.draw_objective_term(s.term, s.question.facts.dimension, s.term_step, kObjective);
  const auto minimiser =
      dataset.tiles().with(term, [&](const data::TileSet& tiles, const std::vector<std::int64_t>& b) {
        return lattice_minimiser(s, tiles, b, options.threads);
      });
  auto weights = curator.release(minimiser, s.output, kWhat).map([&](const std::vector<std::int64_t>& lattice) {
    std::vector<double> result(lattice.size());
    for (std::size_t j = 0; j < lattice.size(); ++j) result[j] = static_cast<double>(lattice[j]) * s.lattice_step;
    return result;
  });
  check_events(plan, curator);
  return {std::move(weights), curator.events(), curator.secure()};
}

}  // namespace dperm::methods
