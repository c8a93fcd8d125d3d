// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/projected_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/solve/vectors.hpp"

namespace dperm::solve {
namespace {

class Minimiser {
 public:
  Minimiser(const Objective& objective, const Projection& project, const ProjectedGradientOptions& options)
      : objective_(objective),
        project_(project),
        options_(options),
        root_condition_(std::sqrt(options.curvature.smoothness / options.curvature.strong_convexity)) {}

  SolveSummary run(std::span<double> w) {
    project_(w);
    std::vector<double> current(w.begin(), w.end()), ahead = current, unprojected = current, next(w.size());
    std::vector<double> gradient(w.size());
    if (measure(current, unprojected, w)) return best_;
    const double momentum = (root_condition_ - 1) / (root_condition_ + 1);
    // Restarted acceleration gains a factor e in about root_condition_ steps, so this long without gain is the floor.
    const auto patience = static_cast<std::int64_t>(std::min(50 + 20 * root_condition_, 1e9));
    double least_move = std::numeric_limits<double>::infinity();
    std::int64_t standstill = 0;
    for (; iterations_ < options_.iteration_limit && standstill < patience; ++iterations_) {
      ++evaluations_;
      const double value = objective_.value_and_gradient(ahead, gradient);
      if (!detail::all_finite(value, gradient)) return finish(Stop::non_finite);
      double move = 0, turn = 0;
      for (std::size_t j = 0; j < w.size(); ++j) {
        unprojected[j] = next[j] = ahead[j] - gradient[j] / options_.curvature.smoothness;
      }
      project_(next);
      for (std::size_t j = 0; j < w.size(); ++j) {
        move += (ahead[j] - next[j]) * (ahead[j] - next[j]);
        turn += (ahead[j] - next[j]) * (next[j] - current[j]);
      }
      move = std::sqrt(move) * options_.curvature.smoothness;
      // The gradient mapping is a free hint; the certificate costs one more evaluation.
      if (move <= options_.gradient_tolerance && measure(next, unprojected, w)) return best_;
      standstill = move < 0.9 * least_move ? 0 : standstill + 1;
      if (standstill == 0) least_move = move;
      for (std::size_t j = 0; j < w.size(); ++j) {
        ahead[j] = turn > 0 ? next[j] : next[j] + momentum * (next[j] - current[j]);
      }
      current = next;
    }
    if (measure(current, unprojected, w)) return best_;
    return finish(standstill >= patience ? Stop::stalled : Stop::iteration_limit);
  }

 private:
  // Keeps `point` if it is the best measured so far; true when it meets the tolerance.
  bool measure(std::span<const double> point, std::span<const double> unprojected, std::span<double> w) {
    std::vector<double> gradient(point.size());
    ++evaluations_;
    const double value = objective_.value_and_gradient(point, gradient);
    const double residual =
        detail::all_finite(value, gradient)
            ? optimality_residual(options_.curvature, gradient, unprojected, point, options_.projection_error)
            : std::numeric_limits<double>::infinity();
    if (residual < best_.optimality_residual) {
      best_.value = value;
      best_.gradient_norm = detail::norm_above(gradient);
      best_.optimality_residual = residual;
      std::copy(point.begin(), point.end(), w.begin());
    }
    best_.iterations = iterations_;
    best_.evaluations = evaluations_;
    best_.stop = Stop::converged;
    return best_.optimality_residual + options_.evaluation_error <= options_.gradient_tolerance;
  }

  SolveSummary finish(Stop stop) {
    best_.stop = std::isfinite(best_.optimality_residual) ? stop : Stop::non_finite;
    best_.iterations = iterations_;
    best_.evaluations = evaluations_;
    return best_;
  }

  const Objective& objective_;
  const Projection& project_;
  const ProjectedGradientOptions& options_;
  double root_condition_;
  SolveSummary best_{.gradient_norm = std::numeric_limits<double>::infinity(),
                     .optimality_residual = std::numeric_limits<double>::infinity()};
  std::int64_t iterations_ = 0, evaluations_ = 0;
};

}  // namespace

SolveSummary minimise_projected(const Objective& objective, std::span<double> w, const Projection& project,
                                const ProjectedGradientOptions& options) {
  validate(options.curvature);
  require_positive_finite("gradient_tolerance", options.gradient_tolerance);
  require_nonnegative_finite("evaluation_error", options.evaluation_error);
  require_nonnegative_finite("projection_error", options.projection_error);
  require(options.iteration_limit >= 0, "iteration_limit must not be negative");
  require(static_cast<bool>(project), "a projection is required; use minimise() without one");
  require(w.size() == objective.dimension(), "the starting point has the wrong dimension");
  return Minimiser(objective, project, options).run(w);
}

}  // namespace dperm::solve
