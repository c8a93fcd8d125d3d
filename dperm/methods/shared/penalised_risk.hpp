// SPDX-License-Identifier: Apache-2.0
// The penalised mean loss of a dataset as a function a solver can minimise, evaluated through the engine's exact sums.
// It lives only inside Sensitive::map: everything a solver learns from it stays sensitive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/solve/objective.hpp"

namespace dperm::methods {

class PenalisedRisk final : public solve::Objective {
 public:
  // `value_bound`: losses above it count as it (only the line search reads values, no claim rests on them).
  // `linear`: a linear term added to the objective; empty for none.
  PenalisedRisk(const engine::RowSums& rows, const Problem& problem, const GradientLattice& lattice, double value_bound,
                Threads threads, std::span<const double> linear = {})
      : rows_(rows),
        problem_(problem),
        lattice_(lattice),
        value_bound_(engine_value_bound(value_bound)),
        threads_(threads),
        linear_(linear) {}

  double value_bound() const { return value_bound_; }
  std::size_t dimension() const override { return lattice_.scores * rows_.dimension(); }
  // Total: points beyond the engine's range have an infinite value.
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override;

 private:
  // What RowSums::loss accepts.
  static double engine_value_bound(double bound) { return std::clamp(bound, 0x1p-60, 0x1p60); }

  struct Sums {
    std::vector<std::int64_t> gradient;
    std::int64_t loss;
  };
  Sums sums(std::span<const double> w) const;

  const engine::RowSums& rows_;
  const Problem& problem_;
  const GradientLattice& lattice_;
  double value_bound_;
  Threads threads_;
  std::span<const double> linear_;
};

}  // namespace dperm::methods
