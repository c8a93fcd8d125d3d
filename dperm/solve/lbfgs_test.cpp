// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/lbfgs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "dperm/core/error.hpp"
#include "tests/support/problems.hpp"

namespace dperm::solve {
namespace {

using test::distance;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double norm_at(const Objective& objective, std::span<const double> w) {
  std::vector<double> gradient(w.size());
  objective.value_and_gradient(w, gradient);
  return distance(gradient, std::vector<double>(w.size(), 0.0));
}

// Finite only inside the unit ball: a line search must step back from the edge. Minimum at (0.5, 0).
class Barrier final : public Objective {
 public:
  std::size_t dimension() const override { return 2; }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    const double room = 1 - w[0] * w[0] - w[1] * w[1];
    const double pull = 4.0 / 3;  // makes the gradient vanish at (0.5, 0)
    if (!(room > 0)) {            // the most tempting wrong answer
      gradient[0] = gradient[1] = 0;
      return -std::numeric_limits<double>::infinity();
    }
    for (std::size_t j = 0; j < 2; ++j) gradient[j] = 2 * w[j] / room - (j == 0 ? pull : 0);
    return -std::log(room) - pull * w[0];
  }
};

// A quadratic whose gradient carries a jitter that is fixed at each point but unrelated between points.
class Jittery final : public Objective {
 public:
  explicit Jittery(double size) : size_(size) {}
  std::size_t dimension() const override { return 10; }
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const override {
    ++evaluations;
    const double value = quadratic_.value_and_gradient(w, gradient);
    std::uint64_t state = 1;
    for (const double x : w) state = (state ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u;
    std::mt19937_64 engine(state);
    for (double& g : gradient) g += size_ * std::uniform_real_distribution<double>(-1, 1)(engine);
    return value;
  }
  mutable long evaluations = 0;

 private:
  test::DiagonalQuadratic quadratic_ = test::DiagonalQuadratic::with_condition(10, 100);
  double size_;
};

class NotANumber final : public Objective {
 public:
  std::size_t dimension() const override { return 2; }
  double value_and_gradient(std::span<const double>, std::span<double> gradient) const override {
    gradient[0] = gradient[1] = kNan;
    return kNan;
  }
};

TEST(Lbfgs, FindsTheRidgeAnswer) {
  const test::Ridge ridge(200, 12, 0.01, 3);
  std::vector<double> w(12, 0.0);
  const SolveSummary summary = minimise(ridge, w, {.gradient_tolerance = 1e-12});
  EXPECT_EQ(summary.stop, Stop::converged);
  EXPECT_LE(distance(w, ridge.answer()), 1e-12 / 0.01);
  EXPECT_LT(summary.evaluations, 60);
}

TEST(Lbfgs, FindsTheLogisticAnswer) {
  const test::SmallLogistic logistic;
  std::vector<double> w(3, 0.0);
  const SolveSummary summary = minimise(logistic, w, {.gradient_tolerance = 1e-14});
  EXPECT_EQ(summary.stop, Stop::converged);
  EXPECT_LE(distance(w, test::SmallLogistic::answer()), 1e-12);
  EXPECT_NEAR(summary.value, test::SmallLogistic::kLeastValue, 1e-15);
}

TEST(Lbfgs, CopesWithBadScalingAndAFarStart) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(30, 1e4);
  for (const double first_step : {1e-6, 1.0, 1e6}) {
    std::vector<double> w(30, 1e4);
    const SolveSummary summary =
        minimise(quadratic, w, {.gradient_tolerance = 1e-9, .iteration_limit = 3000, .first_step = first_step});
    EXPECT_EQ(summary.stop, Stop::converged) << first_step;
    EXPECT_LE(distance(w, quadratic.answer()), 1e-9 * 1e4) << first_step;
  }
}

TEST(Lbfgs, ReportsTheGradientOfThePointItReturns) {
  const test::Ridge ridge(50, 6, 0.1, 9);
  for (const std::int64_t limit : {0, 1, 2, 3, 5, 8, 1000}) {
    std::vector<double> w(6, 2.0);
    const SolveSummary summary = minimise(ridge, w, {.gradient_tolerance = 1e-13, .iteration_limit = limit});
    const double again = norm_at(ridge, w);
    EXPECT_GE(summary.gradient_norm, again);
    EXPECT_LE(summary.gradient_norm, again * (1 + 1e-11) + 1e-300);
    EXPECT_EQ(summary.optimality_residual, summary.gradient_norm);
    EXPECT_EQ(summary.stop, limit == 1000 ? Stop::converged : Stop::iteration_limit);
  }
}

TEST(Lbfgs, EndsAtTheFloorOfALatticeGradient) {
  const auto quadratic = test::DiagonalQuadratic::with_condition(20, 1e3);
  for (const double step : {0x1p-40, 0x1p-20, 0x1p-8}) {
    const test::OnLattice lattice(quadratic, step);
    std::vector<double> w(20, 0.0);
    const SolveSummary summary = minimise(lattice, w, {.gradient_tolerance = 0, .value_resolution = step});
    EXPECT_TRUE(summary.stop == Stop::stalled || summary.gradient_norm < 1e-290);
    EXPECT_LE(summary.gradient_norm, 30 * lattice.evaluation_error()) << step;
    EXPECT_LT(lattice.evaluations, 1000) << step;
  }
}

TEST(Lbfgs, EndsSoonWhereEveryStepLooksAlike) {
  const Jittery jittery(1e-6);
  std::vector<double> w(10, 0.0);
  const SolveSummary summary =
      minimise(jittery, w, {.gradient_tolerance = 0, .iteration_limit = 1000000, .value_resolution = 1});
  EXPECT_EQ(summary.stop, Stop::stalled);
  EXPECT_LT(jittery.evaluations, 3000);
  EXPECT_LT(summary.gradient_norm, 1e-5);
}

TEST(Lbfgs, StepsBackWhereTheObjectiveIsNotFinite) {
  std::vector<double> w{-0.9, 0.3};
  const SolveSummary summary = minimise(Barrier{}, w, {.gradient_tolerance = 1e-10, .first_step = 100});
  EXPECT_EQ(summary.stop, Stop::converged);
  EXPECT_NEAR(w[0], 1.0 / 2, 1e-9);
  EXPECT_NEAR(w[1], 0, 1e-9);
}

TEST(Lbfgs, SaysSoWhenTheStartIsNotFinite) {
  std::vector<double> w{1, 2};
  const SolveSummary summary = minimise(NotANumber{}, w, {});
  EXPECT_EQ(summary.stop, Stop::non_finite);
  EXPECT_EQ(summary.gradient_norm, std::numeric_limits<double>::infinity());
  EXPECT_EQ(w, (std::vector<double>{1, 2}));
}

TEST(Lbfgs, RefusesImpossibleOptions) {
  const test::SmallLogistic logistic;
  std::vector<double> w(3, 0.0), short_w(2, 0.0);
  EXPECT_THROW(minimise(logistic, w, {.gradient_tolerance = kNan}), ArgumentError);
  EXPECT_THROW(minimise(logistic, w, {.gradient_tolerance = -1}), ArgumentError);
  EXPECT_THROW(minimise(logistic, w, {.memory = 0}), ArgumentError);
  EXPECT_THROW(minimise(logistic, w, {.first_step = kNan}), ArgumentError);
  EXPECT_THROW(minimise(logistic, short_w, {}), ArgumentError);
}

}  // namespace
}  // namespace dperm::solve
