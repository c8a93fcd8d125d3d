// SPDX-License-Identifier: Apache-2.0
// Reconstruction: how much of a row comes out of a model, without privacy and at several epsilons, for someone who
// knows all other rows. On data that is made up or that its owner has opened. Note: docs/audit_reconstruction.md.
#pragma once

#include <cstdint>
#include <vector>

#include "dperm/audit/reconstruction/last_row.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/method.hpp"

namespace dperm::audit {

struct ReconstructionOptions {
  methods::Task task;  // without a budget: each epsilon comes with its own
  methods::NamedPlanner method = {};
  std::vector<double> epsilons = {};
  double delta = 1e-6;
  std::size_t targets = 50;      // rows that are attacked, one after the other, drawn at random
  std::size_t candidates = 100;  // among which the last row is to be found
  std::uint64_t seed = 1;
  Threads threads = {};
};

// How far the attacker comes, over all targets. Errors are of the features as the schema bounds them, in [-1, 1].
struct ReconstructionLevel {
  double epsilon = 0;              // infinity: no privacy
  double typical_error = 0;        // median over targets of the largest error of a feature
  double mean_error = 0;           // root mean square over features and targets
  std::size_t rows_recovered = 0;  // targets of which every cell comes out right, on the schema's own lattice
  std::size_t found = 0;           // targets that were picked out of the candidates
};

struct Reconstruction {
  std::size_t targets = 0, candidates = 0;
  double prior_error = 0;  // root mean square of whoever guesses the others' mean, without a model
  std::vector<ReconstructionLevel> levels = {};  // without privacy first, then by falling epsilon
  OpenRow example = {};                          // one of the targets,
  std::vector<OpenRow> example_recovered = {};   // and what came out of it, level by level
};

// Fits one non-private model and, for every epsilon and target, a private one. Throws ArgumentError for tasks whose
// minimum does not say (docs/audit_reconstruction.md).
Reconstruction reconstruct(const data::Dataset& dataset, const ReconstructionOptions& options);

// What a feature that came out means on the schema's lattice: numbers rounded to it, categories to the nearest of 0 and
// 1.
std::vector<double> on_lattice(const schema::Encoding& encoding, const std::vector<double>& features);

}  // namespace dperm::audit
