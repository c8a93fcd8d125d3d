// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/gradient_descent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/solve/vectors.hpp"

namespace dperm::solve {

void validate(const Curvature& curvature) {
  require_positive_finite("strong_convexity", curvature.strong_convexity);
  require_positive_finite("smoothness", curvature.smoothness);
  require(curvature.smoothness >= curvature.strong_convexity,
          fmt::format("smoothness must be at least strong_convexity {}; got {}", curvature.strong_convexity,
                      curvature.smoothness));
}

double least_tolerance(const Curvature& curvature, double evaluation_error, bool constrained) {
  validate(curvature);
  require_nonnegative_finite("evaluation_error", evaluation_error);
  return rounded_up((constrained ? curvature.smoothness / curvature.strong_convexity + 2 : 4) * evaluation_error);
}

double step_rounding_error(const Curvature& curvature, double weight_norm, double gradient_norm) {
  validate(curvature);
  require_nonnegative_finite("weight_norm", weight_norm);
  require_nonnegative_finite("gradient_norm", gradient_norm);
  // The inverse step is the smoothness, or half its sum with the strong convexity, which is less.
  return rounded_up(0x1p-52 * (weight_norm * curvature.smoothness + gradient_norm));
}

// [proof solve_certified.steps]
double descent_error(const Curvature& curvature, double evaluation_error, double projection_error, double weight_norm,
                     double gradient_norm) {
  require_nonnegative_finite("evaluation_error", evaluation_error);
  require_nonnegative_finite("projection_error", projection_error);
  const double twice_inverse_step = curvature.smoothness + curvature.strong_convexity;
  return rounded_up(evaluation_error + 2 * twice_inverse_step * projection_error +
                    step_rounding_error(curvature, weight_norm, gradient_norm));
}

std::int64_t gradient_descent_steps(const Curvature& curvature, double initial_gradient_norm, double gradient_tolerance,
                                    double evaluation_error, bool constrained) {
  const double least = least_tolerance(curvature, evaluation_error, constrained);
  require_nonnegative_finite("initial_gradient_norm", initial_gradient_norm);
  require_positive_finite("gradient_tolerance", gradient_tolerance);
  const double condition = curvature.smoothness / curvature.strong_convexity;
  require(gradient_tolerance > least,
          fmt::format("gradient_tolerance {} lies below what the evaluation error {} allows to promise; the least "
                      "tolerance at condition number {} is {}",
                      gradient_tolerance, evaluation_error, condition, least));
  double steps = 0;
  if (constrained) {
    const double start = condition * initial_gradient_norm;
    const double needed = gradient_tolerance - least;
    if (start > rounded_down(needed)) steps = (condition + 1) / 2 * rounded_up(std::log(start / needed) + 0x1p-40);
  } else {
    const double ratio = rounded_up(4 * initial_gradient_norm / gradient_tolerance);
    steps = 2 * condition * rounded_up(std::fmax(0, std::log(ratio)) + 0x1p-40) + 2 * condition / 3 + 1;
  }
  steps = rounded_up(steps);
  require(steps < 0x1p62, "the number of gradient steps exceeds 2^62: the condition number is too large");
  return static_cast<std::int64_t>(std::ceil(steps)) + 1;
}
// [/proof]

// [proof solve_certified.residual]
namespace {

// An upper bound, for w within projection_error of the projection of v, of what s certifies.
double residual_with(long double s, const Curvature& curvature, std::span<const double> gradient,
                     std::span<const double> v, std::span<const double> w, double projection_error) {
  long double sum = 0, size = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const long double push = s * (static_cast<long double>(v[j]) - w[j]);
    sum += (gradient[j] + push) * (gradient[j] + push);
    size += gradient[j] * static_cast<long double>(gradient[j]) + push * push;
  }
  const double rounding = 0x1p-60 * static_cast<double>(std::sqrt(size));
  const double moved = (curvature.smoothness + curvature.strong_convexity + static_cast<double>(s)) * projection_error;
  const double residual = rounded_up(static_cast<double>(std::sqrt(sum)) + rounding + moved);
  return std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity();
}

}  // namespace

double optimality_residual(const Curvature& curvature, std::span<const double> gradient, std::span<const double> v,
                           std::span<const double> w, double projection_error) {
  long double product = 0, square = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const long double normal = static_cast<long double>(v[j]) - w[j];
    product += normal * gradient[j];
    square += normal * normal;
  }
  const long double nearest = product < 0 && square > 0 ? -product / square : 0;
  const long double inverse_step = (static_cast<long double>(curvature.smoothness) + curvature.strong_convexity) / 2;
  return std::min(residual_with(nearest, curvature, gradient, v, w, projection_error),
                  residual_with(inverse_step, curvature, gradient, v, w, projection_error));
}
// [/proof]

SolveSummary minimise_by_gradient_descent(const Objective& objective, std::span<double> w,
                                          const GradientDescentOptions& options) {
  validate(options.curvature);
  require_positive_finite("gradient_tolerance", options.gradient_tolerance);
  require_nonnegative_finite("evaluation_error", options.evaluation_error);
  require_nonnegative_finite("projection_error", options.projection_error);
  require(options.iteration_limit >= 0, "iteration_limit must not be negative");
  require(w.size() == objective.dimension(), "the starting point has the wrong dimension");
  const double step = options.project ? 2 / (options.curvature.smoothness + options.curvature.strong_convexity)
                                      : 1 / options.curvature.smoothness;
  if (options.project) options.project(w);
  std::vector<double> gradient(w.size()), unprojected(w.begin(), w.end());
  SolveSummary summary;
  for (;;) {
    summary.value = objective.value_and_gradient(w, gradient);
    ++summary.evaluations;
    summary.gradient_norm = detail::norm_above(gradient);
    if (!detail::all_finite(summary.value, gradient)) {
      summary.stop = Stop::non_finite;
      summary.gradient_norm = summary.optimality_residual = std::numeric_limits<double>::infinity();
      return summary;
    }
    summary.optimality_residual =
        optimality_residual(options.curvature, gradient, unprojected, w, options.projection_error);
    if (summary.optimality_residual + options.evaluation_error <= options.gradient_tolerance) {
      summary.stop = Stop::converged;
      return summary;
    }
    if (summary.iterations == options.iteration_limit) {
      summary.stop = Stop::iteration_limit;
      return summary;
    }
    for (std::size_t j = 0; j < w.size(); ++j) unprojected[j] = w[j] = w[j] - step * gradient[j];
    if (options.project) options.project(w);
    ++summary.iterations;
  }
}

}  // namespace dperm::solve
