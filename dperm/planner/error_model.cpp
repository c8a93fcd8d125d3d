// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/error_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dperm::planner {

namespace {

using methods::ErrorModel;

// Below this a step times the steps moves nothing, and the sums below would lose their digits.
constexpr double kLeastProgress = 1e-4;

struct Ending {
  double kept;      // expected coordinate, as a share of the best one
  double variance;  // of the coordinate
};

// The minimiser of the penalised quadratic with a random linear term, or a draw from the density around it.
Ending minimum(const ErrorModel& error_model, double curvature, double term_variance) {
  const double total = curvature + error_model.penalty;
  if (total <= 0) return {0, 0};  // a direction in which the risk does not change at all
  return {curvature / total, term_variance / (total * total) + error_model.temperature / total};
}

// T steps from zero of w - eta (gradient + noise), the mean of the last A iterates. With a = 1 - eta (h + penalty) the
// iterate t holds the share 1 - a^t of its fixed point, and the noise of step s enters it with eta a^(t - s). Of steep
// directions that momentum damps the average holds noise/(h + penalty), as it does for any stable sequence of steps: a
// = 0 has it.
Ending descent(const ErrorModel& error_model, const Direction& direction) {
  const double steps = error_model.steps, averaged = error_model.averaged;
  const double total = direction.curvature + error_model.penalty;
  const double step_size =
      error_model.damped && total > 0 ? std::min(error_model.step_size, 1 / total) : error_model.step_size;
  const double q = std::max(step_size * total, kLeastProgress / steps);
  if (q >= 2) return {0, std::numeric_limits<double>::infinity()};
  const double a = 1 - q;
  const double fixed_point = total > 0 ? direction.curvature / total : 0;
  const double window = (1 - std::pow(a, averaged)) / q;  // 1 + a + ... + a^(A-1)
  const double missing = std::pow(a, steps - averaged + 1) * window / averaged;
  const double square = a * a, square_rest = q * (1 + a);
  const double before = window * window * square * (1 - std::pow(square, steps - averaged)) / square_rest;
  const double within = (averaged - 2 * a * window + square * (1 - std::pow(square, averaged)) / square_rest) / (q * q);
  const double noise = error_model.step_noise * error_model.step_noise + direction.row_square / error_model.sample;
  const double entering = step_size / averaged;
  return {fixed_point * (1 - missing), noise * entering * entering * (before + within)};
}

}  // namespace

double mean_square_error(const ErrorModel& error_model, std::span<const Direction> directions) {
  // Noise in the curvature acts on the weights that are kept.
  double term_variance = error_model.term_noise * error_model.term_noise;
  for (const Direction& each : directions) {
    const double kept = minimum(error_model, each.curvature, 0).kept;
    term_variance += error_model.matrix_noise * error_model.matrix_noise / 2 * kept * kept * each.weight_square;
  }
  double bias = 0, variance = 0, square = 0;
  for (const Direction& each : directions) {
    Ending end =
        error_model.steps > 0 ? descent(error_model, each) : minimum(error_model, each.curvature, term_variance);
    end.variance += error_model.output_noise * error_model.output_noise;
    bias += each.curvature * (1 - end.kept) * (1 - end.kept) * each.weight_square;
    variance += each.curvature * end.variance;
    square += end.variance;
  }
  // A projection keeps the noise, whatever its direction, within the radius.
  return bias + variance * std::min(1.0, error_model.radius * error_model.radius / square);
}

}  // namespace dperm::planner
