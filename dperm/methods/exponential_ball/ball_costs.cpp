// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_ball/ball_costs.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/rounding_error.hpp"

namespace dperm::methods {

namespace {

double radius_of(const Task& task) { return loss::norm_bound(task.problem.feasible_set, task.facts.dimension); }

// The penalty passes fewer than 16 roundings, at the point and at the anchor.
constexpr double kPenaltyError = 0x1p-48;

// a + b moved into [-limit, limit]; |a| <= limit <= 2^61 and |b| <= 2^62.
std::int64_t clamped_sum(std::int64_t a, std::int64_t b, std::int64_t limit) {
  return std::clamp(a + b, -limit, limit);
}

}  // namespace

// [proof methods_exponential_ball.grid]
double WeightGrid::step() const { return std::ldexp(set.radius, 1 - bits); }

double WeightGrid::weight(std::uint64_t coordinate) const {
  const auto odd = 2 * static_cast<std::int64_t>(coordinate) + 1 - (std::int64_t{1} << bits);
  return static_cast<double>(odd) * std::ldexp(set.radius, -bits);
}

std::vector<double> WeightGrid::weights(std::span<const std::uint64_t> point) const {
  std::vector<double> result(point.size());
  for (std::size_t j = 0; j < point.size(); ++j) result[j] = weight(point[j]);
  return result;
}

bool WeightGrid::contains(std::span<const std::uint64_t> point) const {
  if (set.kind == loss::SetKind::box) return true;
  std::uint64_t square = 0;
  for (const std::uint64_t u : point) {
    const auto odd = 2 * static_cast<std::int64_t>(u) + 1 - (std::int64_t{1} << bits);
    square += static_cast<std::uint64_t>(odd * odd);
  }
  return square <= std::uint64_t{1} << (2 * bits);
}
// [/proof]

// [proof methods_exponential_ball.units]
CostUnits cost_units(const Task& task) {
  const Problem& problem = task.problem;
  const double radius = radius_of(task);
  // Computed weights may have a norm this much above the radius.
  const double norm = rounded_up(radius);
  const loss::LossConstants constants = loss::constants(problem.loss, norm);
  CostUnits units{};
  units.steps = engine::steps(engine::Resolution::solver, task.facts.rows);
  units.gradients = gradient_lattice(problem.loss, norm, task.facts, engine::Resolution::solver);
  units.value_error = engine::value_error(problem.loss, norm, task.facts.columns);
  units.value_bound =
      rounded_up(constants.largest_value + units.value_error + problem.l2_penalty / 2 * radius * radius);
  require_in_closed_range("largest loss on the feasible set", units.value_bound, 0x1p-60, 0x1p60);
  const double row_range =
      std::ceil(rounded_up(units.steps * (constants.range + 2 * units.value_error) / units.value_bound)) + 1;
  units.range = 2 * static_cast<std::uint64_t>(std::min(row_range, units.steps));
  return units;
}
// [/proof]

RiskCosts::RiskCosts(const engine::RowSums& sums, const Problem& problem, const WeightGrid& grid,
                     const CostUnits& units, Threads threads)
    : sums_(sums), problem_(problem), grid_(grid), units_(units), threads_(threads) {
  const double rows = static_cast<double>(sums.rows());
  middle_ = static_cast<std::int64_t>(rows * units.steps / 2);
  per_risk_ = rows * units.steps / units.value_bound;
}

// [proof methods_exponential_ball.cost]
std::int64_t RiskCosts::cost_at(std::span<const double> weights) const {
  double square = 0;
  for (const double w : weights) square += w * w;
  const auto penalty = static_cast<std::int64_t>(per_risk_ * (problem_.l2_penalty / 2 * square));
  return sums_.loss({engine::LinearModel{weights}, problem_.loss, units_.value_bound}, threads_) + penalty - middle_;
}
// [/proof]

std::vector<double> RiskCosts::gradient_at(std::span<const double> weights) const {
  const auto sum =
      sums_.gradient({problem_.loss, units_.gradients.slope_bound, weights}, engine::Resolution::solver, threads_);
  std::vector<double> gradient(sum.size());
  for (std::size_t j = 0; j < sum.size(); ++j) {
    gradient[j] = static_cast<double>(sum[j]) * units_.gradients.to_mean + problem_.l2_penalty * weights[j];
  }
  return gradient;
}

// [proof methods_exponential_ball.bound]
bool RiskCosts::misses_the_set(const random::LatticeBox& box) const {
  std::vector<std::uint64_t> nearest(box.first);
  const std::uint64_t middle = std::uint64_t{1} << (grid_.bits - 1);
  for (std::size_t j = 0; j < nearest.size(); ++j) {
    const std::uint64_t last = box.first[j] + (std::uint64_t{1} << box.bits[j]) - 1;
    nearest[j] = std::clamp(middle, box.first[j], last);
  }
  return !grid_.contains(nearest);
}

std::optional<random::BoxBound> RiskCosts::bound(const random::LatticeBox& box) const {
  if (misses_the_set(box)) return std::nullopt;
  const std::size_t dimension = grid_.dimension;
  std::vector<double> low(dimension), high(dimension), anchor(dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    low[j] = grid_.weight(box.first[j]);
    high[j] = grid_.weight(box.first[j] + (std::uint64_t{1} << box.bits[j]) - 1);
    anchor[j] = 0.5 * (low[j] + high[j]);
  }
  loss::project(grid_.set, anchor);
  const std::vector<double> gradient = gradient_at(anchor);
  // The tangent plane at the anchor, least over the box and least over the ball.
  double over_box = 0, sizes = 0, norm_square = 0, at_anchor = 0, worst = -1;
  std::size_t axis = 0;
  const double columns = static_cast<double>(sums_.columns());
  for (std::size_t j = 0; j < dimension; ++j) {
    const double g = gradient[j];
    over_box += std::min(g * (low[j] - anchor[j]), g * (high[j] - anchor[j]));
    sizes += std::fabs(g) * (std::fabs(low[j]) + std::fabs(high[j]) + std::fabs(anchor[j]));
    norm_square += g * g;
    at_anchor += g * anchor[j];
    const double width = high[j] - low[j];
    const double merit = width * (std::fabs(g) + units_.gradients.slope_bound * width / columns);
    if (merit > worst) {
      worst = merit;
      axis = j;
    }
  }
  double plane = over_box;
  if (grid_.set.kind == loss::SetKind::ball) {
    plane = std::max(plane, -std::sqrt(norm_square) * grid_.set.radius - at_anchor);
  }
  sizes += std::sqrt(norm_square) * grid_.set.radius;
  const double slack = units_.gradients.risk_error + 2 * units_.value_error + kPenaltyError * units_.value_bound +
                       kRelativeMargin * sizes;
  const double change = per_risk_ * (plane - rounded_up(slack)) - static_cast<double>(sums_.rows()) - 2;
  // Costs lie within +-middle_, so a bound may be moved there; |change| stays far below 2^63.
  const double limit = 2 * static_cast<double>(middle_);
  const auto moved = static_cast<std::int64_t>(std::floor(std::clamp(change, -limit, limit)));
  return random::BoxBound{clamped_sum(cost_at(anchor), moved, middle_), axis};
}
// [/proof]

}  // namespace dperm::methods
