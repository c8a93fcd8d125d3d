// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/rounding_error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/exponential_regularised/density_target.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "weights";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// eta times the smoothness of f1: proposals are accepted with probability about exp(-kStretch / 2). Time is flat around
// 2: a larger value means fewer rounds and more rejections.
constexpr double kStretch = 2;
constexpr double kOffset = 0.1;               // smoothness of f1 times offset^2
constexpr std::int64_t kMostProposals = 256;  // all rejected with probability 0.67^256 < 1e-44
constexpr double kRejected = 1e-44;
constexpr double kLeastAcceptance = 0.33;
constexpr double kLargestSlack = 0.01;
constexpr double kDistanceShare = 0.01;  // of delta, for the sampler's distance
constexpr double kErrorShare = 1e-4;     // of epsilon, for the error of the density
constexpr double kForwardBits = 49;      // forward noise in lattice units: 2^48 to 2^49

// All numbers a run needs; a function of public facts alone.
struct Settings {
  Task task;
  double comparator = 0;  // norm of the weights the utility bound compares with
  double penalty = 0;     // m
  DensityBounds bounds{};
  random::ProximalSettings sampler{};
  privacy::RegularisedExponentialEvent event{};
  double excess_risk = 0;
};

void check_task(const Task& task) {
  validate_linear(task, "exponential");
  const loss::LossConstants constants = loss::constants(task.problem.loss, kInfinity);
  if (task.budget.delta <= 0) {
    throw ArgumentError(
        "exponential draws from a density with more than 4 weights only approximately and needs delta > 0 (for example "
        "1e-6); for pure epsilon use output-perturbation");
  }
  if (std::isinf(constants.lipschitz) || std::isinf(constants.smoothness)) {
    throw ArgumentError(fmt::format(
        "the regularised exponential mechanism is offered for logistic, smoothed-hinge and huber; {} has {}",
        loss::name(task.problem.loss.kind),
        std::isinf(constants.lipschitz) ? "an unbounded slope: use sufficient-statistics"
                                        : "a kink, with which the sampler's certified number of rounds grows like the "
                                          "square of the rows: use a smooth loss or gradient-descent"));
  }
  if (task.problem.feasible_set.kind != loss::SetKind::unconstrained) {
    throw ArgumentError(
        "the regularised exponential mechanism takes no feasible set: its penalty keeps the weights small. Leave the "
        "set out (`l2_penalty` makes the weights smaller still), or use gradient-descent");
  }
}

// [proof methods_exponential_regularised.settings]
// k and m from the budget: the smallest bound d / k + (m - l2_penalty) R^2 / 2 with mu = difference sqrt(k / m) / n.
void set_density(Settings& s) {
  const Problem& problem = s.task.problem;
  const Budget& budget = s.task.budget;
  const loss::LossConstants constants = loss::constants(problem.loss, kInfinity);
  const auto rows = static_cast<double>(s.task.facts.rows);
  const auto dimension = static_cast<double>(s.task.facts.dimension);
  s.comparator = default_radius(problem, s.task.facts);
  const double mu = privacy::mu_for(rounded_down((1 - kErrorShare) * budget.epsilon) * (1 - 1e-9),
                                    rounded_down((1 - kErrorShare) * (1 - kDistanceShare) * budget.delta));
  const double ratio = rounded_down(mu * rows / constants.gradient_difference) * (1 - 1e-9);
  s.penalty = std::max(problem.l2_penalty, std::sqrt(2 * dimension) / (ratio * s.comparator));
  DensityBounds& bounds = s.bounds;
  bounds.risk_weight = s.penalty * ratio * ratio;
  bounds.alpha = bounds.risk_weight * s.penalty;
  bounds.smoothness = bounds.risk_weight * constants.smoothness;
  bounds.eta = kStretch / bounds.smoothness;
  bounds.offset = std::sqrt(kOffset / bounds.smoothness);
}

// ln of the most that the start's density exceeds the target's.
double warmth(const Settings& s) {
  const loss::LossConstants constants = loss::constants(s.task.problem.loss, kInfinity);
  const double k = s.bounds.risk_weight, dimension = static_cast<double>(s.task.facts.dimension);
  const double at_zero = loss::constants(s.task.problem.loss, 0).largest_value;
  return rounded_up(k * at_zero + k * constants.lipschitz * constants.lipschitz / (2 * constants.smoothness) +
                    dimension / 2 * std::log1p(2 * s.bounds.smoothness / s.bounds.alpha));
}

// The ball that holds everything but a tail of probability `tail` in any of `rounds` rounds; tail exponent t.
struct Region {
  double tail_exponent;
  double radius;
};
Region region_for(const Settings& s, double tail, double rounds) {
  const Problem& problem = s.task.problem;
  const double root = std::sqrt(static_cast<double>(s.task.facts.dimension));
  const double t = std::sqrt(2 * (warmth(s) + std::log(rounds / tail) + 6));
  const double lipschitz = loss::constants(problem.loss, kInfinity).lipschitz;
  const double at_zero = loss::constants(problem.loss, 0).largest_value;
  const double minimiser = std::min(lipschitz / s.penalty, std::sqrt(2 * at_zero / s.penalty));
  return {t, rounded_up(minimiser + 1.5 * (root + t) / std::sqrt(s.bounds.alpha) +
                        4 * std::sqrt(s.bounds.eta) * (root + t) + s.bounds.offset)};
}

void set_lattice(Settings& s, double radius) {
  DensityBounds& bounds = s.bounds;
  const double forward = std::sqrt(bounds.eta);
  bounds.lattice_step = std::exp2(std::ceil(std::log2(forward)) - kForwardBits);
  random::ProximalSettings& sampler = s.sampler;
  sampler.dimension = s.task.facts.dimension;
  sampler.start_sigma = 1 / std::sqrt(2 * bounds.smoothness + bounds.alpha) / bounds.lattice_step;
  sampler.forward_sigma = forward / bounds.lattice_step;
  sampler.backward_sigma = sampler.forward_sigma / std::sqrt(1 + bounds.alpha * bounds.eta);
  sampler.radius = radius / bounds.lattice_step;
  sampler.most_proposals = kMostProposals;
  require(sampler.radius <= random::kLargestProximalRadius && sampler.start_sigma <= random::kMaximumSigma,
          "exponential: the density of this task is too sharp for the sampler's 64-bit lattice; take fewer rows, a "
          "smaller epsilon or a larger --l2-penalty, or use objective-perturbation");
}

// What evaluation in finite precision does to the density and to the acceptance of proposals; half the log error.
double set_errors(Settings& s, double radius) {
  const Task& task = s.task;
  DensityBounds& bounds = s.bounds;
  const double root = std::sqrt(static_cast<double>(task.facts.dimension)), norm = rounded_up(radius);
  const loss::LossConstants constants = loss::constants(task.problem.loss, norm);
  const double steps = engine::steps(engine::Resolution::solver, task.facts.rows);
  const double value_error = engine::value_error(task.problem.loss, norm, task.facts.columns);
  bounds.value_bound = rounded_up(constants.largest_value + value_error);
  bounds.gradients = gradient_lattice(task.problem.loss, norm, task.facts, engine::Resolution::solver);
  const double k = bounds.risk_weight;
  s.sampler.cost_weight = k * bounds.value_bound / (steps * static_cast<double>(task.facts.rows));
  const double place = 0x1p-52 * radius + bounds.lattice_step * root;
  const double error = rounded_up(k * (value_error + bounds.value_bound / steps + constants.lipschitz * place));
  const double centre = (bounds.lattice_step + 0x1p-46 * (radius + bounds.eta * k)) * root;
  const double tilt = k * bounds.gradients.mean_error + centre * (bounds.alpha + 1 / bounds.eta);
  s.sampler.slack = rounded_up(2 * error + 2 * radius * tilt);
  const double accuracy = 2 * (tilt * bounds.eta + bounds.lattice_step * root);
  const double aim = bounds.offset / (4 * (1 + kStretch) * (1 + kStretch));
  require(s.sampler.slack <= kLargestSlack && accuracy <= aim &&
              2 * error <= kErrorShare / 4 * std::min(1.0, task.budget.epsilon),
          "exponential: the density of this task is too sharp for the engine's arithmetic; take fewer rows, a "
          "smaller epsilon or a larger --l2-penalty");
  const double first = bounds.eta * (k * constants.lipschitz + bounds.alpha * radius);
  bounds.descents = 2 + static_cast<std::int64_t>(std::ceil(std::max(0.0, std::log2(first / aim))));
  return error;
}

// Rounds, and the total distance of what they reach from the density.
void set_rounds(Settings& s, double most_rounds) {
  const Budget& budget = s.task.budget;
  const double affordable = kDistanceShare * (1 - 1e-3) * budget.delta / (1 + std::exp(budget.epsilon));
  require(affordable > 1e-300, "exponential: epsilon is too large for the sampler's certificate; take a smaller one");
  const Region region = region_for(s, 0.05 * affordable, most_rounds);
  set_lattice(s, region.radius);
  const double error = set_errors(s, region.radius);
  const DensityBounds& bounds = s.bounds;
  const double log_error = rounded_up(2 * error);
  const double strength = rounded_down(bounds.alpha * bounds.eta) * std::exp(-log_error) * (1 - 1e-9);
  require(strength >= 0x1p-20, "exponential: the sampler needs a larger --l2-penalty");
  const double rounds = random::proximal_rounds(rounded_up(warmth(s) + log_error), 0.45 * affordable, strength);
  const double root = std::sqrt(static_cast<double>(s.task.facts.dimension));
  const double lipschitz = loss::constants(s.task.problem.loss, kInfinity).lipschitz;
  const double tilt = 1.01 * bounds.risk_weight * lipschitz * bounds.lattice_step;
  const double rounding = rounded_up(root * bounds.lattice_step / std::sqrt(bounds.eta) * 0.46 * std::exp(log_error) +
                                     tilt * (root + region.tail_exponent + 1) / s.sampler.backward_sigma);
  if (rounds > most_rounds) {
    throw ArgumentError(
        fmt::format("exponential: the proximal sampler needs {:.0f} rounds to come within {:.2g} of its density, more "
                    "than max_steps = "
                    "{:.0f}; raise `max_steps` or `l2_penalty`, or use objective-perturbation",
                    rounds, 0.45 * affordable, most_rounds));
  }
  require(rounds * rounding <= 0.45 * affordable,
          "exponential: delta is too small, or epsilon too large, for the resolution of the sampler's lattice; change "
          "them");
  s.sampler.rounds = static_cast<std::int64_t>(rounds);
  const double distance = 0.45 * affordable + 0.05 * affordable + rounds * (rounding + kRejected);
  const auto rows = static_cast<double>(s.task.facts.rows);
  s.event = {loss::constants(s.task.problem.loss, region.radius).gradient_difference,
             rounded_up(bounds.risk_weight / rows), rounded_down(s.penalty * rows * (1 - 1e-9)), log_error,
             rounded_up(distance)};
}
// [/proof]

// E F(released) - F(w*) for ||w*|| <= comparator, F with the task's own penalty.
double excess_risk(const Settings& s) {
  const auto dimension = static_cast<double>(s.task.facts.dimension);
  const double kept = dimension / s.bounds.risk_weight * std::exp(2 * s.event.log_error);
  const double radius = s.sampler.radius * s.bounds.lattice_step;
  const double worst = s.bounds.value_bound + s.penalty / 2 * radius * radius;
  return rounded_up(kept + (s.penalty - s.task.problem.l2_penalty) / 2 * s.comparator * s.comparator +
                    s.event.total_variation * worst);
}

Settings settings_for(const Task& asked, const ExponentialRegularisedOptions& options) {
  check_task(asked);
  Settings s;
  s.task = asked;
  set_density(s);
  set_rounds(s, static_cast<double>(options.max_steps));
  s.excess_risk = excess_risk(s);
  return s;
}

std::vector<DerivationStep> derivation(const Settings& s) {
  const double mu = s.event.gradient_difference * std::sqrt(s.event.inverse_temperature / s.event.penalty);
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public: neighbours replace one record"},
      {"gradient difference of two records", s.event.gradient_difference, "loss [loss.md]"},
      {"mu", mu, "Gaussian DP of the density: difference sqrt(inverse temperature / penalty) [GLL22]"},
      {"weight k of the mean risk in the density", s.bounds.risk_weight, "best for the utility bound under this mu"},
      {"penalty m in the density", s.penalty, "the same; at least l2_penalty"},
      {"log error of the computed density", s.event.log_error, "evaluation in integers [exponential_regularised.md]"},
      {"rounds of the proximal sampler", static_cast<double>(s.sampler.rounds),
       "ln(divergence / (2 distance^2)) / (2 ln(1 + alpha eta)) [CCSW22]"},
      {"least probability of accepting a proposal", kLeastAcceptance, "at most 256 in a round"},
      {"total variation distance from the density", s.event.total_variation,
       "rounds, lattice and tails; (1 + e^epsilon) times it comes off delta"},
  };
}

privacy::Released<std::vector<double>> draw(const Settings& planned, const data::Dataset& dataset,
                                            privacy::Curator& curator, const FitOptions& options) {
  Settings s = planned;
  if (options.progress) {
    s.sampler.after_round = [&](std::int64_t round) {
      options.progress(static_cast<std::size_t>(round), static_cast<std::size_t>(s.sampler.rounds));
    };
  }
  const auto target = dataset.sums().map([&](const engine::RowSums& sums) -> std::unique_ptr<random::ProximalTarget> {
    return std::make_unique<DensityTarget>(sums, s.task.problem.loss, s.bounds, options.threads);
  });
  return curator.sample(target, s.event, s.sampler, kWhat).map([&](const std::vector<std::int64_t>& lattice) {
    std::vector<double> result(lattice.size());
    for (std::size_t j = 0; j < lattice.size(); ++j) {
      result[j] = static_cast<double>(lattice[j]) * s.bounds.lattice_step;
    }
    return result;
  });
}

}  // namespace

Plan plan_for(const Task& task, const ExponentialRegularisedOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  Plan plan =
      make_plan(options, s.task, {{kWhat, s.event, privacy::Neighbours::replace_one, 1}}, derivation(s),
                {s.excess_risk,
                 fmt::format("excess risk against weights of norm {:.3g} [exponential_regularised.md]", s.comparator)},
                [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
                  return {draw(s, dataset, curator, fit_options)};
                });
  plan.error_model = ErrorModel{.penalty = s.penalty, .temperature = 1 / s.bounds.risk_weight};
  return plan;
}

}  // namespace dperm::methods
