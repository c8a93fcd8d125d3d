// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/gradient_descent/gradient_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dperm::methods {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// More steps than this change the bound little and cost a pass over the data each: on Adult at epsilon 0.1, 1 and 3 a
// thousand steps were as accurate as any larger number.
constexpr double kAutomaticSteps = 1000;
// The automatic number of steps brings the bound within this factor of its limit.
constexpr double kCloseToLimit = 1.1;

double constant_risk(const DescentShape& shape, double steps, double step_size, double noise_square) {
  const double distance = shape.radius * shape.radius / (2 * step_size * steps);
  if (shape.has_kink()) return distance + step_size * (shape.lipschitz * shape.lipschitz + noise_square) / 2;
  const double slack = 1 - step_size * shape.smoothness;
  return slack <= 0 ? kInfinity : distance + step_size * noise_square / (2 * slack);
}

double strongly_convex_risk(const DescentShape& shape, double steps, double noise_square) {
  if (shape.strong_convexity <= 0) return kInfinity;
  return 2 * (shape.lipschitz * shape.lipschitz + noise_square) / (shape.strong_convexity * (steps + 1));
}

}  // namespace

bool DescentShape::has_kink() const { return std::isinf(smoothness); }

DescentShape descent_shape(const Task& task, double radius) {
  const Problem& problem = task.problem;
  const loss::LossConstants loss = loss::constants(problem.loss, radius, task.facts.classes);
  return {radius, loss.lipschitz + problem.l2_penalty * radius, loss.smoothness + problem.l2_penalty,
          problem.l2_penalty};
}

double DescentRule::step(std::size_t t, double strong_convexity) const {
  if (schedule == StepSchedule::constant) return step_size;
  return 2 / (strong_convexity * (static_cast<double>(t) + 1));
}

double DescentRule::weight(std::size_t t) const {
  if (schedule == StepSchedule::strongly_convex) return static_cast<double>(t);
  return t + averaged > steps ? 1 : 0;
}

double DescentRule::total_weight() const {
  const double count = static_cast<double>(steps);
  return schedule == StepSchedule::strongly_convex ? count * (count + 1) / 2 : static_cast<double>(averaged);
}

double descent_risk(const DescentShape& shape, const DescentRule& rule, double noise_square) {
  if (rule.momentum > 0) return kInfinity;
  const double steps = static_cast<double>(rule.steps);
  if (rule.schedule == StepSchedule::strongly_convex) return strongly_convex_risk(shape, steps, noise_square);
  return constant_risk(shape, steps, rule.step_size, noise_square) * steps / static_cast<double>(rule.averaged);
}

double best_step_size(const DescentShape& shape, double steps, double noise_square) {
  if (shape.has_kink()) {
    return shape.radius / std::sqrt(steps * (shape.lipschitz * shape.lipschitz + noise_square));
  }
  // Stationary point of the smooth bound: (1 - eta beta)/eta = sqrt(T d s^2) / R. Kept away from 1/beta, where the
  // bound diverges, also when there is hardly any noise.
  return 1 / (shape.smoothness * (1 + 1e-3) + std::sqrt(steps * noise_square) / shape.radius);
}

std::size_t automatic_steps(const DescentShape& shape, StepSchedule schedule, double noise_square_of_one) {
  const auto bound = [&](double steps) {
    const double noise_square = noise_square_of_one * steps;
    if (schedule == StepSchedule::strongly_convex) return strongly_convex_risk(shape, steps, noise_square);
    return constant_risk(shape, steps, best_step_size(shape, steps, noise_square), noise_square);
  };
  const double limit = schedule == StepSchedule::strongly_convex ? 2 * noise_square_of_one / shape.strong_convexity
                                                                 : shape.radius * std::sqrt(noise_square_of_one);
  double steps = 1;
  while (steps < kAutomaticSteps && bound(steps) > kCloseToLimit * limit) steps = std::ceil(steps * 1.1);
  return static_cast<std::size_t>(std::min(steps, kAutomaticSteps));
}

}  // namespace dperm::methods
