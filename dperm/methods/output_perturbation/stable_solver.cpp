// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/output_perturbation/stable_solver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/row_sums.hpp"

namespace dperm::methods {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBatchesAPass = 256;
constexpr std::size_t kBlockRows = 64;  // that are computed together

double step_at(const StableShape& shape, const StableRule& rule, double t) {
  return rule.decreasing ? std::fmin(rule.step_size, 1 / (shape.penalty * t)) : rule.step_size;
}

// How far a computed step is from the exact one.
double step_error(const StableShape& shape, double step) { return step * shape.gradient_error + shape.position_error; }

// (1 - step penalty)^count, an upper bound.
long double shrinkage(long double step, long double penalty, long double count) {
  const long double power = std::exp(count * std::log1p(-step * penalty));
  return std::fmin(1.0L, power * (1 + 0x1p-58L));
}

std::size_t averaged_points(const StableShape& shape, const StableRule& rule) {
  return rule.batch == shape.rows ? rule.passes : rule.passes + 1;
}

}  // namespace

void validate(const StableShape& shape, const StableRule& rule) {
  require(rule.batch >= 1 && rule.batch <= shape.rows,
          fmt::format("batch must be at least 1 and at most the number of rows; got {}", rule.batch));
  require(rule.passes >= 1, "passes must be at least 1");
  require_positive_finite("step_size", rule.step_size);
  const double largest = 2 / (shape.smoothness + shape.penalty);
  require(rule.step_size <= largest,
          fmt::format("step_size must be at most 2/(smoothness + l2_penalty) = {:.6g}, beyond which a step may drive "
                      "neighbouring datasets apart; got {}",
                      largest, rule.step_size));
}

std::size_t batches_a_pass(const StableShape& shape, const StableRule& rule) {
  return (shape.rows + rule.batch - 1) / rule.batch;
}

double penalty_factor(const StableShape& shape, const StableRule& rule) {
  return rounded_up(static_cast<double>(batches_a_pass(shape, rule)) * static_cast<double>(rule.batch) /
                    static_cast<double>(shape.rows));
}

// [proof methods_stable_solver.sensitivity]
double iterate_sensitivity(const StableShape& shape, const StableRule& rule) {
  validate(shape, rule);
  const double batch = static_cast<double>(rule.batch);
  const double batches = static_cast<double>(batches_a_pass(shape, rule));
  const double passes = static_cast<double>(rule.passes);
  if (rule.decreasing) {
    require(shape.penalty > 0 && !rule.averaged, "decreasing steps need l2_penalty above 0 and return the last point");
    const double visits =
        shape.gradient_difference / batch * std::fmin(1 / (shape.penalty * batches), passes * rule.step_size);
    return rounded_up(visits + 2 * (shape.gradient_error / shape.penalty + shape.position_error * passes * batches));
  }
  // The worst place of the replaced row is in the last batch of a pass: nothing shrinks its trace in that pass.
  const long double visit = static_cast<long double>(rule.step_size) * shape.gradient_difference / batch +
                            2 * batches * static_cast<long double>(step_error(shape, rule.step_size));
  const long double shrink = shrinkage(rule.step_size, shape.penalty, batches);
  long double distance = 0, sum = 0;
  for (std::size_t pass = 1; pass <= rule.passes; ++pass) {
    distance = shrink * distance + visit;
    sum += distance;
  }
  if (!rule.averaged) return rounded_up(static_cast<double>(distance));
  const double rounding = shape.radius * (0x1p-51 + 0x1p-61 * passes);
  return rounded_up(static_cast<double>(sum / averaged_points(shape, rule)) + rounding);
}
// [/proof]

namespace {

// Gradient descent on all rows.
double descent_error(const StableShape& shape, const StableRule& rule) {
  const double step = rule.step_size, passes = static_cast<double>(rule.passes);
  if (step * shape.smoothness > 1 - 0x1p-50) return kInfinity;
  const double error = step_error(shape, step);
  const double each = (4 * shape.radius * error + error * error) / (2 * step) + shape.lipschitz * error;
  const double start = shape.start_distance * shape.start_distance / (2 * step * passes);
  if (rule.averaged) return start + each;
  const double plain = start + (passes + 1) * each;
  if (shape.penalty == 0) return plain;
  const double shrink = static_cast<double>(shrinkage(step, shape.penalty, passes));
  const double linear = shrink * shape.minimiser_norm * shape.minimiser_norm / (2 * step);
  return std::fmin(plain, linear + each + each / (step * shape.penalty));
}

// Batches, constant steps, the points between passes averaged.
double averaged_batches_error(const StableShape& shape, const StableRule& rule) {
  const double batches = static_cast<double>(batches_a_pass(shape, rule));
  const double way = rule.step_size * static_cast<double>(shape.rows) / static_cast<double>(rule.batch);
  const double reach = rule.step_size * batches * shape.lipschitz;
  const double error = batches * step_error(shape, rule.step_size);
  const double points = static_cast<double>(rule.passes) + 1;
  return shape.start_distance * shape.start_distance / (2 * way * points) +
         (reach * reach + 4 * shape.radius * error + error * error + reach * error) / (2 * way);
}

// Batches, decreasing steps, the last point.
double last_batch_error(const StableShape& shape, const StableRule& rule) {
  if (!shape.interior) return kInfinity;
  const double batches = static_cast<double>(batches_a_pass(shape, rule));
  double distance = shape.minimiser_norm;
  for (double pass = 1; pass <= static_cast<double>(rule.passes); ++pass) {
    const double first = step_at(shape, rule, (pass - 1) * batches + 1), last = step_at(shape, rule, pass * batches);
    const double reach = first * batches * shape.lipschitz;
    const double drift = shape.smoothness * first * batches * reach / 2 + shape.lipschitz * batches * (first - last) +
                         batches * step_error(shape, first);
    distance = static_cast<double>(shrinkage(last, shape.penalty, batches)) * distance + drift;
    distance = std::fmin(distance, 2 * shape.radius);
  }
  return std::fmin(shape.smoothness * penalty_factor(shape, rule) / 2 * distance * distance,
                   shape.lipschitz * penalty_factor(shape, rule) * distance);
}

}  // namespace

double optimisation_error(const StableShape& shape, const StableRule& rule) {
  if (rule.decreasing) return rounded_up(last_batch_error(shape, rule));
  if (rule.batch == shape.rows) return rounded_up(descent_error(shape, rule));
  return rule.averaged ? rounded_up(averaged_batches_error(shape, rule)) : kInfinity;
}

StableRule best_rule(const StableShape& shape, StableRule rule, std::size_t most_passes,
                     const std::function<double(const StableRule&)>& risk) {
  const bool descent = rule.batch == shape.rows && !rule.decreasing;
  const bool free_passes = rule.passes == 0, free_step = rule.step_size == 0;
  const double largest = rounded_down(1 / shape.smoothness);
  StableRule best;
  double least = kInfinity;
  for (std::size_t passes = free_passes ? 1 : rule.passes; passes <= std::max(most_passes, rule.passes);) {
    rule.passes = passes;
    // Decreasing steps start with the largest. For descent on all rows many short steps are never better than few long
    // ones, so shorter ones are of use for a single step only.
    const int shorter = !free_step || rule.decreasing || (descent && passes > 1) ? 0 : 80;
    for (int k = 0; k <= shorter; ++k) {
      if (free_step) rule.step_size = largest * std::pow(0.85, k);
      const double bound = risk(rule);
      if (bound < least || best.step_size == 0) {
        least = bound;
        best = rule;
      }
    }
    if (!free_passes) break;
    passes = std::max(passes + 1, static_cast<std::size_t>(1.1 * static_cast<double>(passes)));
  }
  return best;
}

std::size_t automatic_batch(std::size_t rows) {
  const std::size_t batch = std::clamp<std::size_t>(rows / kBatchesAPass, 1, engine::kMostBatchRows);
  return batch >= kBlockRows ? batch / kBlockRows * kBlockRows : batch;
}

// [proof methods_stable_solver.point]
std::vector<double> stable_point(const engine::RowSums& sums, const Problem& problem, const loss::FeasibleSet& set,
                                 const GradientLattice& lattice, const StableRule& rule,
                                 std::span<const std::uint32_t> order, Threads threads) {
  const std::size_t dimension = lattice.scores * sums.dimension();
  const std::size_t rows = sums.rows();
  const bool all_rows = rule.batch == rows;
  ensure(order.size() == (all_rows ? 0 : rows), "an order of other rows than those of the table");
  std::unique_ptr<engine::BatchSums> batch_sums;
  if (!all_rows) batch_sums = sums.batches(problem.loss, lattice.slope_bound, rule.batch);
  const std::size_t batches = all_rows ? 1 : (rows + rule.batch - 1) / rule.batch;
  const auto batch = [&](std::size_t j) {
    return order.subspan(j * rule.batch, std::min(rule.batch, rows - j * rule.batch));
  };
  std::vector<double> w(dimension, 0.0);
  std::vector<long double> sum(dimension, 0.0L);
  double t = 0;
  for (std::size_t pass = 1; pass <= rule.passes; ++pass) {
    for (std::size_t j = 0; j < batches; ++j) {
      std::vector<std::int64_t> total;
      if (all_rows) {
        total = gradient_on_lattice(sums, problem.loss, lattice, w, engine::Resolution::solver, threads);
      } else {
        total = batch_sums->sum(w, batch(j));
      }
      t += 1;
      const double step = rule.decreasing ? std::fmin(rule.step_size, 1 / (problem.l2_penalty * t)) : rule.step_size;
      for (std::size_t c = 0; c < dimension; ++c) {
        w[c] -= step * (static_cast<double>(total[c]) * lattice.to_mean + problem.l2_penalty * w[c]);
      }
      loss::project(set, w);
    }
    for (std::size_t c = 0; c < dimension; ++c) sum[c] += w[c];
  }
  if (!rule.averaged) return w;
  // Between batches the start, 0, is one of the points.
  const long double points = static_cast<long double>(all_rows ? rule.passes : rule.passes + 1);
  for (std::size_t c = 0; c < dimension; ++c) w[c] = static_cast<double>(sum[c] / points);
  return w;
}
// [/proof]

}  // namespace dperm::methods
