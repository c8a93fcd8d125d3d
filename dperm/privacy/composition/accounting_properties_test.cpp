// SPDX-License-Identifier: Apache-2.0
// Intervals at the ends of their range against Renyi bounds, simulated losses and exact cases.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/composition/renyi.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

PrivacyEvent sampled(double rate, double sigma, std::int64_t steps, Neighbours neighbours) {
  return {"x", SampledGaussianEvent{1, sigma, rate, Sampling::poisson}, neighbours, steps};
}

// delta of one sampled release, one record removed: rate times the Gaussian's at a larger epsilon.
double removed_delta(double epsilon, double rate, double sigma) {
  return rate * delta_gaussian(std::log1p(std::expm1(epsilon) / rate), 1 / sigma);
}

TEST(IntervalProperties, ExtremesAreBelowRenyiAboveExactCasesAndNeverWrong) {
  for (const double delta : {1e-15, 1e-5}) {
    for (const double rate : {1e-6, 1e-2, 1.0}) {
      for (const double sigma : {0.1, 1.0, 1000.0}) {
        for (const std::int64_t steps : {std::int64_t{1}, std::int64_t{10'000'000}}) {
          for (const Neighbours relation : {Neighbours::add_remove, Neighbours::replace_one}) {
            if (delta > 1e-15 && steps > 1) continue;  // keeps the test short
            SCOPED_TRACE(testing::Message()
                         << delta << ' ' << rate << ' ' << sigma << ' ' << steps << ' ' << word(relation));
            const Events events{sampled(rate, sigma, steps, relation)};
            const Interval interval = PrivacyCurve(events).epsilon(delta, 0.1);
            EXPECT_GE(interval.lower, 0);
            EXPECT_LE(interval.lower, interval.upper);
            EXPECT_LE(interval.lower, renyi_epsilon(events, delta));
            const double factor = relation == Neighbours::replace_one ? 2 : 1;
            const double whole = epsilon_gaussian(factor * std::sqrt(static_cast<double>(steps)) / sigma, delta);
            EXPECT_LE(interval.lower, whole * (1 + 1e-9)) << "a sample costs less than all records";
            EXPECT_TRUE(rate < 1 || interval.upper >= whole * (1 - 1e-9));
            if (steps == 1 && relation == Neighbours::add_remove && std::isfinite(interval.upper)) {
              EXPECT_LE(removed_delta(interval.upper * (1 + 1e-9), rate, sigma), delta * (1 + 1e-6));
              EXPECT_TRUE(interval.lower == 0 || removed_delta(interval.lower, rate, sigma) >= delta * (1 - 1e-6));
            }
          }
        }
      }
    }
  }
}

// delta(epsilon) = E[(1 - e^(epsilon - L))_+] is the mean of numbers in [0, 1]: by Hoeffding the mean of n is farther
// than sqrt(ln(2e9)/(2n)) from it with probability below 1e-9.
TEST(IntervalProperties, DeltasAgreeWithSimulatedLosses) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const int runs = 20'000, steps = 20;
  const double tolerance = std::sqrt(std::log(2e9) / (2 * runs));
  for (int i = 0; i < 12; ++i) {
    const double rate = 0.05 + 0.6 * uniform(random), mu = 0.3 + 0.7 * uniform(random), epsilon = uniform(random);
    const bool replaced = i % 2 == 1;
    const auto density = [&](double x, double mean) { return 1 - rate + rate * std::exp(mean * x - mean * mean / 2); };
    double sum = 0;
    for (int run = 0; run < runs; ++run) {
      double loss = 0;
      for (int t = 0; t < steps; ++t) {
        const double x = normal(random) + (uniform(random) < rate ? mu : 0);
        loss += std::log(density(x, mu) / (replaced ? density(x, -mu) : 1));
      }
      sum += std::max(0.0, -std::expm1(epsilon - loss));
    }
    const Neighbours relation = replaced ? Neighbours::replace_one : Neighbours::add_remove;
    const Interval delta = PrivacyCurve(Events{sampled(rate, 1 / mu, steps, relation)}).delta(epsilon);
    EXPECT_GE(delta.upper, sum / runs - tolerance) << i;
    EXPECT_TRUE(!replaced || delta.lower <= sum / runs + tolerance) << i;
  }
}

TEST(IntervalProperties, RenyiUnderReplacementIsAboveItsIntegralAndHardlyMore) {
  for (const double rate : {1e-4, 0.01, 0.2, 0.9}) {
    for (const double mu : {0.02, 0.2, 1.0, 3.0, 5.0, 7.5}) {
      for (const double order : {1.5, 2.0, 5.0, 20.0}) {
        // The trapezoidal rule: smooth and fast decaying, so exact to many digits. What exceeds 1 is small.
        double integral = 0;
        const double h = 1e-2;
        for (double x = -100; x < 100; x += h) {
          const auto log_mixture = [&](double mean) {
            const double a = std::log1p(-rate), b = std::log(rate) + mean * x - mean * mean / 2;
            return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
          };
          const double loss = log_mixture(mu) - log_mixture(-mu);
          const double q = std::exp(log_mixture(-mu) - x * x / 2) / std::sqrt(2 * std::numbers::pi);
          integral += order * loss > 500 ? h * std::exp(std::log(q) + order * loss)
                                         : h * q * (std::expm1(order * loss) - order * std::expm1(loss));
        }
        if (std::isinf(integral)) continue;
        const double exact = std::log1p(integral) / (order - 1);
        const double bound = renyi_divergence(Events{sampled(rate, 1 / mu, 1, Neighbours::replace_one)}, order);
        EXPECT_GE(bound, exact * (1 - 1e-9)) << rate << ' ' << mu << ' ' << order;
        EXPECT_LE(bound, exact * 1.01) << rate << ' ' << mu << ' ' << order;
      }
    }
  }
}

}  // namespace
}  // namespace dperm::privacy
