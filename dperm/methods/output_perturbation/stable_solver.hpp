// SPDX-License-Identifier: Apache-2.0
// Solvers with a fixed public number of steps, whose point moves little when one record is replaced, converged or not:
// projected gradient descent on all rows, or on batches of rows in a secret random order. Proof note: stable_solver.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::methods {

// What is public about the penalised risk on the set where iterates are kept. Everything but `rows` holds for the mean
// over any batch as well.
struct StableShape {
  std::size_t rows = 0;
  double gradient_difference = 0;  // of two records' losses
  double lipschitz = 0;            // norm of a gradient, penalty included
  double smoothness = 0;           // penalty included
  double penalty = 0;              // modulus of strong convexity; may be 0
  double radius = 0;               // largest norm in the set
  double start_distance = 0;       // largest norm of a point the risk is compared with
  double minimiser_norm = 0;       // of the minimiser over the set
  bool interior = false;           // the set holds the minimiser and all iterates in its interior
  double gradient_error = 0;       // of a computed gradient
  double position_error = 0;       // of a computed step and projection, whatever the step size
};

struct StableRule {
  std::size_t batch = 1;    // rows per step; all rows: gradient descent
  std::size_t passes = 1;   // complete passes over the rows
  double step_size = 0;     // eta
  bool decreasing = false;  // min(eta, 1/(penalty t)) at step t = 1, 2, ...; the last iterate is returned
  bool averaged = false;    // the mean of the iterates between passes (batches: with the start) is returned
};

// Throws ArgumentError unless 1 <= batch <= rows, passes >= 1 and the step size is one for which a step brings points
// together: at most 2/(smoothness + penalty).
void validate(const StableShape& shape, const StableRule& rule);

std::size_t batches_a_pass(const StableShape& shape, const StableRule& rule);
// Batches of a fixed divisor weigh the penalty by this factor when the last one is short; at least 1.
double penalty_factor(const StableShape& shape, const StableRule& rule);

// How far the computed points of neighbouring datasets can be apart.
double iterate_sensitivity(const StableShape& shape, const StableRule& rule);

// P(point) - P(v) at most, for the penalised risk P with its penalty times penalty_factor and every v of the set with
// ||v|| <= start_distance. Infinity where nothing is proved.
double optimisation_error(const StableShape& shape, const StableRule& rule);

// The rule with the smallest risk(rule) among those with the given batch, schedule and averaging. `passes` 0 or
// `step_size` 0: to be chosen, up to most_passes and the largest step that is covered by a theorem.
StableRule best_rule(const StableShape& shape, StableRule rule, std::size_t most_passes,
                     const std::function<double(const StableRule&)>& risk);

// About 256 batches per pass: enough steps, and batches large enough to be summed quickly.
std::size_t automatic_batch(std::size_t rows);

// Runs inside Sensitive::map. `lattice` is that of gradient_lattice for rule.batch rows, `set` the set of the shape.
// `order` holds every row once, batch by batch as Curator::draw_batches draws them, and is the same in every pass; it
// is empty where all rows are one batch. Batches are for losses of one score.
std::vector<double> stable_point(const engine::RowSums& sums, const Problem& problem, const loss::FeasibleSet& set,
                                 const GradientLattice& lattice, const StableRule& rule,
                                 std::span<const std::uint32_t> order, Threads threads);

}  // namespace dperm::methods
