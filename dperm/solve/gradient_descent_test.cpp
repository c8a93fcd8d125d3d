// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/gradient_descent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/problems.hpp"

namespace dperm::solve {
namespace {

using test::distance;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double start_norm(const Objective& objective, std::span<const double> w) {
  std::vector<double> gradient(w.size());
  objective.value_and_gradient(w, gradient);
  return distance(gradient, std::vector<double>(w.size(), 0.0)) * (1 + 1e-12);
}

TEST(GradientDescent, StepsFollowTheFormula) {
  // 200 ln(4e6) + 200/3 + 1 = 3108.03, and one step in reserve for rounding.
  EXPECT_EQ(gradient_descent_steps({0.01, 1}, 1, 1e-6, 0, false), 3110);
  EXPECT_EQ(gradient_descent_steps({0.01, 1}, 1, 1e-6, 0, true), 932);  // 50.5 ln 1e8 = 930.24
  EXPECT_EQ(gradient_descent_steps({1, 1}, 1e-9, 1e-6, 0, false), 3);
}

TEST(GradientDescent, MeetsTheToleranceWithinTheFormulaOnTheWorstQuadratic) {
  // The small curvature contracts by 1 - 1/condition per step: a third of the bound is attained.
  for (const double condition : {1.0, 2.0, 30.0, 500.0}) {
    const test::DiagonalQuadratic worst({1, 1 / condition}, {1, 1});
    const Curvature curvature{1 / condition, 1};
    std::vector<double> w{0, 0};
    const std::int64_t steps = gradient_descent_steps(curvature, start_norm(worst, w), 1e-9, 0, false);
    const SolveSummary summary = minimise_by_gradient_descent(
        worst, w, {.curvature = curvature, .gradient_tolerance = 1e-9, .iteration_limit = steps});
    EXPECT_EQ(summary.stop, Stop::converged) << condition;
    if (condition >= 30) {
      EXPECT_GT(static_cast<double>(summary.iterations), 0.3 * static_cast<double>(steps)) << condition;
    }
    EXPECT_LE(distance(w, worst.answer()), 1e-9 * condition) << condition;
  }
}

TEST(GradientDescent, MeetsTheToleranceWithinTheFormulaOnRandomProblems) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const test::Ridge ridge(40, 5, 0.05, seed);
    const Curvature curvature{0.05, ridge.smoothness()};
    std::vector<double> w(5, 0.0);
    const std::int64_t steps = gradient_descent_steps(curvature, start_norm(ridge, w), 1e-8, 0, false);
    const SolveSummary summary = minimise_by_gradient_descent(
        ridge, w, {.curvature = curvature, .gradient_tolerance = 1e-8, .iteration_limit = steps});
    ASSERT_EQ(summary.stop, Stop::converged) << seed;
    EXPECT_LE(distance(w, ridge.answer()), 1e-8 / 0.05) << seed;
  }
}

TEST(GradientDescent, MeetsTheLeastToleranceInSpiteOfALatticeGradient) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(8, 50);
  const test::OnLattice lattice(quadratic, 0x1p-20);
  const Curvature curvature{1.0 / 50, 1};
  const double error = lattice.evaluation_error() + step_rounding_error(curvature, 100, 100);
  const double tolerance = 1.01 * least_tolerance(curvature, error, false);
  std::vector<double> w(8, 0.0);
  const std::int64_t steps = gradient_descent_steps(curvature, start_norm(quadratic, w), tolerance, error, false);
  const SolveSummary summary = minimise_by_gradient_descent(
      lattice, w,
      {.curvature = curvature, .gradient_tolerance = tolerance, .evaluation_error = error, .iteration_limit = steps});
  EXPECT_EQ(summary.stop, Stop::converged);
  EXPECT_LE(distance(w, quadratic.answer()), tolerance / curvature.strong_convexity);
}

TEST(GradientDescent, ProjectedDescentMeetsTheToleranceWithinTheFormula) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(6, 100);
  const Curvature curvature{0.01, 1};
  for (const double radius : {0.01, 0.9, 1.2, 10.0}) {
    for (const bool box : {true, false}) {
      const Projection project = [=](std::span<double> w) {
        box ? test::project_to_box(w, radius) : test::project_to_ball(w, radius);
      };
      std::vector<double> w(6, 0.0);
      const std::int64_t steps = gradient_descent_steps(curvature, start_norm(quadratic, w), 1e-9, 0, true);
      const SolveSummary summary = minimise_by_gradient_descent(
          quadratic, w,
          {.curvature = curvature, .gradient_tolerance = 1e-9, .project = project, .iteration_limit = steps});
      ASSERT_EQ(summary.stop, Stop::converged) << radius << box;
      const auto answer = box ? quadratic.answer_in_box(radius) : quadratic.answer_in_ball(radius);
      EXPECT_LE(distance(w, answer), summary.optimality_residual / 0.01 + 1e-13) << radius << box;
    }
  }
}

TEST(GradientDescent, TheResidualNeverUnderstatesTheDistance) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(4, 20);
  const Curvature curvature{1.0 / 20, 1};
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i) {
    const double radius = std::exp(normal(engine));
    std::vector<double> v(4), gradient(4);
    for (double& x : v) x = 2 * normal(engine);
    std::vector<double> w = v;
    test::project_to_box(w, radius);
    quadratic.value_and_gradient(w, gradient);
    const double residual = optimality_residual(curvature, gradient, v, w, 0);
    EXPECT_LE(distance(w, quadratic.answer_in_box(radius)), residual / curvature.strong_convexity);
    EXPECT_LE(residual, distance(gradient, std::vector<double>(4, 0.0)) * (1 + 1e-11) + 1e-290);
  }
}

// A gradient that is off by exactly `error` in the direction that slows descent most, away from the minimum's gradient.
class Misleading final : public Objective {
 public:
  Misleading(const Objective& inner, double error) : inner_(inner), error_(error) {}
  std::size_t dimension() const override { return inner_.dimension(); }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    const double value = inner_.value_and_gradient(w, gradient);
    double norm = 0;
    for (const double g : gradient) norm = std::hypot(norm, g);
    // Shrinks the gradient, to zero if it can: the flattest lie.
    const double keep = norm > error_ ? 1 - error_ / norm : 0;
    for (double& g : gradient) g *= keep;
    return value;
  }

 private:
  const Objective& inner_;
  double error_;
};

TEST(GradientDescent, TheFloorDoesNotGrowWithTheConditionNumber) {
  for (const double condition : {10.0, 1e3, 1e5}) {
    const auto quadratic = test::DiagonalQuadratic::with_condition(4, condition);
    const Curvature curvature{1 / condition, 1};
    const double error = 1e-7;
    const Misleading liar(quadratic, error);
    const double tolerance = 1.01 * least_tolerance(curvature, error, false);
    std::vector<double> w(4, 0.0);
    const std::int64_t steps = gradient_descent_steps(curvature, start_norm(quadratic, w), tolerance, error, false);
    const SolveSummary summary = minimise_by_gradient_descent(
        liar, w,
        {.curvature = curvature, .gradient_tolerance = tolerance, .evaluation_error = error, .iteration_limit = steps});
    EXPECT_EQ(summary.stop, Stop::converged) << condition;
    EXPECT_LE(distance(w, quadratic.answer()), tolerance * condition) << condition;
  }
}

TEST(GradientDescent, RefusesAToleranceThatCannotBePromised) {
  const Curvature curvature{0.01, 1};
  EXPECT_NEAR(least_tolerance(curvature, 1e-12, true), 102e-12, 1e-20);
  EXPECT_THROW(gradient_descent_steps(curvature, 1, 101e-12, 1e-12, true), ArgumentError);
  EXPECT_NO_THROW(gradient_descent_steps(curvature, 1, 103e-12, 1e-12, true));
  EXPECT_NEAR(least_tolerance(curvature, 1e-12, false), 4e-12, 1e-20);
  EXPECT_THROW(gradient_descent_steps(curvature, 1, 3.9e-12, 1e-12, false), ArgumentError);
  EXPECT_NO_THROW(gradient_descent_steps(curvature, 1, 4.1e-12, 1e-12, false));
}

TEST(GradientDescent, RefusesImpossibleArguments) {
  EXPECT_THROW(validate(Curvature{0, 1}), ArgumentError);
  EXPECT_THROW(validate(Curvature{2, 1}), ArgumentError);
  EXPECT_THROW(validate(Curvature{kNan, 1}), ArgumentError);
  EXPECT_THROW(validate(Curvature{1, kNan}), ArgumentError);
  EXPECT_THROW(gradient_descent_steps({1, 1}, kNan, 1, 0, false), ArgumentError);
  EXPECT_THROW(gradient_descent_steps({1, 1}, 1, kNan, 0, false), ArgumentError);
  EXPECT_THROW(gradient_descent_steps({1, 1}, 1, 1, kNan, false), ArgumentError);
  EXPECT_THROW(gradient_descent_steps({1e-300, 1e300}, 1, 1e-9, 0, false), ArgumentError);
}

}  // namespace
}  // namespace dperm::solve
