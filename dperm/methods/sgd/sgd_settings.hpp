// SPDX-License-Identifier: Apache-2.0
// All numbers of a DP-SGD run, from public facts and options alone. Proof note: sgd.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/engine/network/shape.hpp"
#include "dperm/methods/plan.hpp"
#include "dperm/methods/sgd/optimiser.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

struct SgdSettings {
  Task task;
  network::Shape shape;
  double clip;            // largest norm of a row's gradient in the network's weights
  double expected_batch;  // public: rate * rows, what every sum is divided by
  std::size_t steps;
  privacy::PrivacyEvent event;  // all steps
  double mean_scale;            // from lattice sums to mean gradients
  double score_factor = 1;      // scores of the released model are those of the last step times this
  double weight_unit;           // a model's weight is this times the network's: sqrt(m) for linear models, else 1
  OptimiserSettings optimiser;
  UtilityBound utility;
  std::uint64_t init_seed;
};

// Throws ArgumentError naming what fails.
SgdSettings sgd_settings(const Task& task, const SgdOptions& options);

// Zeros for models without hidden layers. Else each layer's weights uniform around 0 with the width of [HZRS15] (relu)
// or [GB10] (tanh), constants 0: a public function of shape and seed, no secret and no data in it.
std::vector<double> initial_weights(const network::Shape& shape, std::size_t columns, std::uint64_t seed);

// The network's weights as those of the task's model: class by class and in encoded units where it is linear.
std::vector<double> model_weights(const SgdSettings& settings, std::span<const double> network_weights);

}  // namespace dperm::methods
