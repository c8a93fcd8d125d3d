// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <variant>

#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/output_perturbation/output_settings.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "weights";

ErrorModel error_model_of(const OutputSettings& s) {
  ErrorModel error_model{.penalty = s.task.problem.l2_penalty,
                         .output_noise = std::sqrt(s.noise_square / static_cast<double>(weight_count(s.task))),
                         .radius = s.release_radius};
  if (s.certified || s.rule.decreasing) return error_model;
  error_model.steps = static_cast<double>(s.rule.passes * batches_a_pass(s.shape, s.rule));
  error_model.step_size = s.rule.step_size;
  error_model.averaged = s.rule.averaged ? error_model.steps : 1;
  return error_model;
}

// The links that the solvers of fixed steps add.
void describe_steps(const OutputSettings& s, std::vector<DerivationStep>& steps) {
  steps.push_back({"radius", s.radius, "iterates are projected onto " + loss::describe(s.kept_in)});
  steps.push_back({"rows per step", static_cast<double>(s.rule.batch),
                   "all, or batches of a secret random order that is drawn for this fit"});
  steps.push_back(
      {"passes", static_cast<double>(s.rule.passes), "fixed before data is read; minimises the bound, or given"});
  steps.push_back({"step size", s.rule.step_size,
                   s.rule.decreasing ? "then 1/(l2_penalty t) at step t" : "at most 2/(smoothness + l2_penalty)"});
  steps.push_back({"sensitivity of the point", s.sensitivity,
                   s.rule.averaged
                       ? "mean over passes of what replaced gradients and rounding add up to [stable_solver.md]"
                       : "what replaced gradients and rounding add up to [WLKCJN17, stable_solver.md]"});
}

std::vector<DerivationStep> derivation(const OutputSettings& s) {
  std::vector<DerivationStep> steps = {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public: neighbours replace one record"},
      {"weights", static_cast<double>(weight_count(s.task)), "one per feature, with softmax one per class and feature"},
      {"l2_penalty", s.task.problem.l2_penalty, "modulus of strong convexity; minimises the utility bound, or given"},
      {"gradient difference of two records", s.gradient_difference, "largest over the feasible set [loss.md]"},
  };
  if (s.certified) {
    steps.push_back({"solver's residual", s.bounds.residual,
                     "certified gradient norm plus evaluation error; fixed before data is read"});
    steps.push_back({"sensitivity of the minimiser", s.sensitivity,
                     "(difference / n + 2 residual) / l2_penalty [CMS11, WLKCJN17]"});
  } else {
    describe_steps(s, steps);
  }
  steps.push_back({"lattice step", s.lattice_step, "a power of two far below the sensitivity"});
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

privacy::Released<std::vector<double>> perturb(const OutputSettings& s, const data::Dataset& dataset,
                                               privacy::Curator& curator, Threads threads) {
  using Order = std::vector<std::uint32_t>;
  const auto order = in_batches(s) ? curator.draw_batches(dataset.rows(), s.rule.batch) : Sensitive<Order>(Order{});
  const auto point = dataset.sums().with(order, [&](const engine::RowSums& sums, const Order& batches) {
    return output_point(s, sums, batches, threads);
  });
  const auto noisy = std::holds_alternative<privacy::KNormEvent>(s.mechanism)
                         ? curator.release(point, std::get<privacy::KNormEvent>(s.mechanism), kWhat)
                         : curator.release(point, std::get<privacy::GaussianEvent>(s.mechanism), kWhat);
  return noisy.map([&](const std::vector<std::int64_t>& lattice) {
    std::vector<double> result(lattice.size());
    for (std::size_t j = 0; j < lattice.size(); ++j) result[j] = static_cast<double>(lattice[j]) * s.lattice_step;
    // The point is known to lie in these public sets, so projecting the noisy one is free.
    loss::project(s.task.problem.feasible_set, result);
    loss::project({loss::SetKind::ball, s.release_radius}, result);
    return result;
  });
}

template <class Options>
Plan plan_output(const Task& task, const Options& options) {
  check_options(options);
  const OutputSettings s = output_settings(task, options);
  Plan plan = make_plan(
      options, s.task, {{kWhat, s.mechanism, privacy::Neighbours::replace_one, 1}}, derivation(s),
      {s.excess_risk, fmt::format("excess risk against weights of norm {:.3g} [output_perturbation.md]", s.comparator)},
      [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return {perturb(s, dataset, curator, fit_options.threads)};
      });
  plan.error_model = error_model_of(s);
  return plan;
}

}  // namespace

std::vector<std::int64_t> output_point(const OutputSettings& s, const engine::RowSums& sums,
                                       std::span<const std::uint32_t> order, Threads threads) {
  const Problem& problem = s.task.problem;
  if (s.certified) return certified_minimiser(sums, problem, s.lattice, s.bounds, s.lattice_step, threads);
  std::vector<std::int64_t> point;
  for (const double each : stable_point(sums, problem, s.kept_in, s.lattice, s.rule, order, threads)) {
    point.push_back(std::llrint(each / s.lattice_step));
  }
  return point;
}

Plan plan_for(const Task& task, const OutputCertifiedOptions& options) { return plan_output(task, options); }
Plan plan_for(const Task& task, const OutputDescentOptions& options) { return plan_output(task, options); }
Plan plan_for(const Task& task, const OutputSgdOptions& options) { return plan_output(task, options); }

}  // namespace dperm::methods
