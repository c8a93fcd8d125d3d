// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/events/event.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/privacy/events/event_fields.hpp"

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

// Words are in model files and on command lines: none may change or be taken twice.
TEST(Event, WordsAreStable) {
  EXPECT_EQ(word(Neighbours::replace_one), "replace-one");
  EXPECT_EQ(word(Neighbours::add_remove), "add-remove");
  EXPECT_EQ(word(Sampling::poisson), "poisson");
  EXPECT_EQ(word(Sampling::fixed_size), "fixed-size");
  EXPECT_EQ(word(RepetitionDistribution::truncated_negative_binomial), "truncated-negative-binomial");
  EXPECT_EQ(word(RepetitionDistribution::poisson), "poisson");
  EXPECT_EQ(word(GradientSign::monotone), "monotone");
  EXPECT_EQ(word(GradientSign::two_sided), "two-sided");
  EXPECT_EQ(word(GradientSign::multinomial), "multinomial");
  const std::vector<std::string_view> words(kMechanismWords.begin(), kMechanismWords.end());
  EXPECT_EQ(words, (std::vector<std::string_view>{"gaussian", "discrete-laplace", "k-norm", "objective-perturbation",
                                                  "exponential", "permute-and-flip", "sampled-gaussian",
                                                  "sampled-laplace", "randomised-response", "selection",
                                                  "pure-objective-perturbation", "regularised-exponential",
                                                  "selected-counts", "disjoint-parts", "unprotected"}));
  for (const std::string_view each : words) EXPECT_EQ(word_of(empty_mechanism(each).value()), each);
  EXPECT_EQ(empty_mechanism("laplace"), std::nullopt);
}

TEST(Event, ADescriptionHasEveryField) {
  EXPECT_EQ(to_string(Mechanism(GaussianEvent{2, 8.5})), "gaussian: l2_sensitivity 2, sigma 8.5");
  EXPECT_EQ(to_string(Mechanism(DiscreteLaplaceEvent{1, 3, 2})),
            "discrete-laplace: l1_sensitivity 1, scale_numerator 3, scale_denominator 2");
  EXPECT_EQ(to_string(Mechanism(PureObjectiveEvent{{GradientSign::monotone, 1, 1, 8, 4}})),
            "pure-objective-perturbation: sign monotone, gradient 1, curvature 1, penalty 8, scale 4");
  EXPECT_EQ(to_string(Mechanism(ObjectivePerturbationEvent{{GradientSign::multinomial, 2, 1, 8, 4, 3}, 0})),
            "objective-perturbation: sign multinomial, gradient 2, curvature 1, penalty 8, classes 3, sigma 4, "
            "slack_delta 0");
  EXPECT_EQ(to_string(Mechanism(SampledLaplaceEvent{1, 2, 0.5, Sampling::fixed_size})),
            "sampled-laplace: contribution 1, scale 2, rate 0.5, sampling fixed-size");
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
  EXPECT_THROW(validate(Mechanism(DiscreteLaplaceEvent{0, 1, 1})), ArgumentError);
  EXPECT_THROW(validate(Mechanism(DiscreteLaplaceEvent{1, 0, 1})), ArgumentError);
  EXPECT_THROW(validate(Mechanism(DiscreteLaplaceEvent{1, 1, 0})), ArgumentError);
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
  EXPECT_EQ(
      to_string(best(0, 0, {{gradient(3)}, {gradient(1)}}).mechanism),
      "selection: repetition_distribution poisson, shape 0, parameter 10, base_epsilon 0, base_mu 0, alternatives "
      "[3 x gaussian: l2_sensitivity 2, sigma 8 | 1 x gaussian: l2_sensitivity 2, sigma 8]");
}

TEST(Event, DivisionsAreOfReplacedRecordsAndHaveNoDivisionsInside) {
  const auto division = [](std::vector<std::vector<PrivacyEvent>> parts) {
    return PrivacyEvent{"parts", DisjointPartsEvent{std::move(parts)}};
  };
  EXPECT_NO_THROW(validate(division({{gradient(3)}, {gradient(1), gradient(2)}})));
  EXPECT_THROW(validate(division({{gradient(3)}})), ArgumentError);
  EXPECT_THROW(validate(division({{gradient(3)}, {}})), ArgumentError);
  EXPECT_THROW(validate(division({{gradient(3)}, {gradient(0)}})), ArgumentError);
  EXPECT_THROW(validate(division({{gradient(3)}, {division({{gradient(1)}, {gradient(2)}})}})), ArgumentError);
  PrivacyEvent added = gradient(3), around = division({{added}, {added}});
  added.neighbours = around.neighbours = Neighbours::add_remove;
  EXPECT_THROW(validate(division({{added}, {gradient(1)}})), ArgumentError);
  std::get<DisjointPartsEvent>(around.mechanism).parts = {{added}, {added}};
  EXPECT_THROW(validate(around), ArgumentError);
  const PrivacyEvent best{
      "best",
      SelectionEvent{
          RepetitionDistribution::poisson, 0, 10, 0, 0, {{division({{gradient(1)}, {gradient(2)}})}, {gradient(1)}}}};
  EXPECT_THROW(validate(best), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
