// SPDX-License-Identifier: Apache-2.0
// Sampled releases: the curator's door, sizes and rates, calibrated noise.
#include "dperm/privacy/composition/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/choice/coin_sample.hpp"
#include "dperm/random/choice/subset.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::privacy {
namespace {

using Integers = std::vector<std::int64_t>;

// Row i holds the vector (i, 1).
Integers plain_sum(const RowSample& sample) {
  Integers sum(2, 0);
  for (const std::size_t each : rows_in(sample, 0, sample.rows())) sum[0] += static_cast<std::int64_t>(each), ++sum[1];
  return sum;
}

Sensitive<Integers> sum_of(const Sensitive<SharedSample>& sample) { return sample.map(plain_sum); }

void expect_release_is_sample_plus_noise(const SampledGaussianEvent& event, const auto& sample) {
  random::SeededBits bits(3), twin(3);
  Curator curator(bits);
  const Integers released = curator.release(sum_of, 1000, event, "gradient").get();
  const Integers expected = sample(twin);
  Integers noise(2);
  random::rounded_gaussians(twin, event.sigma, noise);
  EXPECT_EQ(released, (Integers{expected[0] + noise[0], expected[1] + noise[1]}));
}

TEST(SampledRelease, IsTheSumOverTheSamplersSetPlusTheSamplersNoise) {
  expect_release_is_sample_plus_noise({1, 20, 0.1, Sampling::poisson},
                                      [](auto& bits) { return plain_sum(*random::draw_sample(bits, 1000, 0.1)); });
  expect_release_is_sample_plus_noise({1, 20, 0.1, Sampling::fixed_size}, [](auto& bits) {
    return plain_sum(ListedRows(random::fixed_subset(bits, 1000, 100), 1000));
  });
}

TEST(SampledRelease, RecordsTheEventItSampledBy) {
  random::SeededBits bits(1);
  Curator curator(bits, Neighbours::add_remove);
  const SampledGaussianEvent event{1, 20, 0.1, Sampling::poisson};
  for (int step = 0; step < 5; ++step) curator.release(sum_of, 1000, event, "gradient");
  EXPECT_EQ(curator.events(), (std::vector<PrivacyEvent>{{"gradient", event, Neighbours::add_remove, 5}}));
}

TEST(SampledRelease, RefusesBeforeARecordIsLookedAt) {
  random::SeededBits bits(1);
  Curator curator(bits, Neighbours::add_remove);
  const auto never = [](const Sensitive<SharedSample>&) -> Sensitive<Integers> { throw std::logic_error("looked"); };
  EXPECT_THROW(curator.release(never, 10, {1, 20, 0.1, Sampling::fixed_size}, "g"), ArgumentError)
      << "samples of fixed size are accounted for under replace-one only";
  EXPECT_THROW(curator.release(never, 10, {1, 20, 1.1, Sampling::poisson}, "g"), ArgumentError);
  EXPECT_THROW(curator.release(never, 10, {1, 20, std::nan(""), Sampling::poisson}, "g"), ArgumentError);
  EXPECT_THROW(curator.release(never, 10, {1, 0.1, 0.1, Sampling::poisson}, "g"), ArgumentError);
  EXPECT_THROW(curator.release(never, 0, {1, 20, 0.1, Sampling::poisson}, "g"), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

TEST(SampledRelease, AnEmptySampleLeavesWithNoiseAndAQueryWithoutCoordinatesIsABug) {
  random::SeededBits bits(1);
  Curator curator(bits);
  const SampledGaussianEvent event{1, 1000, 1e-12, Sampling::poisson};
  EXPECT_NE(curator.release(sum_of, 10, event, "g").get(), (Integers{0, 0}));
  EXPECT_THROW(curator.release([](const Sensitive<SharedSample>&) { return Sensitive(Integers()); }, 10, event, "g"),
               InternalError);
}

TEST(SampleSizes, ARateIsNeverBelowTheShareItStandsFor) {
  for (const std::size_t rows : {1ul, 3ul, 7ul, 1000ul, 60000ul, 999999937ul, (1ul << 50) - 1}) {
    for (const std::size_t size : {1ul, rows / 3 + 1, rows - rows / 7, rows}) {
      const double rate = rate_of_size(size, rows);
      EXPECT_EQ(size_of_rate(rate, rows), size);
      EXPECT_GE(std::fma(rate, static_cast<double>(rows), -static_cast<double>(size)), 0);
      EXPECT_LE(rate, 1);
      if (rate < 1) {
        EXPECT_LE(size_of_rate(std::nextafter(std::nextafter(rate, 0.0), 0.0), rows), size);
      }
    }
  }
  EXPECT_EQ(size_of_rate(std::nextafter(0.1, 0.0), 10), 0u) << "a rate just below a tenth is no whole record of ten";
  EXPECT_THROW(rate_of_size(0, 5), ArgumentError);
  EXPECT_THROW(rate_of_size(6, 5), ArgumentError);
  EXPECT_THROW(size_of_rate(std::nan(""), 5), ArgumentError);
}

// Reference pairs (rate, noise multiplier, steps, delta) with their epsilon to six digits.
TEST(SampledNoise, AgreesWithReferenceEpsilons) {
  struct Case {
    double rate, multiplier;
    std::int64_t steps;
    double delta, add_remove, replace_one;
  };
  for (const Case& c : {Case{0.01, 1, 1000, 1e-5, 1.828238, 2.843446}, Case{0.1, 2, 100, 1e-5, 2.337400, 4.368097},
                        Case{0.01, 2, 1000, 1e-5, 0.622049, 1.205210}}) {
    for (const auto neighbours : {Neighbours::add_remove, Neighbours::replace_one}) {
      const double epsilon = neighbours == Neighbours::add_remove ? c.add_remove : c.replace_one;
      const PrivacyEvent event{"g", SampledGaussianEvent{1000, 1, c.rate, Sampling::poisson}, neighbours, c.steps};
      const double sigma = sampled_sigma_for(event, epsilon, c.delta);
      EXPECT_GE(sigma, 1000 * c.multiplier * 0.99999);
      EXPECT_LE(sigma, 1000 * c.multiplier * 1.002);
    }
  }
}

TEST(SampledNoise, SpendsTheBudgetAndNoMore) {
  for (const double epsilon : {0.1, 1.0, 8.0}) {
    for (const double rate : {0.02, 1.0}) {
      for (const auto sampling : {Sampling::poisson, Sampling::fixed_size}) {
        PrivacyEvent event{"g", SampledGaussianEvent{16777216, 1, rate, sampling}, Neighbours::replace_one, 200};
        const double sigma = sampled_sigma_for(event, epsilon, 1e-6);
        std::get<SampledGaussianEvent>(event.mechanism).sigma = sigma;
        const double spent = account(std::span(&event, 1), 1e-6).epsilon;
        EXPECT_LE(spent, epsilon);
        EXPECT_GE(spent, 0.999 * epsilon);
      }
    }
  }
}

// Far from the central limit: small samples, much noise or little, one step or many.
TEST(SampledNoise, SpendsTheBudgetFarFromTheFirstGuess) {
  struct Case {
    double rate, epsilon, delta;
    std::int64_t steps;
  };
  for (const Case& c : {Case{1e-3, 0.5, 1e-6, 100}, Case{1e-5, 2, 1e-7, 50}, Case{0.02, 30, 1e-5, 300},
                        Case{0.5, 20, 1e-9, 1}, Case{0.3, 0.003, 1e-6, 2000}}) {
    for (const auto neighbours : {Neighbours::add_remove, Neighbours::replace_one}) {
      PrivacyEvent event{"g", SampledGaussianEvent{1, 1, c.rate, Sampling::poisson}, neighbours, c.steps};
      std::get<SampledGaussianEvent>(event.mechanism).sigma = sampled_sigma_for(event, c.epsilon, c.delta);
      const double spent = account(std::span(&event, 1), c.delta).epsilon;
      EXPECT_LE(spent, c.epsilon);
      EXPECT_GE(spent, 0.999 * c.epsilon) << "rate " << c.rate << " epsilon " << c.epsilon;
    }
  }
}

TEST(SampledNoise, ABudgetThatNeedsNoneGetsATenthOfTheContribution) {
  const PrivacyEvent event{"g", SampledGaussianEvent{1000, 1, 0.1, Sampling::poisson}, Neighbours::replace_one, 1};
  EXPECT_NEAR(sampled_sigma_for(event, 900, 1e-6), 100, 1e-9);
}

TEST(SampledNoise, ASampleOfEverythingIsAPlainGaussianRelease) {
  for (const auto neighbours : {Neighbours::replace_one, Neighbours::add_remove}) {
    const PrivacyEvent sampled{"g", SampledGaussianEvent{3, 40, 1, Sampling::poisson}, neighbours, 7};
    const double sensitivity = neighbours == Neighbours::replace_one ? 6 : 3;
    const PrivacyEvent plain{"g", GaussianEvent{sensitivity, 40}, neighbours, 7};
    EXPECT_EQ(account(std::span(&sampled, 1), 1e-6), account(std::span(&plain, 1), 1e-6));
  }
}

// Between a noise that costs more than epsilon and one that delta pays for alone, the search has an end without a
// slope.
TEST(SampledNoise, IsFoundWhereALittleMoreWouldCostNothing) {
  for (const double epsilon : {0.001, 0.01}) {
    PrivacyEvent event{"gradient", SampledGaussianEvent{1, 1, 1.0 / 3000, Sampling::poisson}, Neighbours::replace_one,
                       100};
    std::get<SampledGaussianEvent>(event.mechanism).sigma = sampled_sigma_for(event, epsilon, 0.02);
    EXPECT_LE(account(std::span(&event, 1), 0.02).epsilon, epsilon);
  }
}

TEST(SampledNoise, RefusesABudgetThatIsNone) {
  const PrivacyEvent event{"g", SampledGaussianEvent{1, 1, 0.1, Sampling::poisson}, Neighbours::replace_one, 10};
  EXPECT_THROW(sampled_sigma_for(event, 0, 1e-6), ArgumentError);
  EXPECT_THROW(sampled_sigma_for(event, std::nan(""), 1e-6), ArgumentError);
  EXPECT_THROW(sampled_sigma_for(event, 1, 0), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
