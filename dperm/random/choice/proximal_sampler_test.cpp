// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/proximal_sampler.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

constexpr double kUnit = 0x1p20;   // lattice units per 1
constexpr double kSteps = 0x1p30;  // cost units per 1

// exp(-weight * cost): weight * cost is curvature (x - mean)^2 / 2 in units of 1, per coordinate.
class Quadratic final : public ProximalTarget {
 public:
  Quadratic(const ProximalSettings& settings, double curvature, double mean)
      : settings_(settings), curvature_(curvature), mean_(mean) {}
  std::int64_t cost(std::span<const std::int64_t> point) const override {
    double sum = 0;
    for (const std::int64_t each : point) sum += std::pow(static_cast<double>(each) / kUnit - mean_, 2);
    return std::llrint(curvature_ / 2 * sum * kSteps);
  }
  void prepare(std::span<const std::int64_t> y, std::span<std::int64_t> anchor,
               std::span<std::int64_t> centre) const override {
    // A deliberately bad anchor, half way: it may cost time only.
    const double forward = settings_.forward_sigma / kUnit, backward = settings_.backward_sigma / kUnit;
    for (std::size_t j = 0; j < y.size(); ++j) {
      anchor[j] = y[j] / 2;
      const double slope = curvature_ * (static_cast<double>(anchor[j]) / kUnit - mean_);
      centre[j] = std::llrint(backward * backward * (static_cast<double>(y[j]) / (forward * forward) - slope * kUnit));
    }
  }

 private:
  const ProximalSettings& settings_;
  double curvature_, mean_;
};

ProximalSettings settings_for(double strength, std::size_t dimension) {
  const double forward = 0.7;
  return {.dimension = dimension,
          .rounds = 25,
          .start_sigma = 0.3 * kUnit,
          .forward_sigma = forward * kUnit,
          .backward_sigma = forward * kUnit / std::sqrt(1 + strength * forward * forward),
          .cost_weight = 1 / kSteps,
          .slack = 1e-4,
          .radius = 50 * kUnit,
          .most_proposals = 2000};
}

TEST(ProximalSampler, DrawsFromAGaussianTarget) {
  // Penalty 2 and curvature 3 around 0.8: a normal distribution of variance 1/5 around 3 * 0.8 / 5.
  const ProximalSettings settings = settings_for(2, 2);
  const Quadratic target(settings, 3, 0.8);
  const boost::math::normal distribution(0.48, std::sqrt(0.2));
  SeededBits bits(1);
  constexpr int kSamples = 1500;
  std::vector<std::int64_t> first, second;
  for (int i = 0; i < kSamples; ++i) {
    const auto x = sample_proximal(bits, target, settings);
    first.push_back(x[0]);
    second.push_back(x[1]);
  }
  std::vector<std::int64_t> edges;
  for (int k = 1; k < 12; ++k) edges.push_back(std::llrint(quantile(distribution, k / 12.0) * kUnit));
  for (const auto& samples : {first, second}) {
    const auto cells = dperm::testing::count_between(samples, edges, [&](std::int64_t edge) {
      return cdf(distribution, (static_cast<double>(edge) - 0.5) / kUnit);
    });
    const auto verdict = dperm::testing::test_cells(cells);
    EXPECT_TRUE(verdict) << verdict.text;
  }
}

TEST(ProximalSampler, TheTestSeesAWrongPenalty) {
  const ProximalSettings settings = settings_for(2, 1);
  const Quadratic target(settings, 3, 0.8);
  const boost::math::normal wrong(0.48 * 5 / 4, std::sqrt(0.25));
  SeededBits bits(1);
  std::uint64_t below = 0;
  for (int i = 0; i < 1500; ++i)
    below += static_cast<double>(sample_proximal(bits, target, settings)[0]) / kUnit < 0.48;
  EXPECT_FALSE(dperm::testing::test_event(below, 1500, cdf(wrong, 0.48)));
}

TEST(ProximalSampler, TellsTheRoundsThatAreOver) {
  ProximalSettings settings = settings_for(2, 1);
  settings.rounds = 3;
  std::vector<std::int64_t> told;
  settings.after_round = [&](std::int64_t round) { told.push_back(round); };
  SeededBits bits(4);
  sample_proximal(bits, Quadratic(settings, 3, 0.8), settings);
  EXPECT_EQ(told, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(ProximalSampler, StaysWhereItWasWhenNothingIsAccepted) {
  ProximalSettings settings = settings_for(2, 3);
  settings.radius = 1;  // no proposal is inside
  settings.most_proposals = 3;
  SeededBits bits(9), again(9);
  const auto x = sample_proximal(bits, Quadratic(settings, 3, 0.8), settings);
  settings.rounds = 0;
  EXPECT_EQ(x, sample_proximal(again, Quadratic(settings, 3, 0.8), settings)) << "the start";
}

TEST(ProximalSampler, RoundsHaveKnownValues) {
  // n = 1000, d = 10, G = R = 1, epsilon 1, delta 1e-5: k = 599.380532946, m = 0.0333677837378.
  const double k = 599.380532946, m = 0.0333677837378, alpha = k * m;
  const double divergence = 2 * k * std::sqrt(10 / alpha);
  EXPECT_NEAR(divergence, 847.652078715, 1e-6);
  EXPECT_EQ(proximal_rounds(divergence, 1e-10, alpha / (k * 0.25 * 10)), 1965);
  EXPECT_EQ(proximal_rounds(divergence, 1e-10, alpha / (k * k * 10)), 4679428);
  EXPECT_EQ(proximal_rounds(1e-30, 0.5, 1), 0);
  EXPECT_EQ(proximal_rounds(1, 1e-10, 0), 9e18);
}

TEST(ProximalSampler, RefusesSettingsItCannotMeet) {
  SeededBits bits(1);
  const auto refuses = [&](auto change) {
    ProximalSettings settings = settings_for(2, 1);
    change(settings);
    EXPECT_THROW(sample_proximal(bits, Quadratic(settings, 3, 0.8), settings), ArgumentError);
  };
  refuses([](ProximalSettings& s) { s.backward_sigma = s.forward_sigma; });
  refuses([](ProximalSettings& s) { s.start_sigma = 0.1; });
  refuses([](ProximalSettings& s) { s.slack = std::nan(""); });
  refuses([](ProximalSettings& s) { s.cost_weight = 0; });
  refuses([](ProximalSettings& s) { s.radius = 0x1p61; });
  refuses([](ProximalSettings& s) { s.dimension = 0; });
}

}  // namespace
}  // namespace dperm::random
