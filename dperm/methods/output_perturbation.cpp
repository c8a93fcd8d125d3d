// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/output_perturbation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/certified_minimiser.hpp"
#include "dperm/methods/gradient_lattice.hpp"
#include "dperm/methods/recorded_events.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "weights";
// Share of the sensitivity that the solver's residual may add, where arithmetic allows so little.
constexpr double kResidualShare = 0.01;
// The lattice is this much finer than the sensitivity, so rounding to it costs nothing visible.
constexpr double kLatticeShare = 1e-6;
// The residual asked for lies this factor above what plain descent is proved to reach on any data.
constexpr double kAboveReachable = 4;
// The solver's fallback is planned for points of norm up to this many times the radius, more than it meets.
constexpr double kDescentRadius = 3;

const std::array kOptions = {
    OptionSpec{"noise",
               "auto",
               "gaussian (tight), pure (delta = 0), textbook (classical formula, epsilon < 1 only); auto: by delta",
               0,
               0,
               {"auto", "gaussian", "pure", "textbook"}},
};

struct Settings {
  Question question;
  double comparator;  // norm of the weights the utility bound compares with
  double radius;      // public bound on the norm of the minimiser and of the point that is released
  GradientLattice lattice;
  double gradient_difference;
  SolverBounds bounds;
  double sensitivity;   // of the computed minimiser, encoded units
  double lattice_step;  // g
  privacy::Mechanism mechanism;
  double noise_square;  // expected squared norm of the noise, encoded units
  double excess_risk;
};

// Expected excess risk against any comparator of the given norm: half penalty times its square, half the smoothness
// times the noise, what the residual leaves, and what projecting back can cost where the gradient is not zero.
double excess_risk(const Settings& s) {
  const double penalty = s.question.problem.l2_penalty;
  const bool boundary = s.question.problem.feasible_set.kind != loss::SetKind::unconstrained;
  const double gradient_at_optimum = boundary ? s.lattice.slope_bound + penalty * s.radius : 0;
  return penalty * s.comparator * s.comparator / 2 + s.bounds.smoothness / 2 * s.noise_square +
         s.bounds.residual * s.bounds.residual / (2 * penalty) +
         (gradient_at_optimum + s.bounds.residual) * std::sqrt(s.noise_square);
}

// The penalty that minimises the bound when the sensitivity is 2G/(n penalty): a search over public facts.
double automatic_penalty(const Question& question, const loss::LossConstants& loss, double comparator, bool pure) {
  const double rows = static_cast<double>(question.facts.rows);
  const double dimension = static_cast<double>(question.facts.dimension);
  const double unit = pure ? privacy::k_norm_scale_for(1, question.budget.epsilon)
                           : privacy::sigma_for(1, question.budget.epsilon, question.budget.delta, 1);
  const double noise_dimension = pure ? dimension * (dimension + 1) : dimension;
  const auto bound = [&](double penalty) {
    const double scale = 2 * loss.lipschitz / (rows * penalty) * unit;
    return penalty * comparator * comparator / 2 + (loss.smoothness + penalty) / 2 * noise_dimension * scale * scale;
  };
  double best = 1e-9;
  for (double penalty = 1e-9; penalty < 1e6; penalty *= 1.05) {
    if (bound(penalty) < bound(best)) best = penalty;
  }
  return best;
}

std::string resolved_noise(const OptionValues& options, const Budget& budget) {
  const std::string& noise = options.text("noise");
  if (noise == "auto") return budget.delta > 0 ? "gaussian" : "pure";
  if (noise != "pure" && budget.delta <= 0) {
    throw ArgumentError(
        fmt::format("{} noise needs delta > 0 (for example 1e-6); use noise = pure for delta = 0", noise));
  }
  return noise;
}

void check_loss(const Problem& problem, const loss::LossConstants& loss) {
  if (std::isinf(loss.smoothness)) {
    throw ArgumentError(fmt::format(
        "output-perturbation needs a loss with a continuous slope, so that the solver can certify its minimum; {} has "
        "a "
        "kink. Use {} instead, or --method gradient-descent",
        loss::name(problem.loss.kind), loss::is_classification(problem.loss.kind) ? "smoothed-hinge" : "huber"));
  }
  if (std::isinf(loss.lipschitz)) {
    throw ArgumentError(fmt::format("the slope of the {} loss is unbounded without a feasible set; give --radius",
                                    loss::name(problem.loss.kind)));
  }
}

// [proof methods_output_perturbation.sensitivity]
// Fills radius, tolerance, residual and sensitivity for a resolved penalty.
void derive_sensitivity(Settings& s) {
  const Problem& problem = s.question.problem;
  const double penalty = problem.l2_penalty;
  const double rows = static_cast<double>(s.question.facts.rows);
  const double set_radius = loss::norm_bound(problem.feasible_set, s.question.facts.dimension);
  const double lipschitz = loss::constants(problem.loss, set_radius).lipschitz;
  // A point with computed residual at most G has norm at most 2 G / penalty; the minimiser has at most G / penalty.
  s.radius = std::min(set_radius, rounded_up(2 * lipschitz / penalty));
  const loss::LossConstants loss = loss::constants(problem.loss, s.radius);
  s.gradient_difference = loss.gradient_difference;
  s.lattice = gradient_lattice(problem.loss, s.radius, s.question.facts, engine::Resolution::solver);
  // The engine's error, and the roundings of scaling the sums and adding the penalty's gradient.
  SolverBounds& bounds = s.bounds;
  bounds.smoothness = loss.smoothness + penalty;
  bounds.evaluation_error = rounded_up(s.lattice.mean_error + 0x1p-48 * (lipschitz + penalty * s.radius));
  bounds.projection_error = loss::projection_error(problem.feasible_set, s.question.facts.dimension);
  bounds.largest_weight = kDescentRadius * s.radius;
  bounds.largest_gradient = rounded_up(2 * lipschitz + penalty * bounds.largest_weight);
  bounds.residual = std::max(kResidualShare / 2 * s.gradient_difference / rows,
                             kAboveReachable * reachable_residual(problem, bounds));
  require(bounds.residual < lipschitz, "l2_penalty is too small for double arithmetic; take a larger one");
  require_executable(problem, bounds);
  s.sensitivity = rounded_up((s.gradient_difference / rows + 2 * bounds.residual) / penalty);
}
// [/proof]

// [proof methods_output_perturbation.noise]
void calibrate(Settings& s, const std::string& noise) {
  const Budget& budget = s.question.budget;
  const double dimension = static_cast<double>(s.question.facts.dimension);
  s.lattice_step = std::exp2(std::floor(std::log2(kLatticeShare * s.sensitivity / std::sqrt(dimension))));
  // Rounding each coordinate to the lattice moves two neighbours' vectors apart by at most sqrt(d) steps.
  const double sensitivity = rounded_up(s.sensitivity / s.lattice_step + std::sqrt(dimension));
  require(s.radius / s.lattice_step < 0x1p62, "rows, weights or l2_penalty are too large for the 64-bit lattice");
  const double step_square = s.lattice_step * s.lattice_step;
  if (noise == "pure") {
    const double scale = privacy::k_norm_scale_for(sensitivity, budget.epsilon);
    s.mechanism = privacy::KNormEvent{sensitivity, scale};
    s.noise_square = (dimension * (dimension + 1) * scale * scale + dimension) * step_square;
  } else {
    const double sigma = noise == "textbook" ? privacy::textbook_sigma(sensitivity, budget.epsilon, budget.delta)
                                             : privacy::sigma_for(sensitivity, budget.epsilon, budget.delta, 1);
    s.mechanism = privacy::GaussianEvent{sensitivity, sigma};
    s.noise_square = (dimension * sigma * sigma + dimension) * step_square;
  }
}
// [/proof]

Settings settings_for(const Question& asked, const OptionValues& options) {
  validate(asked);
  Settings s{};
  s.question = asked;
  const std::string noise = resolved_noise(options, asked.budget);
  const double set_radius = loss::norm_bound(asked.problem.feasible_set, asked.facts.dimension);
  const loss::LossConstants loss = loss::constants(asked.problem.loss, set_radius);
  check_loss(asked.problem, loss);
  s.comparator = std::min(set_radius, default_radius(asked.problem, asked.facts));
  if (asked.problem.l2_penalty == 0) {
    s.question.problem.l2_penalty = automatic_penalty(asked, loss, s.comparator, noise == "pure");
  }
  derive_sensitivity(s);
  calibrate(s, noise);
  s.excess_risk = excess_risk(s);
  return s;
}

std::vector<DerivationStep> derivation(const Settings& s) {
  std::vector<DerivationStep> steps = {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", static_cast<double>(s.question.facts.rows), "public: neighbours replace one record"},
      {"l2_penalty", s.question.problem.l2_penalty,
       "modulus of strong convexity; minimises the utility bound, or given"},
      {"gradient difference of two records", s.gradient_difference, "largest over the feasible set [loss.md]"},
      {"solver's residual", s.bounds.residual,
       "certified gradient norm plus evaluation error; fixed before data is read"},
      {"sensitivity of the minimiser", s.sensitivity, "(difference / n + 2 residual) / l2_penalty [CMS11, WLKCJN17]"},
      {"lattice step", s.lattice_step, "a power of two far below the sensitivity"},
  };
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&s.mechanism)) {
    steps.push_back(
        {"sensitivity (lattice units)", gaussian->l2_sensitivity, "plus sqrt(d) for rounding to the lattice"});
    steps.push_back({"noise sigma (lattice units)", gaussian->sigma, "Gaussian calibration [BW18]"});
  } else if (const auto* k_norm = std::get_if<privacy::KNormEvent>(&s.mechanism)) {
    steps.push_back(
        {"sensitivity (lattice units)", k_norm->l2_sensitivity, "plus sqrt(d) for rounding to the lattice"});
    steps.push_back(
        {"noise scale (lattice units)", k_norm->scale, "density exp(-||b||/scale), scale = sensitivity/epsilon"});
  }
  return steps;
}

}  // namespace

std::span<const OptionSpec> OutputPerturbation::options() const { return kOptions; }

Plan OutputPerturbation::plan(const Question& question, const std::map<std::string, std::string>& given) const {
  const OptionValues options(name(), kOptions, given);
  const Settings s = settings_for(question, options);
  return make_plan(*this, s.question, options, {{kWhat, s.mechanism, privacy::Neighbours::replace_one, 1}},
                   derivation(s),
                   {s.excess_risk,
                    fmt::format("excess risk against weights of norm {:.3g} [output_perturbation.md]", s.comparator)});
}

FitResult OutputPerturbation::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                                  const FitOptions& options) const {
  const Settings s = settings_for(plan.question, OptionValues(name(), kOptions, plan.options));
  check_facts(plan, dataset);
  const auto minimiser = dataset.tiles().map([&](const data::TileSet& tiles) {
    return certified_minimiser(tiles, s.question.problem, s.lattice, s.bounds, s.lattice_step, options.threads);
  });
  const auto noisy = std::holds_alternative<privacy::KNormEvent>(s.mechanism)
                         ? curator.release(minimiser, std::get<privacy::KNormEvent>(s.mechanism), kWhat)
                         : curator.release(minimiser, std::get<privacy::GaussianEvent>(s.mechanism), kWhat);
  auto weights = noisy.map([&](const std::vector<std::int64_t>& lattice) {
    std::vector<double> result(lattice.size());
    for (std::size_t j = 0; j < lattice.size(); ++j) result[j] = static_cast<double>(lattice[j]) * s.lattice_step;
    // The minimiser is known to lie in these public sets, so projecting the noisy point is free and only helps.
    loss::project(s.question.problem.feasible_set, result);
    loss::project({loss::SetKind::ball, s.radius}, result);
    return result;
  });
  check_events(plan, curator);
  return {std::move(weights), curator.events(), curator.secure()};
}

}  // namespace dperm::methods
