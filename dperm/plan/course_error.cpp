// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/course_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dperm::plan {

namespace {

using methods::Course;

// Below this a step times the steps moves nothing, and the sums below would lose their digits.
constexpr double kLeastProgress = 1e-4;

struct Ending {
  double kept;      // expected coordinate, as a share of the best one
  double variance;  // of the coordinate
};

// The minimiser of the penalised quadratic with a random linear term, or a draw from the density around it.
Ending minimum(const Course& course, double curvature, double term_variance) {
  const double total = curvature + course.penalty;
  if (total <= 0) return {0, 0};  // a direction in which the risk does not change at all
  return {curvature / total, term_variance / (total * total) + course.temperature / total};
}

// T steps from zero of w - eta (gradient + noise), the mean of the last A iterates. With a = 1 - eta (h + penalty) the
// iterate t holds the share 1 - a^t of its fixed point, and the noise of step s enters it with eta a^(t - s). Of steep
// directions that momentum damps the average holds noise/(h + penalty), as it does for any stable course: a = 0 has it.
Ending descent(const Course& course, const Direction& direction) {
  const double steps = course.steps, averaged = course.averaged;
  const double total = direction.curvature + course.penalty;
  const double step_size = course.damped && total > 0 ? std::min(course.step_size, 1 / total) : course.step_size;
  const double q = std::max(step_size * total, kLeastProgress / steps);
  if (q >= 2) return {0, std::numeric_limits<double>::infinity()};
  const double a = 1 - q;
  const double fixed_point = total > 0 ? direction.curvature / total : 0;
  const double window = (1 - std::pow(a, averaged)) / q;  // 1 + a + ... + a^(A-1)
  const double missing = std::pow(a, steps - averaged + 1) * window / averaged;
  const double square = a * a, square_rest = q * (1 + a);
  const double before = window * window * square * (1 - std::pow(square, steps - averaged)) / square_rest;
  const double within = (averaged - 2 * a * window + square * (1 - std::pow(square, averaged)) / square_rest) / (q * q);
  const double noise = course.step_noise * course.step_noise + direction.row_square / course.sample;
  const double entering = step_size / averaged;
  return {fixed_point * (1 - missing), noise * entering * entering * (before + within)};
}

}  // namespace

double mean_square_error(const Course& course, std::span<const Direction> directions) {
  // Noise in the curvature acts on the weights that are kept.
  double term_variance = course.term_noise * course.term_noise;
  for (const Direction& each : directions) {
    const double kept = minimum(course, each.curvature, 0).kept;
    term_variance += course.matrix_noise * course.matrix_noise / 2 * kept * kept * each.weight_square;
  }
  double bias = 0, variance = 0, square = 0;
  for (const Direction& each : directions) {
    Ending end = course.steps > 0 ? descent(course, each) : minimum(course, each.curvature, term_variance);
    end.variance += course.output_noise * course.output_noise;
    bias += each.curvature * (1 - end.kept) * (1 - end.kept) * each.weight_square;
    variance += each.curvature * end.variance;
    square += end.variance;
  }
  // A projection keeps the noise, whatever its direction, within the radius.
  return bias + variance * std::min(1.0, course.radius * course.radius / square);
}

}  // namespace dperm::plan
