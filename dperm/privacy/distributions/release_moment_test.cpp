// SPDX-License-Identifier: Apache-2.0
// Moments of single releases against the integrals that define them, summed finely over the distributions' own masses.
#include "dperm/privacy/distributions/release_moment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/privacy/distributions/loss_distribution.hpp"

namespace dperm::privacy {
namespace {

// E e^(theta L) over losses above `from`, by cells so short that a cell's mean loss says all: to about 1e-6. The
// range holds what counts while (1 + theta) mu is below ten.
double moment_by_cells(const Distribution& distribution, double theta,
                       double from = -std::numeric_limits<double>::infinity()) {
  const LossRange range = distribution->range(1e-60);
  const double low = std::max(from, range.lower - 1e-9), step = (range.upper + 1e-9 - low) / 60'000;
  double sum = 0;
  for (int i = 0; i < 60'000; ++i) {
    const Masses m = distribution->between(low + i * step, low + (i + 1) * step);
    if (m.p > 0 && m.q > 0) sum += m.p * std::exp(theta * std::log(m.p / m.q));
  }
  return sum;
}

void expect_below(double moment, const Distribution& distribution, double theta, double slack) {
  const double exact = moment_by_cells(distribution, theta);
  EXPECT_LE(moment, exact * (1 + 1e-5));
  EXPECT_GE(moment - 1, (exact - 1) * (1 - slack) - 1e-5 * exact);
}

TEST(ReleaseMoment, IsTheIntegralOverTheDistribution) {
  for (const double theta : {0.5, 3.0, 20.0}) {
    for (const double strength : {0.05, 0.4, 1.5}) {
      if ((1 + theta) * strength > 10) continue;
      SCOPED_TRACE(testing::Message() << theta << ' ' << strength);
      const double p = 1 / (1 + std::exp(-strength));
      expect_below(two_outcomes_moment(p, 1 - p, theta, 0), pure_distribution(strength), theta, 1e-9);
      expect_below(laplace_moment(strength, theta, 0), laplace_distribution(strength), theta, 1e-9);
      for (const double rate : {1e-3, 0.2}) {
        SCOPED_TRACE(rate);
        const Distribution gaussian = gaussian_distribution(strength);
        expect_below(sampled_gaussian_moment(strength, rate, theta, 0), sampled_distribution(gaussian, rate), theta,
                     1e-6);
        expect_below(sampled_gaussian_replace_moment(strength, rate, theta, 0),
                     sampled_gaussian_replace_distribution(strength, rate), theta, 1e-6);
        expect_below(sampled_laplace_moment(strength, rate, theta, 0),
                     sampled_distribution(laplace_distribution(strength), rate), theta, 0.05);
      }
    }
  }
  EXPECT_NEAR(laplace_moment(0.4, 3, 1), std::exp(-1) * laplace_moment(0.4, 3, 0), 1e-12);
  EXPECT_EQ(sampled_gaussian_moment(45, 0.1, 10, 0), 0) << "nothing is claimed of strong releases";
}

TEST(ReleaseMoment, OfLossesBeyondTheGridIsNotUnderestimated) {
  for (const double theta : {0.5, 4.0, 8.0}) {
    for (const double mu : {0.1, 1.0}) {
      const Distribution base = gaussian_distribution(mu);
      for (const Distribution& distribution :
           {base, sampled_distribution(base, 0.05), sampled_gaussian_replace_distribution(mu, 0.05)}) {
        for (const double tail : {1e-2, 1e-6, 1e-12}) {
          const double top = distribution->range(tail).upper;
          const double exact = std::log(moment_by_cells(distribution, theta, top));
          EXPECT_GE(distribution->log_moment_beyond(theta, top), exact - 1e-5) << theta << ' ' << mu << ' ' << tail;
          EXPECT_LE(distribution->log_moment_beyond(theta, top), exact + 2 + 3 * mu * mu * (1 + theta) * (1 + theta));
        }
      }
    }
  }
  EXPECT_EQ(pure_distribution(1)->log_moment_beyond(2, 1.01), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(pure_distribution(1)->log_moment_beyond(2, 0.5), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace dperm::privacy
