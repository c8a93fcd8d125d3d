// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/objective/objective_classical.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {
namespace {

constexpr RecordBounds kLogistic{1, 0.25};

TEST(ObjectiveClassical, ReproducesIndependentlyComputedNoise) {
  EXPECT_NEAR(kst12_sigma(kLogistic, 4, 1, 1e-5), 20.1641842051, 1e-9);
  // One percent of both for the second step.
  EXPECT_NEAR(amp_sigma(kLogistic, 6, 0.99, 0.99e-5), 13.0204711975, 1e-9);
  EXPECT_NEAR(2 / cms11_scale(kLogistic, 10, 1), 0.950614774819, 1e-11);
  EXPECT_NEAR(2 / cms11_scale(kLogistic, cms11_least_penalty(kLogistic, 1), 1), 0.5, 1e-9);
  EXPECT_NEAR(amp_output_sigma(1, 0.01, 1e-7), 100 * (1 + std::sqrt(14 * std::log(10.0))), 1e-6);
}

TEST(ObjectiveClassical, AsksForMoreThanTheProvedProfileNeeds) {
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    for (const double delta : {1e-9, 1e-6, 1e-3}) {
      const double penalty = amp_least_penalty(kLogistic, epsilon);
      const PerturbedObjective objective{GradientSign::monotone, 1, 1, penalty, 1};
      const double proved = sigma_for_objective(objective, epsilon, delta);
      EXPECT_GT(kst12_sigma(kLogistic, penalty, epsilon, delta), proved);
      EXPECT_GT(amp_sigma(kLogistic, penalty, epsilon, delta), proved);
      const PureObjective pure{GradientSign::monotone, 1, 1, penalty, 1};
      EXPECT_GT(cms11_scale(kLogistic, penalty, epsilon), scale_for_pure_objective(pure, epsilon));
    }
  }
}

TEST(ObjectiveClassical, RefusesAPenaltyThatTheTheoremDoesNotCover) {
  EXPECT_THROW(kst12_sigma(kLogistic, 0.49, 1, 1e-5), ArgumentError);
  EXPECT_THROW(amp_sigma(kLogistic, 4.9, 1, 1e-5), ArgumentError);
  EXPECT_THROW(cms11_scale(kLogistic, 0.3, 1), ArgumentError);
  EXPECT_THROW(cms11_scale(kLogistic, std::nan(""), 1), ArgumentError);
  EXPECT_THROW(kst12_sigma(kLogistic, 4, 1, 0), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
