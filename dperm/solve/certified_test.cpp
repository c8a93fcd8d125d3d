// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/certified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/problems.hpp"

namespace dperm::solve {
namespace {

using test::distance;

// Answers honestly about the gradient but lies about the value, which leads any value-based line search astray.
class MisleadingValue final : public Objective {
 public:
  explicit MisleadingValue(const Objective& honest) : honest_(honest) {}
  std::size_t dimension() const override { return honest_.dimension(); }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    return -honest_.value_and_gradient(w, gradient);
  }

 private:
  const Objective& honest_;
};

TEST(Certified, CertifiesWithTheFastSolverAlone) {
  const test::SmallLogistic logistic;
  std::vector<double> w(3, 0.0);
  const CertifiedSummary summary = minimise_certified(
      logistic, w, {.curvature = {logistic.kPenalty, logistic.kSmoothness}, .gradient_tolerance = 1e-12});
  EXPECT_EQ(summary.verdict, Verdict::certified);
  EXPECT_FALSE(summary.used_fallback);
  EXPECT_LE(summary.certified_residual, 1e-12);
  EXPECT_LE(distance(w, test::SmallLogistic::answer()), summary.certified_residual / logistic.kPenalty + 1e-14);
}

// Values coarser than the tolerance can tell apart, as those of sums over records are; gradients are exact.
class CoarseValue final : public Objective {
 public:
  CoarseValue(const Objective& exact, double step) : exact_(exact), step_(step) {}
  std::size_t dimension() const override { return exact_.dimension(); }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    return std::trunc(exact_.value_and_gradient(w, gradient) / step_) * step_;
  }

 private:
  const Objective& exact_;
  double step_;
};

TEST(Certified, TheFastSolverIsPatientWhereValuesTellNothing) {
  // Descent would need a quarter of a million steps here.
  const auto quadratic = test::DiagonalQuadratic::with_condition(200, 2e4);
  const CoarseValue coarse(quadratic, 1e-7);
  std::vector<double> w(200, 0.0);
  const CertifiedSummary summary = minimise_certified(
      coarse, w,
      {.curvature = {1 / 2e4, 1}, .gradient_tolerance = 1e-11, .value_resolution = 1e-7, .fast_iteration_limit = 5000});
  EXPECT_EQ(summary.verdict, Verdict::certified);
  EXPECT_FALSE(summary.used_fallback);
}

TEST(Certified, FallsBackToDescentWhenTheFastSolverFails) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(5, 40);
  const MisleadingValue misleading(quadratic);
  std::vector<double> w(5, 0.0);
  const CertifiedSummary summary =
      minimise_certified(misleading, w, {.curvature = {1.0 / 40, 1}, .gradient_tolerance = 1e-9});
  EXPECT_EQ(summary.verdict, Verdict::certified);
  EXPECT_TRUE(summary.used_fallback);
  EXPECT_LE(distance(w, quadratic.answer()), 40e-9);
}

TEST(Certified, FallsBackToProjectedDescentInsideASet) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(5, 40);
  std::vector<double> w(5, 9.0);
  const CertifiedSummary summary =
      minimise_certified(quadratic, w,
                         {.curvature = {1.0 / 40, 1},
                          .gradient_tolerance = 1e-9,
                          .project = [](std::span<double> x) { test::project_to_ball(x, 1.5); },
                          .projection_error = 1e-15,
                          .fast_iteration_limit = 3});
  EXPECT_EQ(summary.verdict, Verdict::certified);
  EXPECT_TRUE(summary.used_fallback);
  EXPECT_LE(distance(w, quadratic.answer_in_ball(1.5)), 40e-9);
}

TEST(Certified, IncludesTheEvaluationErrorInTheCertificate) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(10, 30);
  for (const double step : {0x1p-40, 0x1p-30, 0x1p-20}) {
    const test::OnLattice lattice(quadratic, step);
    std::vector<double> w(10, 0.0);
    const double tolerance = 40 * lattice.evaluation_error();
    const CertifiedSummary summary = minimise_certified(lattice, w,
                                                        {.curvature = {1.0 / 30, 1},
                                                         .gradient_tolerance = tolerance,
                                                         .evaluation_error = lattice.evaluation_error(),
                                                         .value_resolution = step});
    EXPECT_EQ(summary.verdict, Verdict::certified) << step;
    EXPECT_GE(summary.certified_residual, lattice.evaluation_error());
    EXPECT_LE(distance(w, quadratic.answer()), summary.certified_residual * 30) << step;
  }
}

TEST(Certified, SaysThatTheToleranceLiesBelowTheEvaluationError) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(10, 30);
  const test::OnLattice lattice(quadratic, 0x1p-20);
  for (const double share : {0.1, 0.999}) {
    std::vector<double> w(10, 0.0);
    const CertifiedSummary summary = minimise_certified(lattice, w,
                                                        {.curvature = {1.0 / 30, 1},
                                                         .gradient_tolerance = share * lattice.evaluation_error(),
                                                         .evaluation_error = lattice.evaluation_error()});
    EXPECT_EQ(summary.verdict, Verdict::tolerance_below_evaluation_error) << share;
    EXPECT_LE(distance(w, quadratic.answer()), summary.certified_residual * 30) << "still a bound";
  }
}

TEST(Certified, SaysThatTheStatedConstantsAreWrong) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(5, 40);
  const MisleadingValue misleading(quadratic);
  std::vector<double> w(5, 0.0);
  // The true smoothness is 1: with 1/10 every step overshoots.
  const CertifiedSummary summary =
      minimise_certified(misleading, w, {.curvature = {1.0 / 40, 0.1}, .gradient_tolerance = 1e-9});
  EXPECT_EQ(summary.verdict, Verdict::constants_violated);
}

TEST(Certified, SaysThatTheObjectiveIsNotFinite) {
  const test::DiagonalQuadratic broken({std::numeric_limits<double>::quiet_NaN(), 1}, {0, 0});
  std::vector<double> w(2, 1.0);
  EXPECT_EQ(minimise_certified(broken, w, {.curvature = {1, 1}, .gradient_tolerance = 1e-9}).verdict,
            Verdict::non_finite);
}

TEST(Certified, AlwaysCertifiesAboveTheLeastTolerance) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const test::Ridge ridge(30, 4, std::pow(10.0, -static_cast<double>(seed % 4)), seed);
    const double penalty = std::pow(10.0, -static_cast<double>(seed % 4));
    const test::OnLattice lattice(ridge, 0x1p-40);
    const Curvature curvature{penalty, ridge.smoothness()};
    const double error = lattice.evaluation_error() + 1e-14;
    const double tolerance = 1.1 * least_tolerance(curvature, error + step_rounding_error(curvature, 1e4, 1e2), false);
    std::vector<double> w(4, 0.0);
    const CertifiedSummary summary = minimise_certified(lattice, w,
                                                        {.curvature = curvature,
                                                         .gradient_tolerance = tolerance,
                                                         .evaluation_error = error,
                                                         .fast_iteration_limit = seed % 2 == 0 ? 1 : 100});
    EXPECT_EQ(summary.verdict, Verdict::certified) << seed << ": " << to_string(summary.verdict);
    EXPECT_LE(distance(w, ridge.answer()), tolerance / penalty) << seed;
  }
}

// Bounds derived from the start grow with the third power of the condition number, and the promise with them; what the
// caller knows of his set keeps the promise at the tolerance that was planned.
TEST(Certified, StatedBoundsKeepThePromiseForLargeConditionNumbers) {
  constexpr double kCondition = 1e4;
  const auto quadratic = test::DiagonalQuadratic::with_condition(5, kCondition);
  const Curvature curvature{1 / kCondition, 1};
  const double radius = 3 * test::distance(quadratic.answer(), std::vector<double>(5, 0.0));
  const double gradient = 2 * radius;
  CertifiedOptions options{.curvature = curvature,
                           .gradient_tolerance = 0,
                           .project = [&](std::span<double> x) { test::project_to_ball(x, radius); },
                           .projection_error = 1e-15 * radius,
                           .fast_iteration_limit = 0};
  options.gradient_tolerance =
      2 * least_tolerance(curvature, descent_error(curvature, 0, options.projection_error, radius, gradient), true);
  std::vector<double> w(5, 0.0);
  EXPECT_NE(minimise_certified(quadratic, w, options).verdict, Verdict::certified);
  options.largest_weight = radius;
  options.largest_gradient = gradient;
  std::fill(w.begin(), w.end(), 0.0);
  const CertifiedSummary summary = minimise_certified(quadratic, w, options);
  EXPECT_EQ(summary.verdict, Verdict::certified);
  EXPECT_TRUE(summary.used_fallback);
  EXPECT_LE(distance(w, quadratic.answer()), options.gradient_tolerance * kCondition);
}

TEST(Certified, RefusesImpossibleOptions) {
  const test::SmallLogistic logistic;
  std::vector<double> w(3, 0.0);
  const Curvature curvature{0.0625, 1};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    EXPECT_THROW(minimise_certified(logistic, w, {.curvature = curvature, .gradient_tolerance = bad}), ArgumentError);
    EXPECT_THROW(
        minimise_certified(logistic, w, {.curvature = curvature, .gradient_tolerance = 1, .evaluation_error = bad}),
        ArgumentError);
    EXPECT_THROW(minimise_certified(logistic, w, {.curvature = {bad, 1}, .gradient_tolerance = 1}), ArgumentError);
  }
}

}  // namespace
}  // namespace dperm::solve
