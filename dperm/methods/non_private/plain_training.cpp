// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/non_private/plain_training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/sgd/optimiser.hpp"
#include "dperm/methods/sgd/sgd_settings.hpp"
#include "dperm/random/bernoulli.hpp"
#include "dperm/random/bits.hpp"

namespace dperm::methods {

namespace {

constexpr double kEpochs = 100, kLearningRate = 0.002;
constexpr std::size_t kBatch = 64;
// Gradients are counted in steps of 2^-24 of this. Rows have norm sqrt(columns) here, so that a first gradient may be
// some tens long; hardly any is shortened.
constexpr double kLargestGradient = 64;

void shuffle(std::vector<std::size_t>& rows, random::BitSource& bits) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random::uniform_below(bits, i)]);
}

}  // namespace

PlainTraining plain_training(const Task& task, const NonPrivateOptions& options) {
  const double rows = static_cast<double>(task.facts.rows);
  PlainTraining s{task, options.batch.value_or(std::min(kBatch, task.facts.rows)), 1,
                  options.learning_rate.value_or(kLearningRate), options.init_seed};
  require(s.batch <= task.facts.rows, "`batch` must be at most the number of rows");
  const double steps = std::ceil(options.epochs.value_or(kEpochs) * rows / static_cast<double>(s.batch));
  require(steps <= kMostSteps, "epochs * rows / batch must be at most a million steps");
  s.steps = std::max<std::size_t>(1, static_cast<std::size_t>(steps));
  return s;
}

std::vector<double> train_plainly(const engine::RowSums& sums, const PlainTraining& s, const FitOptions& options) {
  const network::Shape shape = network_shape(s.task);
  Optimiser optimiser({.rule = UpdateRule::adam,
                       .learning_rate = s.learning_rate,
                       .penalty = s.task.problem.l2_penalty,
                       .feasible_set = s.task.problem.feasible_set,
                       .steps = s.steps},
                      initial_weights(shape, s.task.facts.columns, s.seed));
  random::SeededBits bits(s.seed);
  std::vector<std::size_t> order(sums.rows()), batch;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t next = order.size();
  for (std::size_t step = 1; step <= s.steps; ++step) {
    if (next + s.batch > order.size()) {
      shuffle(order, bits);
      next = 0;
    }
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(next);
    batch.assign(first, first + static_cast<std::ptrdiff_t>(s.batch));
    std::sort(batch.begin(), batch.end());
    next += s.batch;
    const network::ClippedQuery query{shape, s.task.problem.loss, optimiser.weights(), kLargestGradient};
    optimiser.advance(sums.clipped_gradient(query, batch, options.threads),
                      network::step_size(kLargestGradient) / static_cast<double>(s.batch));
    if (options.progress) options.progress(step, s.steps);
  }
  return optimiser.result();
}

}  // namespace dperm::methods
