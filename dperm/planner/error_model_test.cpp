// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/error_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace dperm::planner {
namespace {

using methods::ErrorModel;

constexpr std::array kDirections = {Direction{0.2, 4}, Direction{0.03, 9}, Direction{0.002, 25}, Direction{0, 1}};

double best(const Direction& direction) { return std::sqrt(direction.weight_square); }

// The same quantity by running the method on the quadratic many times. `end` gives one coordinate of one run.
template <class End>
std::pair<double, double> simulated(int runs, End end) {
  double sum = 0, square = 0;
  for (int run = 0; run < runs; ++run) {
    double error = 0;
    for (const Direction& direction : kDirections) {
      const double distance = end(direction) - best(direction);
      error += direction.curvature * distance * distance;
    }
    sum += error;
    square += error * error;
  }
  const double mean = sum / runs;
  return {mean, std::sqrt((square / runs - mean * mean) / runs)};
}

// Seven standard errors: a false alarm in fewer than 1e-11 of all seeds; the seed is fixed.
void expect_agreement(double formula, std::pair<double, double> simulation) {
  EXPECT_NEAR(formula, simulation.first, 7 * simulation.second + 1e-12);
}

TEST(ErrorModelFormula, APerturbedMinimumEndsWhereTheFormulaSays) {
  const ErrorModel error_model{.penalty = 0.01, .term_noise = 0.03, .output_noise = 0.2};
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  expect_agreement(mean_square_error(error_model, kDirections), simulated(40000, [&](const Direction& direction) {
                     const double total = direction.curvature + error_model.penalty;
                     return (direction.curvature * best(direction) + error_model.term_noise * normal(bits)) / total +
                            error_model.output_noise * normal(bits);
                   }));
}

// One run of the method in one direction with the given noise in its gradients.
double descended(const ErrorModel& error_model, double curvature, double target, const std::vector<double>& noise) {
  double weight = 0, sum = 0;
  for (std::size_t t = 1; t <= noise.size(); ++t) {
    weight -= error_model.step_size * (curvature * (weight - target) + error_model.penalty * weight + noise[t - 1]);
    if (static_cast<double>(t) + error_model.averaged > error_model.steps) sum += weight;
  }
  return sum / error_model.averaged;
}

// The end is linear in the noise of every step, so running with noise in one step at a time gives its variance exactly.
void expect_descent(const ErrorModel& error_model) {
  double expected = 0;
  const std::vector<double> none(static_cast<std::size_t>(error_model.steps), 0.0);
  for (const Direction& direction : kDirections) {
    const double distance = descended(error_model, direction.curvature, best(direction), none) - best(direction);
    double square = distance * distance;
    for (std::size_t t = 0; t < none.size(); ++t) {
      std::vector<double> single = none;
      single[t] = error_model.step_noise;
      const double moved = descended(error_model, direction.curvature, 0, single);
      square += moved * moved;
    }
    expected += direction.curvature * square;
  }
  EXPECT_NEAR(mean_square_error(error_model, kDirections), expected, 1e-9 * expected);
}

TEST(ErrorModelFormula, NoisyDescentEndsWhereTheFormulaSays) {
  expect_descent({.steps = 60, .step_size = 4, .step_noise = 0.05, .averaged = 30});
  expect_descent({.penalty = 0.01, .steps = 25, .step_size = 7, .step_noise = 0.02, .averaged = 1});  // a < 0
  expect_descent({.steps = 40, .step_size = 3, .step_noise = 0.01, .averaged = 40});
  expect_descent({.steps = 1, .step_size = 3, .step_noise = 0.1, .averaged = 1});
}

TEST(ErrorModelFormula, WithoutNoiseAndPenaltyLongDescentAndMinimumFindTheBestWeights) {
  EXPECT_EQ(mean_square_error({}, kDirections), 0);
  const ErrorModel error_model{.steps = 1e6, .step_size = 4};
  EXPECT_NEAR(mean_square_error(error_model, kDirections), 0, 1e-12);
}

TEST(ErrorModelFormula, NoiseInTheCurvatureActsOnTheWeights) {
  // (A + E)^-1 A w for a small symmetric E with diagonal variance s^2 and off-diagonal s^2/2: to first order A^-1 E w.
  const double scale = 1e-3;
  double expected = 0;
  for (const Direction& row : kDirections) {
    if (row.curvature == 0) continue;
    double weights = 0;
    for (const Direction& column : kDirections) weights += column.curvature > 0 ? column.weight_square : 0;
    expected += scale * scale / 2 * weights / row.curvature;
  }
  EXPECT_NEAR(mean_square_error({.matrix_noise = scale}, kDirections), expected, 1e-12);
}

TEST(ErrorModelFormula, ABallKeepsNoiseWithinItsRadius) {
  ErrorModel error_model{.output_noise = 1e6};
  const double free = mean_square_error(error_model, kDirections);
  error_model.radius = 3;
  EXPECT_NEAR(mean_square_error(error_model, kDirections), free * 9 / (4e12), 1e-9);
}

TEST(ErrorModelFormula, ADensityHasOneTemperatureADirection) {
  // Equipartition: curvature times variance is the temperature, whatever the curvature; the flat direction has none.
  EXPECT_NEAR(mean_square_error({.temperature = 0.3}, kDirections), 3 * 0.3, 1e-12);
  const std::array one = {Direction{0.2, 4}};
  EXPECT_NEAR(mean_square_error({.penalty = 0.05, .temperature = 0.3}, one), 0.2 * (0.3 / 0.25 + 0.2 * 0.2 * 4), 1e-12);
}

TEST(ErrorModelFormula, RowsOfASampleAddToTheNoise) {
  const ErrorModel noisy{.steps = 60, .step_size = 4, .step_noise = 0.5, .averaged = 30};
  ErrorModel sampled = noisy;
  sampled.step_noise = 0;
  sampled.sample = 8;
  std::array directions = kDirections;
  for (Direction& each : directions) each.row_square = 8 * 0.25;
  EXPECT_NEAR(mean_square_error(sampled, directions), mean_square_error(noisy, kDirections), 1e-9);
}

// Exact, by running with noise in one step at a time: heavy ball steps whose averages follow the formula of plain ones,
// a little above it because they forget more slowly.
TEST(ErrorModelFormula, MomentumSettlesDirectionsThatAreTooSteepForPlainSteps) {
  for (const double step_size : {10.0, 40.0}) {
    const ErrorModel error_model{.steps = 600, .step_size = step_size, .step_noise = 1, .averaged = 60, .damped = true};
    for (const double curvature : {0.2, 0.03, 0.002}) {
      double variance = 0;
      for (int moved = 1; moved <= 600; ++moved) {
        double weight = 0, momentum = 0, sum = 0;
        for (int t = 1; t <= 600; ++t) {
          momentum = 0.9 * momentum + 0.1 * (curvature * weight + (t == moved ? 1 : 0));
          weight -= step_size * momentum;
          if (t > 540) sum += weight;
        }
        variance += sum * sum / 3600;
      }
      const std::array one = {Direction{curvature, 0}};
      const double ratio = mean_square_error(error_model, one) / (curvature * variance);
      EXPECT_GT(ratio, 0.8) << step_size << ' ' << curvature;
      EXPECT_LT(ratio, 1) << step_size << ' ' << curvature;
    }
  }
}

TEST(ErrorModelFormula, AStepTooLargeForTheCurvatureDiverges) {
  EXPECT_TRUE(std::isinf(mean_square_error({.steps = 10, .step_size = 11, .step_noise = 1}, kDirections)));
}

}  // namespace
}  // namespace dperm::planner
