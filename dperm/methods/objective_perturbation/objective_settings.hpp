// SPDX-License-Identifier: Apache-2.0
// All that objective perturbation decides before it reads a record, and the minimiser it computes inside
// Sensitive::with. Proof note: objective_perturbation.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/methods/shared/certified_minimiser.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

// What the solver may assume when the random term's norm is at most `term` (of the mean objective).
struct SolverLevel {
  double term;
  GradientLattice lattice;
  SolverBounds bounds;
};

struct ObjectiveSettings {
  Task task;  // with the penalty that is used
  TermNoise noise;
  ObjectiveCalibration calibration;
  double comparator;                // norm of the weights the utility bound compares with
  double output_share;              // of epsilon, for hiding the solver's residual
  privacy::Mechanism term;          // ObjectivePerturbationEvent or PureObjectiveEvent
  double noise_square;              // E||b||^2, summed objective
  double term_step;                 // lattice step of b, a power of two; the summed objective's units
  std::vector<SolverLevel> levels;  // growing terms. Gaussian: one, the tail is charged to delta. Pure: all terms
  double kept_radius;               // pure: the computed minimiser is moved into this ball; 0: it is not
  double sensitivity;               // of the computed minimiser given the exact one
  double lattice_step;
  privacy::Mechanism output;  // GaussianEvent or KNormEvent
  double output_square;       // expected squared norm of the output noise
  double excess_risk;
};

// The noise asked for; by the budget where none is. Throws ArgumentError for Gaussian noise without a delta.
TermNoise term_noise(std::optional<TermNoise> asked, const Budget& budget);

// Checks the task and chooses penalty, noise and tolerances, from public facts alone.
ObjectiveSettings objective_settings(const Task& asked, TermNoise noise, ObjectiveCalibration calibration);

// The loss as the profile sees it; penalty and sigma are 0. Throws ArgumentError for a loss without a proof.
privacy::PerturbedObjective perturbed_objective(const Task& task);
// For comparison: the noise that an earlier theorem (not tight) would ask for at this penalty, or at the least it
// allows.
double classical_noise(const ObjectiveSettings& settings, ObjectiveCalibration calibration);

// The computed minimiser of the perturbed objective on the lattice. Runs inside Sensitive::with.
std::vector<std::int64_t> perturbed_minimiser(const ObjectiveSettings& settings, const engine::RowSums& sums,
                                              const std::vector<std::int64_t>& term, Threads threads);

}  // namespace dperm::methods
