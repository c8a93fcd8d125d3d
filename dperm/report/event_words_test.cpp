// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/event_words.hpp"

#include <gtest/gtest.h>

namespace dperm::report {
namespace {

using namespace privacy;

TEST(EventWords, SayNoiseBesideWhatOneRowCanChange) {
  EXPECT_EQ(event_words({"noisy gradient", GaussianEvent{2, 16}, Neighbours::replace_one, 200}),
            "200 x noisy gradient: Gaussian noise of 8 times the most that one row can change it");
  EXPECT_EQ(event_words({"counts", DiscreteLaplaceEvent{2, 4, 2}}),
            "counts: Laplace noise of as much as the most that one row can change it");
}

TEST(EventWords, ReplacingARowMovesASumTwice) {
  const SampledGaussianEvent sampled{1, 10, 0.25, Sampling::poisson};
  EXPECT_EQ(event_words({"sum", sampled, Neighbours::replace_one}),
            "sum: Gaussian noise of 5 times the most that one row can change it, about a sample in which a row is with "
            "probability 0.25");
  EXPECT_EQ(event_words({"sum", SampledGaussianEvent{1, 10, 1}, Neighbours::add_remove}),
            "sum: Gaussian noise of 10 times the most that one row can change it");
}

TEST(EventWords, NameTheUnit) {
  EXPECT_EQ(event_words({"sum", SampledGaussianEvent{1, 24, 1, Sampling::poisson, 3}}, "one person"),
            "sum: Gaussian noise of 4 times the most that one person can change it");
}

TEST(EventWords, OfAChoiceAreOdds) {
  // exp(range / scale) = exp(1)
  EXPECT_EQ(
      event_words({"quantile", ExponentialEvent{2, 2, 1}}),
      "quantile: one of a public list, the better the likelier: one row changes the odds between two by at most a "
      "factor of 2.718");
}

TEST(EventWords, ListWhatPartsHold) {
  const DisjointPartsEvent parts{{{{"weights", GaussianEvent{1, 3}}}, {{"counts", GaussianEvent{1, 2}}}}};
  EXPECT_EQ(event_words({"model and evaluation", parts}),
            "model and evaluation: one row takes part in one of these only. Part 1: weights: Gaussian noise of 3 times "
            "the most that one row can change it; Part 2: counts: Gaussian noise of 2 times the most that one row can "
            "change it");
}

}  // namespace
}  // namespace dperm::report
