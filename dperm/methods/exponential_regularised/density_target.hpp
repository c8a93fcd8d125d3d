// SPDX-License-Identifier: Apache-2.0
// The penalised risk of a dataset as the target of the proximal sampler, with the bounds that hold for all data. Note:
// exponential_regularised.md.
#pragma once

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/random/choice/proximal_sampler.hpp"

namespace dperm::methods {

// Public. f1 = k times the mean loss, f = f1 + (alpha / 2) ||w||^2; lengths in encoded units.
struct DensityBounds {
  double risk_weight;     // k
  double alpha;           // k m
  double smoothness;      // of f1: k beta
  double eta;             // variance of the forward noise
  double lattice_step;    // a power of two
  double value_bound;     // of the losses on the ball
  double offset;          // ||centre - anchor|| that the acceptance rate allows
  std::int64_t descents;  // gradient steps that certainly reach it
  GradientLattice gradients;
};

// Lives inside Sensitive. All references must outlive it.
class DensityTarget final : public random::ProximalTarget {
 public:
  DensityTarget(const engine::RowSums& sums, const loss::Loss& loss, const DensityBounds& bounds, Threads threads)
      : sums_(sums), loss_(loss), bounds_(bounds), threads_(threads) {}

  std::int64_t cost(std::span<const std::int64_t> point) const override;
  void prepare(std::span<const std::int64_t> y, std::span<std::int64_t> anchor,
               std::span<std::int64_t> centre) const override;

 private:
  std::vector<double> slope_at(std::span<const double> weights) const;  // the gradient of f1

  const engine::RowSums& sums_;
  const loss::Loss& loss_;
  const DensityBounds& bounds_;
  Threads threads_;
};

}  // namespace dperm::methods
