// SPDX-License-Identifier: Apache-2.0
// Broken descents: one whose course depends on records, one whose summands are larger than declared. The library's
// methods cannot be written like this: they have no way to open a sum.
#include <cmath>
#include <variant>

#include "dperm/audit/controls/controls.hpp"
#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/audit/subjects.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"

namespace dperm::audit {

namespace {

struct Descent {
  double radius = 0.5;       // that the sensitivity is computed for
  bool stops_early = false;  // where the exact gradient is small
  std::int64_t stretch = 1;  // slopes up to this many times the bound are let through
};

using Lattice = methods::GradientLattice;

std::vector<std::int64_t> stretched_gradient(const engine::RowSums& sums, const loss::Loss& loss,
                                             const Lattice& lattice, const std::vector<double>& weights,
                                             std::int64_t stretch) {
  Lattice wide = lattice;
  wide.slope_bound = lattice.slope_bound * static_cast<double>(stretch);
  auto sum = methods::gradient_on_lattice(sums, loss, wide, weights, engine::Resolution::release, {1});
  for (std::int64_t& each : sum) each *= stretch;  // a unit of the wide lattice is so many of the declared one
  return sum;
}

// The subject's plan with another course: same events, same noise.
methods::Plan with_run(const methods::Plan& plan, const Descent& descent) {
  methods::Plan result = plan;
  const auto event = std::get<privacy::GaussianEvent>(plan.events.front().mechanism);
  const auto steps = static_cast<std::size_t>(plan.events.front().repetitions);
  const std::string what = plan.events.front().what;
  const Lattice lattice =
      methods::gradient_lattice(plan.task.problem.loss, descent.radius, plan.task.facts, engine::Resolution::release);
  result.run = [=, loss = plan.task.problem.loss, dimension = methods::weight_count(plan.task)](
                   const data::Dataset& dataset, privacy::Curator& curator, const methods::FitOptions&) {
    std::vector<double> weights(dimension, 0.0);
    for (std::size_t t = 1;; ++t) {
      const auto sum = dataset.sums().map([&](const engine::RowSums& sums) {
        return stretched_gradient(sums, loss, lattice, weights, descent.stretch);
      });
      const auto released = curator.release(sum, event, what);
      for (std::size_t j = 0; j < dimension; ++j) {
        weights[j] -= 0.1 * static_cast<double>(released.get()[j]) * lattice.to_mean;
      }
      if (descent.stretch == 1) loss::project({loss::SetKind::ball, descent.radius}, weights);
      double square = 0;
      for (const std::int64_t each : DeclaredPublicAccess::open(sum)) {
        square += static_cast<double>(each) * static_cast<double>(each);
      }
      // Half a record's part: whether the gradient is that small depends on a single record.
      const bool small = descent.stops_early && std::sqrt(square) < event.l2_sensitivity / 4;
      if (t == steps || small) return methods::Trained{released.map([&](const auto&) { return weights; })};
    }
  };
  return result;
}

Found searched(const Subject& each, const methods::Plan& plan) {
  return worst_pair(plan, each.encoding, each.rows, {.most_replays = 300, .climbs = 0});
}

}  // namespace

Verdict early_stop_ignored(bool broken, const ControlOptions& options) {
  const Subject each = subject("gradient-descent", options.epsilon);
  return judged(searched(each, with_run(each.plan, {.stops_early = broken})).comparison);
}

Verdict unclipped(bool broken, const ControlOptions& options) {
  Subject each = subject("gradient-descent", options.epsilon);
  each.plan.task.problem.loss.kind = loss::LossKind::squared;
  const Lattice lattice =
      methods::gradient_lattice(each.plan.task.problem.loss, 0.5, each.plan.task.facts, engine::Resolution::release);
  // The claim is that of squared loss on the ball.
  for (privacy::PrivacyEvent& event : each.plan.events) {
    std::get<privacy::GaussianEvent>(event.mechanism).l2_sensitivity = lattice.l2_sensitivity;
  }
  return judged(searched(each, with_run(each.plan, {.stretch = broken ? 16 : 1})).comparison);
}

}  // namespace dperm::audit
