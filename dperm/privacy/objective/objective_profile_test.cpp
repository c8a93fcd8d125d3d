// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/objective/objective_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::privacy {
namespace {

PerturbedObjective logistic(double penalty, double sigma = 1) { return {GradientSign::monotone, 1, 1, penalty, sigma}; }

TEST(ObjectiveProfile, CalibratesToIndependentlyComputedNoise) {
  // (epsilon, delta, penalty) -> sigma, bisected with 40-digit arithmetic.
  EXPECT_NEAR(sigma_for_objective(logistic(4), 1, 1e-5), 7.46127418058, 1e-8);
  EXPECT_NEAR(sigma_for_objective(logistic(2), 1, 1e-5), 7.57742537767, 1e-8);
  EXPECT_NEAR(sigma_for_objective(logistic(40), 0.1, 1e-3), 35.0717822507, 1e-7);
  EXPECT_NEAR(sigma_for_objective(logistic(4), 1, 1e-2), 3.76757860031, 1e-8);
  EXPECT_NEAR(sigma_for_objective(logistic(8), 0.5, 0.05), 4.26881071222, 1e-8);
  EXPECT_NEAR(sigma_for_objective(logistic(40), 0.1, 0.05), 11.1457727487, 1e-7);
}

TEST(ObjectiveProfile, ForwardAndInverseAgreeOnTheSafeSide) {
  for (const double epsilon : {0.1, 0.5, 1.0, 3.0, 8.0}) {
    for (const double delta : {1e-9, 1e-6, 1e-3}) {
      for (const double factor : {1.5, 4.0, 100.0}) {
        PerturbedObjective m = logistic(factor / epsilon);
        m.sigma = sigma_for_objective(m, epsilon, delta);
        EXPECT_LE(delta_objective(epsilon, m), delta);
        EXPECT_LE(epsilon_objective(m, delta), epsilon * (1 + 1e-9));
        EXPECT_GT(epsilon_objective(m, delta), epsilon * (1 - 1e-6));
        m.sigma *= 1 - 1e-6;
        EXPECT_GT(delta_objective(epsilon, m), delta);
      }
    }
  }
}

TEST(ObjectiveProfile, IsGaussianDpOnceThePenaltyIsLarge) {
  const double sigma = 3;
  EXPECT_EQ(mu_objective(logistic(2 * sigma * sigma * 0.99, sigma)), 0);
  EXPECT_NEAR(mu_objective(logistic(2 * sigma * sigma * 1.01, sigma)), 2 / sigma, 1e-9);
  EXPECT_NEAR(delta_objective(1, logistic(2 * sigma * sigma * 1.01, sigma)), delta_gaussian(1, 2 / sigma), 1e-12);
}

TEST(ObjectiveProfile, ProvesNothingBelowItsLeastEpsilon) {
  const PerturbedObjective m = logistic(0.5, 10);
  EXPECT_NEAR(least_epsilon(m), 2 - 1 / 200.0, 1e-9);
  EXPECT_EQ(delta_objective(1.9, m), 1);
  EXPECT_LT(delta_objective(2.0, m), 1);
}

// The exact profile in one dimension: records of J with one data point each, integrated numerically over w.
// delta = integral of (p - e^epsilon p')_+, p(w) = normal density at b(w) times J''(w).
double exact_delta(double epsilon, double penalty, double sigma, double x, double x_other,
                   const std::function<double(double)>& slope, const std::function<double(double)>& curvature) {
  const auto density = [&](double w, double v) {
    const double b = -(slope(w * v) * v + penalty * w);
    return std::exp(-b * b / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PI)) *
           (curvature(w * v) * v * v + penalty);
  };
  const double reach = 12 * (sigma + 1) / penalty;
  const int cells = 400000;
  double sum = 0;
  for (int k = 0; k < cells; ++k) {
    const double w = -reach + (k + 0.5) * 2 * reach / cells;
    sum += std::max(0.0, density(w, x) - std::exp(epsilon) * density(w, x_other)) * 2 * reach / cells;
  }
  return sum;
}

TEST(ObjectiveProfile, IsAboveTheExactDensityRatioInOneDimension) {
  const auto slope = [](double z) { return -1 / (1 + std::exp(z)); };
  const auto curvature = [](double z) { return 1 / (2 + std::exp(z) + std::exp(-z)); };
  double tightest = 0;
  for (const double sigma : {1.0, 3.0}) {
    for (const double penalty : {0.5, 2.0, 20.0}) {
      const PerturbedObjective m = logistic(penalty, sigma);
      for (const double epsilon : {0.2, 1.0, 2.0}) {
        const double bound = delta_objective(epsilon, m);
        for (const double x : {-1.0, 0.0, 0.5, 1.0}) {
          for (const double x_other : {-1.0, 0.0, 1.0}) {
            const double exact = exact_delta(epsilon, penalty, sigma, x, x_other, slope, curvature);
            EXPECT_LE(exact, bound + 1e-9) << "sigma " << sigma << " penalty " << penalty << " epsilon " << epsilon;
            if (bound < 1) tightest = std::max(tightest, exact / bound);
          }
        }
      }
    }
  }
  EXPECT_GT(tightest, 0.3) << "the attack is too weak to test anything";
}

TEST(ObjectiveProfile, TwoSidedLossesPayForTheDeterminant) {
  // Huber with threshold 0.5: slope in [-0.5, 0.5], curvature at most 1; the target moves too.
  const PerturbedObjective m{GradientSign::two_sided, 0.5, 1, 4, 2};
  const auto slope_at = [](double y) { return [y](double t) { return std::clamp(t - y, -0.5, 0.5); }; };
  const auto curvature_at = [](double y) { return [y](double t) { return std::abs(t - y) < 0.5 ? 1.0 : 0.0; }; };
  for (const double epsilon : {0.5, 1.0}) {
    for (const double y : {-1.0, 0.0, 1.0}) {
      EXPECT_LE(exact_delta(epsilon, 4, 2, 1, -1, slope_at(y), curvature_at(y)), delta_objective(epsilon, m) + 1e-9);
    }
  }
  EXPECT_EQ(mu_objective(m), 0) << "a two-sided loss must not enter Gaussian-DP composition";
}

TEST(ObjectiveProfile, ThePureScaleIsThatOfOneReleaseOfSensitivityTwoOnceThePenaltyAllows) {
  const auto scale = [](double penalty, double epsilon) {
    return scale_for_pure_objective({GradientSign::monotone, 1, 1, penalty, 1}, epsilon);
  };
  EXPECT_NEAR(scale(2.001, 1), 2, 1e-9);
  EXPECT_NEAR(scale(2000, 0.1), 20, 1e-9);
  EXPECT_GT(scale(1.9, 1), 2.0005);
  // epsilon - ln(1 + beta/penalty) is left for the noise: 1 - ln(1.025).
  EXPECT_NEAR(2 / scale_for_pure_objective({GradientSign::two_sided, 1, 0.25, 10, 1}, 1), 0.97530738741, 1e-10);
}

TEST(ObjectiveProfile, PureForwardAndInverseAgreeOnTheSafeSide) {
  for (const auto sign : {GradientSign::monotone, GradientSign::two_sided}) {
    for (const double epsilon : {0.01, 0.5, 1.0, 8.0}) {
      for (const double factor : {0.3, 0.6, 1.0, 2.0, 50.0}) {
        PureObjective m{sign, 1, 1, factor / epsilon, 1};
        if (sign == GradientSign::two_sided && m.penalty <= 1 / std::expm1(epsilon)) continue;
        m.scale = scale_for_pure_objective(m, epsilon);
        EXPECT_LE(epsilon_pure_objective(m), epsilon);
        m.scale *= 1 - 1e-6;
        EXPECT_GT(epsilon_pure_objective(m), epsilon);
      }
    }
  }
}

TEST(ObjectiveProfile, RefusesWhatCannotBeProved) {
  EXPECT_THROW(scale_for_pure_objective({GradientSign::monotone, 1, 1, 0.2, 1}, 1), ArgumentError);
  EXPECT_THROW(scale_for_pure_objective({GradientSign::two_sided, 1, 1, 0.5, 1}, 1), ArgumentError);
  EXPECT_THROW(epsilon_pure_objective({GradientSign::monotone, 1, 1, 1, std::nan("")}), ArgumentError);
  EXPECT_THROW(sigma_for_objective(logistic(0.5), 1, 1e-6), ArgumentError) << "kappa exceeds epsilon for every sigma";
  EXPECT_THROW(delta_objective(1, logistic(std::nan(""))), ArgumentError);
  EXPECT_THROW(delta_objective(1, logistic(-1)), ArgumentError);
  EXPECT_THROW(epsilon_objective(logistic(4, 3), 0), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
