// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/projected_gradient.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/problems.hpp"

namespace dperm::solve {
namespace {

using test::distance;

Projection onto(bool box, double radius) {
  return [=](std::span<double> w) { box ? test::project_to_box(w, radius) : test::project_to_ball(w, radius); };
}

TEST(ProjectedGradient, FindsTheMinimumOverBoxesAndBalls) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(10, 1e4);
  for (const double radius : {1e-3, 0.5, 1.5, 4.0, 100.0}) {
    for (const bool box : {true, false}) {
      std::vector<double> w(10, 50.0);
      const SolveSummary summary =
          minimise_projected(quadratic, w, onto(box, radius), {.curvature = {1e-4, 1}, .gradient_tolerance = 1e-12});
      EXPECT_EQ(summary.stop, Stop::converged) << radius << box;
      EXPECT_LT(summary.evaluations, 5000) << "acceleration needs about sqrt(condition) ln(1/tolerance) steps";
      const auto answer = box ? quadratic.answer_in_box(radius) : quadratic.answer_in_ball(radius);
      EXPECT_LE(distance(w, answer), 1e-12 / 1e-4 + 1e-12) << radius << box;
    }
  }
}

TEST(ProjectedGradient, AgreesWithTheUnconstrainedAnswerInsideTheSet) {
  const test::SmallLogistic logistic;
  std::vector<double> w(3, 0.0);
  const SolveSummary summary =
      minimise_projected(logistic, w, onto(false, 100),
                         {.curvature = {logistic.kPenalty, logistic.kSmoothness}, .gradient_tolerance = 1e-13});
  EXPECT_EQ(summary.stop, Stop::converged);
  EXPECT_LE(distance(w, test::SmallLogistic::answer()), 1e-11);
}

TEST(ProjectedGradient, MeasuresTheResidualAtThePointItReturns) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(5, 100);
  for (const std::int64_t limit : {0, 1, 2, 7, 30}) {
    std::vector<double> w(5, 3.0);
    const SolveSummary summary = minimise_projected(
        quadratic, w, onto(true, 0.7), {.curvature = {0.01, 1}, .gradient_tolerance = 1e-14, .iteration_limit = limit});
    EXPECT_LE(distance(w, quadratic.answer_in_box(0.7)), summary.optimality_residual / 0.01 + 1e-13) << limit;
  }
}

TEST(ProjectedGradient, EndsAtTheFloorOfALatticeGradient) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(10, 1e3);
  const test::OnLattice lattice(quadratic, 0x1p-20);
  std::vector<double> w(10, 0.0);
  const SolveSummary summary = minimise_projected(
      lattice, w, onto(true, 1.3),
      {.curvature = {1e-3, 1}, .gradient_tolerance = 1e-12, .evaluation_error = lattice.evaluation_error()});
  EXPECT_EQ(summary.stop, Stop::stalled);
  EXPECT_LT(lattice.evaluations, 5000);
  EXPECT_LE(summary.optimality_residual, 1e3 * lattice.evaluation_error());
}

TEST(ProjectedGradient, RefusesImpossibleOptions) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(2, 2);
  std::vector<double> w(2, 0.0);
  EXPECT_THROW(minimise_projected(quadratic, w, {}, {.curvature = {0.5, 1}, .gradient_tolerance = 1}), ArgumentError);
  EXPECT_THROW(minimise_projected(quadratic, w, onto(true, 1), {.curvature = {0.5, 1}, .gradient_tolerance = 0}),
               ArgumentError);
}

}  // namespace
}  // namespace dperm::solve
