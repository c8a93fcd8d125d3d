// SPDX-License-Identifier: Apache-2.0
// Intervals of the privacy-loss accountant against independently computed values.
#include "dperm/privacy/privacy_curve.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/gaussian_dp.hpp"

namespace dperm::privacy {
namespace {

PrivacyEvent sampled(double rate, double sigma, std::int64_t steps, Neighbours neighbours,
                     Sampling sampling = Sampling::poisson) {
  return {"noisy gradient", SampledGaussianEvent{1, sigma, rate, sampling}, neighbours, steps};
}

Interval epsilon_of(const PrivacyEvent& event, double delta, double width = 1e-3) {
  return PrivacyCurve(std::vector{event}).epsilon(delta, width);
}

void expect_contains(const Interval& interval, double reference, double reference_error, double width) {
  EXPECT_LE(interval.lower, reference + reference_error);
  EXPECT_GE(interval.upper, reference - reference_error);
  EXPECT_LE(interval.upper - interval.lower, width);
}

struct Case {
  double rate, sigma;
  std::int64_t steps;
  double delta, add_remove, replace_one;
};

// Values from two other implementations with finer grids; they agree to the digits shown.
TEST(PrivacyCurve, ContainsTheValuesOfOtherAccountantsForPoissonSampling) {
  const std::vector<Case> cases{{.01, 1, 1000, 1e-5, 1.828238, 2.843446},
                                {.01, .8, 500, 1e-6, 2.925146, 3.527887},
                                {.1, 2, 100, 1e-5, 2.337400, 4.368097},
                                {.001, .6, 10000, 1e-7, 3.84495, 4.14842},
                                {.01, 2, 1000, 1e-5, 0.622049, 1.205210}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.steps);
    expect_contains(epsilon_of(sampled(c.rate, c.sigma, c.steps, Neighbours::add_remove), c.delta), c.add_remove, 1e-5,
                    1e-3);
    expect_contains(epsilon_of(sampled(c.rate, c.sigma, c.steps, Neighbours::replace_one), c.delta), c.replace_one,
                    1e-5, 1e-3);
  }
}

}  // namespace
}  // namespace dperm::privacy
