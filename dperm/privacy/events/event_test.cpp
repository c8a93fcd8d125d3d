// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/events/event.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"

namespace dperm::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

PrivacyEvent gradient(std::int64_t repetitions) {
  return {.what = "noisy gradient", .mechanism = GaussianEvent{2, 8}, .repetitions = repetitions};
}

TEST(Event, AdjacentEqualEventsAreJoinedAndTheirRepetitionsAdded) {
  const PrivacyEvent weights{.what = "weights", .mechanism = KNormEvent{1, 4}};
  const std::vector<PrivacyEvent> joined = compressed({gradient(1), gradient(3), weights, gradient(1)});
  EXPECT_EQ(joined, (std::vector<PrivacyEvent>{gradient(4), weights, gradient(1)}));
  EXPECT_TRUE(compressed({}).empty());
}

TEST(Event, EventsThatDifferInAnythingElseStayApart) {
  PrivacyEvent other_words = gradient(1), other_noise = gradient(1), other_relation = gradient(1);
  other_words.what = "last gradient";
  other_noise.mechanism = GaussianEvent{2, 9};
  other_relation.neighbours = Neighbours::add_remove;
  for (const PrivacyEvent& other : {other_words, other_noise, other_relation}) {
    EXPECT_EQ(compressed({gradient(1), other}).size(), 2u);
  }
}

TEST(Event, ACountThatDoesNotFitIsNotWrapped) {
  const std::vector<PrivacyEvent> joined = compressed({gradient(kMost), gradient(1)});
  EXPECT_EQ(joined, (std::vector<PrivacyEvent>{gradient(kMost), gradient(1)}));
}

TEST(Event, WordsAreStable) {
  EXPECT_EQ(to_string(Neighbours::replace_one), "replace-one");
  EXPECT_EQ(to_string(Neighbours::add_remove), "add-remove");
  EXPECT_EQ(to_string(Mechanism(GaussianEvent{2, 8.5})), "Gaussian, sigma 8.5, L2 sensitivity 2");
  EXPECT_EQ(to_string(Mechanism(LaplaceEvent{1, 3, 2})), "discrete Laplace, scale 3/2, L1 sensitivity 1");
  EXPECT_EQ(to_string(Mechanism(KNormEvent{1, 4})), "K-norm, scale 4, L2 sensitivity 1");
  EXPECT_EQ(to_string(Mechanism(PureObjectiveEvent{{GradientSign::monotone, 1, 1, 8, 4}})),
            "objective perturbation, K-norm scale 4, gradient bound 1, penalty 8");
}

TEST(Event, ASampleOfAllRecordsIsAGaussianRelease) {
  const auto sampled = [](double rate, Neighbours neighbours) {
    return as_gaussian({"x", SampledGaussianEvent{3, 5, rate, Sampling::poisson}, neighbours, 7});
  };
  EXPECT_EQ(sampled(1, Neighbours::add_remove), (GaussianEvent{3, 5}));
  EXPECT_EQ(sampled(1, Neighbours::replace_one), (GaussianEvent{6, 5})) << "one record leaves and another comes";
  EXPECT_EQ(sampled(0.999, Neighbours::replace_one), std::nullopt);
  EXPECT_EQ(as_gaussian({"x", GaussianEvent{2, 4}, Neighbours::replace_one, 7}), (GaussianEvent{2, 4}));
  EXPECT_EQ(as_gaussian({"x", KNormEvent{2, 4}}), std::nullopt);
}

TEST(Event, ImpossibleParametersAreRefused) {
  for (const double bad : {0.0, -1.0, kNan, kInf}) {
    EXPECT_THROW(validate(Mechanism(GaussianEvent{bad, 1})), ArgumentError);
    EXPECT_THROW(validate(Mechanism(GaussianEvent{1, bad})), ArgumentError);
    EXPECT_THROW(validate(Mechanism(KNormEvent{bad, 1})), ArgumentError);
    EXPECT_THROW(validate(Mechanism(KNormEvent{1, bad})), ArgumentError);
  }
  EXPECT_THROW(validate(Mechanism(LaplaceEvent{0, 1, 1})), ArgumentError);
  EXPECT_THROW(validate(Mechanism(LaplaceEvent{1, 0, 1})), ArgumentError);
  EXPECT_THROW(validate(Mechanism(LaplaceEvent{1, 1, 0})), ArgumentError);
  EXPECT_THROW(validate(gradient(0)), ArgumentError);
  EXPECT_NO_THROW(validate(gradient(1)));
}

TEST(Event, ASelectionHasOneBaseThatItsAccountantsUnderstand) {
  const auto best = [](double epsilon, double mu, std::vector<std::vector<PrivacyEvent>> alternatives) {
    return PrivacyEvent{"best",
                        SelectionEvent{RepetitionDistribution::poisson, 0, 10, epsilon, mu, std::move(alternatives)}};
  };
  PrivacyEvent added = gradient(3);
  added.neighbours = Neighbours::add_remove;
  EXPECT_NO_THROW(validate(best(0, 0, {{gradient(3)}, {gradient(1), gradient(2)}})));
  EXPECT_THROW(validate(best(0, 0, {})), ArgumentError);
  EXPECT_THROW(validate(best(0, 1, {{gradient(3)}})), ArgumentError);
  EXPECT_THROW(validate(best(1, 0, {{gradient(3)}})), ArgumentError);
  EXPECT_THROW(validate(best(0, 0, {{gradient(3)}, {}})), ArgumentError);
  EXPECT_THROW(validate(best(0, 0, {{gradient(0)}})), ArgumentError);
  EXPECT_THROW(validate(best(0, 0, {{added}})), ArgumentError);
  EXPECT_THROW(validate(best(0, 0, {{best(1, 0, {})}})), ArgumentError);
  EXPECT_EQ(to_string(best(0, 0, {{gradient(3)}, {gradient(1)}}).mechanism),
            "best of Poisson(10) runs of [3 times Gaussian, sigma 8, L2 sensitivity 2 | 1 times Gaussian, sigma 8, L2 "
            "sensitivity 2]");
}

}  // namespace
}  // namespace dperm::privacy
