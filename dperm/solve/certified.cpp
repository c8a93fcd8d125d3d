// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/certified.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/solve/lbfgs.hpp"
#include "dperm/solve/projected_gradient.hpp"
#include "dperm/solve/vectors.hpp"

namespace dperm::solve {
namespace {

SolveSummary solve_fast(const Objective& objective, std::span<double> w, const CertifiedOptions& options) {
  if (options.project) {
    return minimise_projected(objective, w, options.project,
                              {.curvature = options.curvature,
                               .gradient_tolerance = options.gradient_tolerance,
                               .evaluation_error = options.evaluation_error,
                               .projection_error = options.projection_error,
                               .iteration_limit = options.fast_iteration_limit});
  }
  // The fast solver compares the bare norm, so it is given what the evaluation error leaves of the tolerance.
  const double left = rounded_down(options.gradient_tolerance - options.evaluation_error);
  return minimise(objective, w,
                  {.gradient_tolerance = std::max(left, 0.0),
                   .iteration_limit = options.fast_iteration_limit,
                   .first_step = 1 / options.curvature.smoothness,
                   .value_resolution = options.value_resolution});
}

// [proof solve_certified.certificate]
bool certify(const CertifiedOptions& options, const SolveSummary& solve, CertifiedSummary& summary) {
  summary.solve = solve;
  summary.certified_residual = rounded_up(solve.optimality_residual + options.evaluation_error);
  if (!(summary.certified_residual <= options.gradient_tolerance)) return false;
  summary.verdict = Verdict::certified;
  return true;
}
// [/proof]

// [proof solve_certified.fallback]
// The evaluation error with the rounding of a step and of a projection, for the largest norms that descent from w can
// meet (certified.md, "Rounding").
double total_error(const CertifiedOptions& options, std::span<const double> w, double start_gradient) {
  const double condition = options.curvature.smoothness / options.curvature.strong_convexity;
  const double growth = options.project ? 1 + 2 * condition : 1;
  const double gradient = growth * (start_gradient + (condition + 2) * options.evaluation_error);
  const double weight = detail::norm_above(w) + 2 * gradient / options.curvature.strong_convexity;
  return descent_error(options.curvature, options.evaluation_error, options.projection_error,
                       std::min(weight, options.largest_weight), std::min(gradient, options.largest_gradient));
}
// [/proof]

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::certified:
      return "certified";
    case Verdict::tolerance_below_evaluation_error:
      return "the tolerance lies below what the objective's evaluation error allows";
    case Verdict::constants_violated:
      return "the stated curvature or evaluation error does not hold for this objective";
    case Verdict::non_finite:
      return "the objective is not finite";
  }
  throw InternalError("unknown verdict");
}

CertifiedSummary minimise_certified(const Objective& objective, std::span<double> w, const CertifiedOptions& options) {
  validate(options.curvature);
  require_positive_finite("gradient_tolerance", options.gradient_tolerance);
  require_nonnegative_finite("evaluation_error", options.evaluation_error);
  require_nonnegative_finite("projection_error", options.projection_error);
  require(options.largest_weight >= 0 && options.largest_gradient >= 0, "bounds on norms must not be negative");
  CertifiedSummary summary;
  std::vector<double> start(w.begin(), w.end());
  if (options.project) options.project(start);
  const SolveSummary fast = solve_fast(objective, w, options);
  if (certify(options, fast, summary)) return summary;
  std::vector<double> gradient(w.size());
  const double value = objective.value_and_gradient(start, gradient);
  if (!detail::all_finite(value, gradient)) return summary;

  // Descent goes on from the fast solver's point where that is no worse a start than the original one, and not so far
  // out that the caller's bounds would not hold.
  const double start_norm = detail::norm_above(gradient) + options.evaluation_error;
  const double fast_norm = fast.gradient_norm + options.evaluation_error;
  const bool go_on = fast_norm <= start_norm && detail::norm_above(w) <= options.largest_weight / 2;
  std::vector<double> descent = go_on ? std::vector<double>(w.begin(), w.end()) : start;
  const double descent_norm = go_on ? fast_norm : start_norm;
  const double error = total_error(options, descent, descent_norm);
  const double least = least_tolerance(options.curvature, error, static_cast<bool>(options.project));
  // The margin pays for the roundings between a measured residual and its certificate.
  const double tolerance = options.gradient_tolerance * (1 - 0x1p-30);
  const double promised = std::max(tolerance, rounded_up(2 * least));
  summary.used_fallback = true;
  const SolveSummary slow = minimise_by_gradient_descent(
      objective, descent,
      {.curvature = options.curvature,
       .gradient_tolerance = rounded_down(options.gradient_tolerance),
       .evaluation_error = options.evaluation_error,
       .project = options.project,
       .projection_error = options.projection_error,
       .iteration_limit = gradient_descent_steps(options.curvature, descent_norm, promised, error,
                                                 static_cast<bool>(options.project))});
  if (slow.optimality_residual < fast.optimality_residual) {
    std::copy(descent.begin(), descent.end(), w.begin());
    if (certify(options, slow, summary)) return summary;
  }
  if (slow.stop == Stop::non_finite || tolerance > least) {
    summary.verdict = Verdict::constants_violated;
  } else {
    summary.verdict = Verdict::tolerance_below_evaluation_error;
  }
  return summary;
}

}  // namespace dperm::solve
