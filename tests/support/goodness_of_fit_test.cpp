// SPDX-License-Identifier: Apache-2.0
// The testers are tested: they accept the true distribution at their stated rate and reject subtly wrong ones.
#include "tests/support/goodness_of_fit.hpp"

#include <gtest/gtest.h>

#include <random>

namespace dperm::testing {
namespace {

constexpr double kSigma = 3.7;
constexpr std::size_t kSamples = 4'000'000;

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

std::vector<std::int64_t> edges() {
  std::vector<std::int64_t> all;
  for (std::int64_t edge = -8; edge <= 9; ++edge) all.push_back(edge);
  return all;
}

// Verdict on samples of `sampler` (a function of a standard normal) against the distribution of round(kSigma Z).
template <class Sampler>
Verdict judge(const Sampler& sampler, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<std::int64_t> samples(kSamples);
  for (std::int64_t& sample : samples) sample = static_cast<std::int64_t>(sampler(normal(engine)));
  const auto below = [](std::int64_t edge) { return normal_below((static_cast<double>(edge) - 0.5) / kSigma); };
  return test_cells(count_between(samples, edges(), below));
}

TEST(GoodnessOfFit, AcceptsTheTrueDistribution) {
  const auto nearest = [](double z) { return std::floor(kSigma * z + 0.5); };
  for (unsigned seed = 0; seed < 2; ++seed) {
    const Verdict verdict = judge(nearest, seed);
    EXPECT_GT(verdict.false_alarm, 1e-3) << verdict.text;
  }
}

TEST(GoodnessOfFit, RejectsAVarianceOnePercentOff) {
  for (const double variance : {1.01, 0.99}) {
    const auto wider = [&](double z) { return std::floor(kSigma * std::sqrt(variance) * z + 0.5); };
    const Verdict verdict = judge(wider, 1);
    EXPECT_FALSE(verdict) << verdict.text;
  }
}

TEST(GoodnessOfFit, RejectsBiasedRounding) {
  EXPECT_FALSE(judge([](double z) { return std::floor(kSigma * z); }, 2));
  EXPECT_FALSE(judge([](double z) { return std::trunc(kSigma * z); }, 3));
  EXPECT_FALSE(judge([](double z) { return std::floor(kSigma * z + 0.53); }, 4));
}

TEST(GoodnessOfFit, RejectsACutTail) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::uint64_t whole = 0;
  std::uint64_t cut = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    double z = normal(engine);
    if (std::fabs(z) >= 4) ++whole;
    while (std::fabs(z) >= 4.2) z = normal(engine);
    if (std::fabs(z) >= 4) ++cut;
  }
  const double beyond = 2 * normal_below(-4);
  EXPECT_TRUE(test_event(whole, kSamples, beyond)) << test_event(whole, kSamples, beyond).text;
  EXPECT_FALSE(test_event(cut, kSamples, beyond)) << test_event(cut, kSamples, beyond).text;
}

TEST(GoodnessOfFit, RejectsDisjointSupports) {
  EXPECT_FALSE(test_cells(std::vector<Cell>{{0.5, 0}, {0.5, 0}, {0.0, 1000}}));
  EXPECT_FALSE(test_cells(std::vector<Cell>{{1e-12, 1000}, {1 - 1e-12, 0}}, 0));
  // One impossible outcome among a million is enough, however the cells are pooled.
  EXPECT_FALSE(test_cells(std::vector<Cell>{{0.5, 500000}, {0.0, 1}, {0.5, 499999}}));
  EXPECT_FALSE(test_event(1, 1000, 0));
  EXPECT_FALSE(test_event(999, 1000, 1));
}

// Small samples are where the usual chi-square approximation breaks; the bound must hold there too.
TEST(GoodnessOfFit, TheStatedRateHoldsForSmallSamples) {
  constexpr std::uint64_t kRepetitions = 100'000;
  const std::vector<double> distribution{0.02, 0.18, 0.3, 0.5};
  std::mt19937_64 engine(6);
  std::discrete_distribution<std::size_t> draw(distribution.begin(), distribution.end());
  for (const double rate : {0.2, 0.01, 0.001}) {
    std::uint64_t alarms = 0;
    for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
      std::vector<Cell> cells;
      for (const double probability : distribution) cells.push_back({probability, 0});
      for (int i = 0; i < 20; ++i) ++cells[draw(engine)].observed;
      if (test_cells(cells, 0).false_alarm <= rate) ++alarms;
    }
    const bool too_often = static_cast<double>(alarms) > rate * kRepetitions;
    EXPECT_TRUE(!too_often || test_event(alarms, kRepetitions, rate)) << rate << ": " << alarms;
  }
}

TEST(GoodnessOfFit, EventRatesAreTheBinomialTails) {
  // P(Binomial(10, 1/2) >= 9) = 11 / 1024, P(<= 1) the same.
  EXPECT_NEAR(test_event(9, 10, 0.5).false_alarm, 22.0 / 1024, 1e-14);
  EXPECT_NEAR(test_event(1, 10, 0.5).false_alarm, 22.0 / 1024, 1e-14);
  EXPECT_EQ(test_event(5, 10, 0.5).false_alarm, 1);
  EXPECT_NEAR(test_event(0, 10, 0.5).false_alarm, 2.0 / 1024, 1e-14);
  EXPECT_NEAR(test_event(10, 10, 0.5).false_alarm, 2.0 / 1024, 1e-14);
}

TEST(GoodnessOfFit, RefusesACellListThatIsNoDistribution) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(test_cells(std::vector<Cell>{{0.5, 1}, {0.4, 1}}), std::logic_error);
  EXPECT_THROW(test_cells(std::vector<Cell>{{nan, 1}, {0.5, 1}}), std::logic_error);
  EXPECT_THROW(test_cells(std::vector<Cell>{{1.5, 1}, {-0.5, 1}}), std::logic_error);
  EXPECT_THROW(test_cells(std::vector<Cell>{{1.0, 0}}), std::logic_error);
  EXPECT_THROW(test_event(1, 2, nan), std::logic_error);
}

}  // namespace
}  // namespace dperm::testing
