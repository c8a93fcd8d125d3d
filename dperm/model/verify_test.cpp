// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/schema/inferred.hpp"
#include "tests/support/models.hpp"

namespace dperm::model {
namespace {

Model honest(const std::string& method = "gradient-descent") {
  random::SecureBits bits;
  return tests::small_model(method, {1, 1e-6}, bits);
}

TEST(Verify, AcceptsHonestModelsOfEveryMethod) {
  for (const methods::Method* method : methods::all_methods()) {
    const Model model = honest(std::string(method->name()));
    for (const Check& check : verify(parse_model(to_json(model), "m")))
      EXPECT_TRUE(check.passed) << check.what << check.detail;
  }
}

// Each forger edits the model as cleverly as the file allows and writes a fresh digest.
TEST(Verify, AcceptsAPurePerturbedObjectiveAndRefusesASmallerScale) {
  random::SecureBits bits;
  Model model = tests::small_model("objective-perturbation", {1, 0}, bits);
  EXPECT_TRUE(model.plan.guarantee.pure);
  EXPECT_TRUE(all_passed(verify(parse_model(to_json(model), "m"))));
  for (auto* events : {&model.events, &model.plan.events}) {
    std::get<privacy::PureObjectiveEvent>(events->at(0).mechanism).objective.scale *= 0.9;
  }
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
}

TEST(Verify, AcceptsSoftmaxModelsAndRefusesFewerClassesInTheirEvents) {
  for (const double delta : {1e-6, 0.0}) {
    random::SecureBits bits;
    Model model = tests::class_model({1, delta}, bits);
    const std::string text = to_json(model);
    EXPECT_EQ(to_json(parse_model(text, "m")), text);
    EXPECT_TRUE(all_passed(verify(parse_model(text, "m"))));
    for (auto* events : {&model.events, &model.plan.events}) {
      auto& mechanism = events->at(0).mechanism;
      if (auto* term = std::get_if<privacy::ObjectivePerturbationEvent>(&mechanism)) term->objective.classes = 2;
      if (auto* term = std::get_if<privacy::PureObjectiveEvent>(&mechanism)) term->objective.classes = 2;
    }
    model.guarantee = model.plan.guarantee = privacy::account(model.events, delta);
    EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
  }
}

TEST(Verify, AcceptsADrawnDensityAndRefusesASamplerSaidToBeNearer) {
  random::SecureBits bits;
  Model model = tests::small_model("exponential", {1, 1e-6}, bits, {{"regularised", "yes"}});
  EXPECT_TRUE(all_passed(verify(parse_model(to_json(model), "m"))));
  for (auto* events : {&model.events, &model.plan.events}) {
    std::get<privacy::RegularisedExponentialEvent>(events->at(0).mechanism).total_variation *= 0.5;
  }
  model.guarantee = privacy::account(model.events, 1e-6);
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
}

// Bounds of one column that came from a release of these numbers.
Model with_inferred_bounds(double l2_sensitivity, double sigma, double epsilon, bool released = true) {
  Model model = honest();
  schema::Inference inference{.nonce = "n", .rows = 1000, .epsilon = epsilon, .delta = 1e-7};
  if (released) inference.releases.push_back({"sizes", "gaussian", l2_sensitivity, sigma});
  schema::add_inference(model.schema, inference, {model.schema.columns.at(0).name});
  return model;
}

TEST(Verify, RefusesInferencesThatCostMoreThanTheirCapOrAskedLessThanWasSealed) {
  // sqrt 2 and sigma 100: mu 0.0141, epsilon about 0.06 at 1e-7.
  const auto passes = [](const Model& model) { return all_passed(verify(parse_model(to_json(model), "m"))); };
  EXPECT_TRUE(passes(with_inferred_bounds(1.4142136, 100, 0.2)));
  EXPECT_FALSE(passes(with_inferred_bounds(1.4142136, 100, 0.01)));
  EXPECT_FALSE(passes(with_inferred_bounds(0.2, 10, 0.2)));
  EXPECT_FALSE(passes(with_inferred_bounds(1.4142136, 100, 0.2, false)));
}

// A tuned model, or, where no run took place, the default.
Model tuned_model() {
  random::SecureBits bits;
  return tests::small_model("tuned", {60, 1e-6}, bits, {{"method", "gradient-descent"}, {"grid", "radius=1,2"}});
}

TEST(Verify, AcceptsAChoiceAmongSettingsAndRefusesOneThatThePlanDoesNotAllow) {
  Model honest_choice = tuned_model();
  while (honest_choice.tuning->candidate.empty()) honest_choice = tuned_model();
  EXPECT_TRUE(all_passed(verify(parse_model(to_json(honest_choice), "m"))));
  const auto refused = [&](auto&& forge) {
    Model model = honest_choice;
    forge(model);
    return !all_passed(verify(parse_model(to_json(model), "m")));
  };
  EXPECT_TRUE(refused([](Model& model) { model.tuning->candidate = "radius=3"; }));
  EXPECT_TRUE(refused([](Model& model) { model.tuning->candidate = ""; }));
  EXPECT_TRUE(refused([](Model& model) { model.tuning->noise = 0; }));
  EXPECT_TRUE(refused([](Model& model) { model.tuning.reset(); }));
  EXPECT_TRUE(refused([](Model& model) {
    model.tuning->candidate = "radius=1";
    std::fill(model.weights.begin(), model.weights.end(), 1.5);
  }));
  Model plain = honest();
  plain.tuning = honest_choice.tuning;
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(plain), "m"))));
}

// The base is told by its releases: every edit of one is found, also where the claim follows from it.
TEST(Verify, AcceptsAChoiceAmongSampledRunsAndRefusesAnotherBase) {
  random::SecureBits bits;
  const Model honest_choice = tests::small_model(
      "tuned", {12, 1e-6}, bits, {{"method", "sgd"}, {"distribution", "geometric"}, {"grid", "steps=2;batch=100,160"}});
  const std::string text = to_json(honest_choice);
  EXPECT_EQ(to_json(parse_model(text, "m")), text);
  EXPECT_EQ(parse_model(text, "m").events, honest_choice.events);
  for (const Check& check : verify(parse_model(text, "m"))) EXPECT_TRUE(check.passed) << check.what << check.detail;
  const auto refused = [&](auto&& forge) {
    Model model = honest_choice;
    for (auto* events : {&model.events, &model.plan.events}) {
      forge(std::get<privacy::SelectionEvent>(events->at(0).mechanism).alternatives);
    }
    model.guarantee = model.plan.guarantee = privacy::account(model.events, 1e-6);
    return !all_passed(verify(parse_model(to_json(model), "m")));
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(
      refused([](auto& base) { std::get<privacy::SampledGaussianEvent>(base.at(0).at(0).mechanism).sigma *= 1.01; }));
  EXPECT_TRUE(refused([](auto& base) { base.at(1).at(0).repetitions = 1; }));
  EXPECT_TRUE(refused([](auto& base) { base.pop_back(); }));
  EXPECT_TRUE(refused([](auto& base) { base.push_back(base.front()); }));
  Model nested = honest_choice;
  std::get<privacy::SelectionEvent>(nested.events.at(0).mechanism).alternatives.push_back(honest_choice.events);
  EXPECT_THROW(parse_model(to_json(nested), "m"), DataError);
}

TEST(Verify, AcceptsTheDefaultOfASelectionWithoutARun) {
  Model model = tuned_model();
  std::fill(model.weights.begin(), model.weights.end(), 0.0);
  model.tuning = {"", 0, model.tuning->noise};
  EXPECT_TRUE(all_passed(verify(parse_model(to_json(model), "m"))));
}

TEST(Verify, RefusesLessNoiseEvenWithAConsistentClaim) {
  Model model = honest();
  auto& event = std::get<privacy::GaussianEvent>(model.events[0].mechanism);
  event.sigma /= 2;
  model.plan.events = model.events;
  model.guarantee = privacy::account(model.events, 1e-6);
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
}

TEST(Verify, RefusesASmallerSensitivity) {
  Model model = honest();
  auto& event = std::get<privacy::GaussianEvent>(model.events[0].mechanism);
  event.l2_sensitivity /= 2;
  event.sigma /= 2;
  model.plan.events = model.events;
  EXPECT_FALSE(all_passed(verify(model)));
}

TEST(Verify, RefusesAClaimThatTheEventsDoNotGive) {
  Model model = honest();
  model.guarantee.epsilon /= 2;
  EXPECT_FALSE(all_passed(verify(model)));
}

TEST(Verify, RefusesAClaimInAnotherCurrency) {
  Model model = honest();
  *model.guarantee.mu /= 2;
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
  model = honest();
  model.guarantee.accountant = "pure";
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
}

TEST(Verify, RefusesAPlanThatTellsSomethingElse) {
  Model model = honest();
  model.plan.guarantee.epsilon /= 2;
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
  model = honest();
  model.plan.utility.excess_risk /= 2;
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
  model = honest();
  model.plan.derivation[0].value = 0.5;
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
  model = honest();
  model.plan.derivation.pop_back();
  EXPECT_FALSE(all_passed(verify(parse_model(to_json(model), "m"))));
}

TEST(Verify, RefusesFewerReleasesThanPlanned) {
  Model model = honest();
  model.events[0].repetitions -= 1;
  model.guarantee = privacy::account(model.events, 1e-6);
  EXPECT_FALSE(all_passed(verify(model)));
}

TEST(Verify, RefusesWiderBoundsThanTheWeightsWereMadeFor) {
  Model model = honest();
  model.schema.columns.pop_back();
  EXPECT_FALSE(all_passed(verify(model)));
}

TEST(Verify, RefusesImpossibleWeights) {
  Model model = honest();
  for (const double weight : {1e6, 1e300}) {
    model.weights[0] = weight;
    EXPECT_FALSE(all_passed(verify(model)));
  }
  model.weights[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(all_passed(verify(model)));
}

TEST(Verify, RefusesSeededModels) {
  random::SeededBits bits(1);
  EXPECT_FALSE(all_passed(verify(tests::small_model("gradient-descent", {1, 1e-6}, bits))));
}

// Ours to mend, not a reason to distrust the file.
TEST(Verify, ABugOfOursIsNoFailedCheck) {
  const Model model = honest();
  const auto failing = [](const auto& error) -> PlanAnew {
    return [error](const Model&) -> methods::Plan { throw error; };
  };
  EXPECT_THROW(verify(model, failing(InternalError("bug"))), InternalError);
  EXPECT_THROW(verify(model, failing(std::out_of_range("bug"))), std::out_of_range);
  EXPECT_THROW(verify(model, failing(std::bad_alloc())), std::bad_alloc);
  EXPECT_FALSE(all_passed(verify(model, failing(ArgumentError("impossible")))));
  EXPECT_FALSE(all_passed(verify(model, failing(DataError("impossible")))));
}

TEST(Verify, RefusesAnInfinityWhereThePlanHasANumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Model model = honest();
  model.plan.derivation[0].value = kInfinity;
  EXPECT_FALSE(all_passed(verify(model)));
  model = honest();
  for (auto* events : {&model.events, &model.plan.events}) {
    std::get<privacy::GaussianEvent>(events->at(0).mechanism).l2_sensitivity = kInfinity;
  }
  EXPECT_FALSE(all_passed(verify(model)));
  model = honest();
  model.guarantee.epsilon = kInfinity;
  EXPECT_FALSE(all_passed(verify(model)));
}

TEST(Verify, TheFirstFailureIsOneOfAClaim) {
  Model model = honest();
  EXPECT_FALSE(first_failure(model));
  model.is_private = false;  // it says so itself
  EXPECT_FALSE(first_failure(model));
  model.events.clear();
  ASSERT_TRUE(first_failure(model));
  EXPECT_EQ(first_failure(model)->what, "recorded events equal the planned events");
  model = honest();
  model.guarantee.epsilon = -5;
  EXPECT_TRUE(first_failure(model));
}

TEST(Verify, AnUnknownAlgorithmIsNotEvenRead) {
  nlohmann::json forged = nlohmann::json::parse(to_json(honest()));
  forged["plan"]["algorithm"] = "trust-me";
  forged.erase("digest");
  forged["digest"] = digest(forged.dump());
  EXPECT_THROW(parse_model(forged.dump(), "m"), DataError);
}

}  // namespace
}  // namespace dperm::model
