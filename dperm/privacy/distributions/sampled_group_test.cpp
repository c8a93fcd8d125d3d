// SPDX-License-Identifier: Apache-2.0
// A group of records in a Poisson sample against other programs' numbers, and against pairs of groups drawn at random.
#include "dperm/privacy/distributions/sampled_group.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/composition/sampling.hpp"
#include "dperm/privacy/distributions/loss_distribution.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

PrivacyEvent group_event(double sigma, double rate, std::uint64_t group, std::int64_t steps, Neighbours neighbours) {
  return {"gradient", SampledGaussianEvent{1, sigma, rate, Sampling::poisson, group}, neighbours, steps};
}

struct Case {
  double sigma, rate;
  std::uint64_t group;
  std::int64_t steps;
  double delta, add_remove, replace_one;
};

// add_remove: dp-accounting 0.6.0, pld.from_mixture_gaussian_mechanism(sigma, sensitivities 0..group, their binomial
// probabilities, value_discretization_interval 1e-4), self_compose(steps), an upper bound by connecting dots.
// replace_one: an integral of its own (NumPy): masses of 2 million intervals of x at their mean loss, rounded linearly
// to a grid of 2^22 points and composed by one FFT; the same program gives add_remove to 2e-5.
constexpr Case kCases[] = {
    {2, 0.01, 5, 1000, 1e-6, 4.20042716134883, 8.306746392801376},
    {4, 0.05, 3, 200, 1e-5, 2.2427145900566083, 4.668689307172917},
    {1, 0.001, 10, 2000, 1e-6, 3.033410855809945, 4.732883931567126},
    {8, 0.2, 5, 100, 1e-6, 6.494406591856512, 14.34753223463177},
};

TEST(SampledGroup, AgreesWithOtherPrograms) {
  for (const Case& each : kCases) {
    for (const Neighbours neighbours : {Neighbours::add_remove, Neighbours::replace_one}) {
      const double reference = neighbours == Neighbours::add_remove ? each.add_remove : each.replace_one;
      const PrivacyEvent event = group_event(each.sigma, each.rate, each.group, each.steps, neighbours);
      const Interval interval = PrivacyCurve(std::span(&event, 1)).epsilon(each.delta, 5e-4);
      EXPECT_NEAR(interval.upper, reference, 1e-3) << each.sigma << ' ' << each.rate;
      EXPECT_LE(interval.lower, reference + 1e-4);
      EXPECT_GE(interval.upper, reference - 1e-4);
    }
  }
}

TEST(SampledGroup, AGroupOfOneIsOneRecord) {
  for (const Neighbours neighbours : {Neighbours::add_remove, Neighbours::replace_one}) {
    const Distribution one = neighbours == Neighbours::replace_one
                                 ? sampled_gaussian_replace_distribution(0.5, 0.1)
                                 : sampled_distribution(gaussian_distribution(0.5), 0.1);
    const Distribution group = neighbours == Neighbours::replace_one ? group_replace_distribution(0.5, 0.1, 1)
                                                                     : group_removal_distribution(0.5, 0.1, 1);
    for (double lower = -0.1; lower < 1; lower += 0.07) {
      const Masses expected = one->between(lower, lower + 0.07), found = group->between(lower, lower + 0.07);
      EXPECT_NEAR(found.p, expected.p, 1e-10 * expected.p + 1e-300) << lower;
      EXPECT_NEAR(found.q, expected.q, 1e-10 * expected.q + 1e-300) << lower;
    }
  }
}

TEST(SampledGroup, LiesBetweenOneRecordAndAGroupThatAlwaysTakesPart) {
  const double one = account(std::vector{group_event(4, 0.1, 1, 50, Neighbours::replace_one)}, 1e-6).epsilon;
  double before = one;
  for (const std::uint64_t group : {2u, 3u, 8u}) {
    const double epsilon = account(std::vector{group_event(4, 0.1, group, 50, Neighbours::replace_one)}, 1e-6).epsilon;
    EXPECT_GT(epsilon, before);
    EXPECT_LT(epsilon, epsilon_gaussian(2 * static_cast<double>(group) * std::sqrt(50.0) / 4, 1e-6));
    before = epsilon;
  }
  // Hardly anybody is outside the sample: accounted for as if nobody were.
  EXPECT_FALSE(group_distribution_is_attained(0.25, 0.999, 100));
  EXPECT_NEAR(account(std::vector{group_event(400, 0.999, 100, 1, Neighbours::replace_one)}, 1e-6).epsilon,
              epsilon_gaussian(0.5, 1e-6), 1e-3);
}

// The hockey stick of the worst pair at alpha: P's mass less alpha times Q's where the loss exceeds ln(alpha).
double worst(const Distribution& pair, double alpha) {
  const Masses m = pair->between(std::log(alpha), kInfinity);
  return m.p - alpha * m.q;
}

struct Vector {
  double x, y;
};

// Density of N(sum of the records in the sample, I) at a point, over N(0, I)'s, mixed over samples.
double ratio_at(const std::vector<Vector>& records, double rate, const Vector& at) {
  double sum = 0;
  for (std::size_t sample = 0; sample < std::size_t{1} << records.size(); ++sample) {
    Vector mean{0, 0};
    double chance = 1;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const bool inside = (sample >> i & 1) != 0;
      chance *= inside ? rate : 1 - rate;
      if (inside) mean = {mean.x + records[i].x, mean.y + records[i].y};
    }
    sum += chance * std::exp(mean.x * at.x + mean.y * at.y - (mean.x * mean.x + mean.y * mean.y) / 2);
  }
  return sum;
}

TEST(SampledGroup, NoPairOfGroupsIsTheWorstPairsBetter) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < 12; ++trial) {
    const double mu = 0.3 + unit(random), rate = 0.05 + 0.6 * unit(random);
    const std::size_t group = 2 + random() % 2;
    const bool removed = trial % 3 == 0;
    std::vector<Vector> first, second;
    for (std::size_t i = 0; i < group; ++i) {
      const auto record = [&] {
        const double length = mu * (trial % 2 == 0 ? 1 : unit(random)), angle = 2 * M_PI * unit(random);
        return Vector{length * std::cos(angle), length * std::sin(angle)};
      };
      first.push_back(record());
      if (!removed) second.push_back(record());
    }
    const Distribution pair =
        removed ? group_removal_distribution(mu, rate, group) : group_replace_distribution(mu, rate, group);
    for (const double alpha : {1.0, 1.3, 2.5}) {
      double stick = 0;
      const double step = 0.05;
      for (double x = -9; x < 9; x += step) {
        for (double y = -9; y < 9; y += step) {
          const double p = ratio_at(first, rate, {x, y}), q = ratio_at(second, rate, {x, y});
          stick += std::max(0.0, p - alpha * q) * std::exp(-(x * x + y * y) / 2) / (2 * M_PI) * step * step;
        }
      }
      EXPECT_LE(stick, worst(pair, alpha) + 1e-6) << "trial " << trial << " alpha " << alpha;
    }
  }
}

TEST(SampledGroup, NoiseIsFoundForAGroup) {
  for (const Neighbours neighbours : {Neighbours::add_remove, Neighbours::replace_one}) {
    PrivacyEvent event = group_event(1, 0.01, 5, 300, neighbours);
    auto& mechanism = std::get<SampledGaussianEvent>(event.mechanism);
    mechanism.sigma = sampled_sigma_for(event, 2, 1e-6);
    const double epsilon = account(std::vector{event}, 1e-6).epsilon;
    EXPECT_LE(epsilon, 2);
    EXPECT_GE(epsilon, 2 * 0.999);
  }
}

}  // namespace
}  // namespace dperm::privacy
