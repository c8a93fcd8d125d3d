// SPDX-License-Identifier: Apache-2.0
// The penalised risk of a dataset as integer costs on a public lattice of weights in a ball or a box. Note:
// exponential_ball.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/random/choice/lattice_selection.hpp"

namespace dperm::methods {

// Weights w_j = (2 u_j + 1 - 2^bits) radius / 2^bits, 0 <= u_j < 2^bits, inside a ball or box of that radius.
struct WeightGrid {
  loss::FeasibleSet set;
  std::size_t dimension;
  int bits;

  double step() const;                            // between neighbours along an axis
  double weight(std::uint64_t coordinate) const;  // one rounding
  std::vector<double> weights(std::span<const std::uint64_t> point) const;
  bool contains(std::span<const std::uint64_t> point) const;  // exact
};

// Public numbers that turn losses into integers; see the note.
struct CostUnits {
  double value_bound;         // `steps` of a row's cost
  double steps;               // per value_bound
  double value_error;         // of a row's computed loss
  std::uint64_t range;        // of the summed costs when a record is replaced
  GradientLattice gradients;  // solver resolution
};
// `task` has a ball or a box. Throws ArgumentError where the arithmetic would not do.
CostUnits cost_units(const Task& task);

// Lives inside Sensitive: what it computes depends on records.
class RiskCosts final : public random::LatticeCosts {
 public:
  // All references must outlive it.
  RiskCosts(const engine::RowSums& sums, const Problem& problem, const WeightGrid& grid, const CostUnits& units,
            Threads threads);

  std::size_t dimension() const override { return grid_.dimension; }
  int bits() const override { return grid_.bits; }
  bool contains(std::span<const std::uint64_t> point) const override { return grid_.contains(point); }
  std::int64_t cost(std::span<const std::uint64_t> point) const override { return cost_at(grid_.weights(point)); }
  std::optional<random::BoxBound> bound(const random::LatticeBox& box) const override;

 private:
  bool misses_the_set(const random::LatticeBox& box) const;
  std::int64_t cost_at(std::span<const double> weights) const;
  std::vector<double> gradient_at(std::span<const double> weights) const;  // of the penalised mean risk

  const engine::RowSums& sums_;
  const Problem& problem_;
  const WeightGrid& grid_;
  const CostUnits& units_;
  Threads threads_;
  std::int64_t middle_;  // subtracted from every cost, so that costs fit 61 bits
  double per_risk_;      // cost of mean risk 1
};

}  // namespace dperm::methods
