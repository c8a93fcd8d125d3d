// SPDX-License-Identifier: Apache-2.0
// All that output perturbation decides before it reads a record: solver, penalty, sensitivity and noise, from public
// facts and options alone; and the exact point that follows from them and the records. Proof note:
// output_perturbation.md.
#pragma once

#include <span>
#include <string>

#include "dperm/methods/options.hpp"
#include "dperm/methods/output_perturbation/stable_solver.hpp"
#include "dperm/methods/shared/certified_minimiser.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

struct OutputSettings {
  Task task;
  bool certified;             // the minimiser; otherwise the point of a fixed number of steps
  double comparator;          // norm of the weights the utility bound compares with
  double radius;              // public bound on the norm of the point that noise is added to
  double release_radius;      // the noisy point is projected onto a ball of this radius
  loss::FeasibleSet kept_in;  // solvers of fixed steps: where iterates are kept
  StableShape shape;          // the same
  StableRule rule;            // the same
  GradientLattice lattice;
  double gradient_difference;
  SolverBounds bounds;
  double sensitivity;   // of the computed point, encoded units
  double lattice_step;  // g
  privacy::Mechanism mechanism;
  double noise_square;  // expected squared norm of the noise, encoded units
  double excess_risk;
};

// Throw ArgumentError naming what fails.
OutputSettings output_settings(const Task& asked, const OutputCertifiedOptions& options);
OutputSettings output_settings(const Task& asked, const OutputDescentOptions& options);
OutputSettings output_settings(const Task& asked, const OutputSgdOptions& options);

// Whether rows are visited in batches, for which a secret division is drawn.
inline bool in_batches(const OutputSettings& s) { return !s.certified && s.rule.batch < s.task.facts.rows; }

// The point that noise is added to, on the lattice; `order` as stable_point takes it. Runs inside Sensitive::map.
std::vector<std::int64_t> output_point(const OutputSettings& s, const engine::RowSums& sums,
                                       std::span<const std::uint32_t> order, Threads threads);

}  // namespace dperm::methods
