// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/model_json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "tests/support/models.hpp"

namespace dperm::model {
namespace {

std::string file_of(const std::string& method, double delta) {
  random::SeededBits bits(5);
  return to_json(tests::small_model(method, {1, delta}, bits));
}

TEST(ModelFile, RoundTripsToTheSameBytes) {
  for (const auto& [method, delta] :
       {std::pair{"gradient-descent", 1e-6}, {"output-perturbation", 1e-6}, {"output-perturbation", 0.0}}) {
    const std::string text = file_of(method, delta);
    EXPECT_EQ(to_json(parse_model(text, "model.json")), text) << method;
  }
}

TEST(ModelFile, AModelIsToldFromAListOfEvents) {
  EXPECT_TRUE(is_model_text(file_of("gradient-descent", 1e-6), "m"));
  for (const char* text : {R"({"events": []})", R"({"format": 4, "events": []})", "[]", "7"}) {
    EXPECT_FALSE(is_model_text(text, "m")) << text;
  }
  EXPECT_THROW(is_model_text("{", "m"), DataError);
}

TEST(ModelFile, TheKindOfTargetFollowsFromTheSchema) {
  EXPECT_EQ(parse_model(file_of("gradient-descent", 1e-6), "model.json").plan.task.facts.target,
            schema::TargetKind::binary);
  EXPECT_EQ(parse_model(file_of("sufficient-statistics", 1e-6), "model.json").plan.task.facts.target,
            schema::TargetKind::real);
}

TEST(ModelFile, ATrainingMetricMarksTheModel) {
  random::SecureBits bits;
  Model model = tests::small_model("gradient-descent", {1, 1e-6}, bits);
  ASSERT_TRUE(model.is_private);
  add_training_metric(model, methods::Metric::loss, 0.25);
  EXPECT_FALSE(model.is_private);
  ASSERT_EQ(model.remarks.size(), 1u);
  EXPECT_NE(model.remarks[0].find("exact training clipped loss 0.250000"), std::string::npos);
}

TEST(ModelFile, ABoundThatPromisesNothingCanBeReadBack) {
  random::SeededBits bits(5);
  Model model = tests::small_model("gradient-descent", {1, 1e-6}, bits);
  model.plan.utility.excess_risk = std::numeric_limits<double>::infinity();
  const std::string text = to_json(model);
  const Model back = parse_model(text, "model.json");
  EXPECT_EQ(back.plan.utility.excess_risk, model.plan.utility.excess_risk);
  EXPECT_EQ(to_json(back), text);
}

TEST(ModelFile, EveryTruncationIsRefusedWithTheFileName) {
  const std::string text = file_of("output-perturbation", 1e-6);
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    try {
      parse_model(text.substr(0, length), "model.json");
      FAIL() << "accepted " << length << " bytes of " << text.size();
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("model.json"), std::string::npos);
    }
  }
}

TEST(ModelFile, AnyChangedNumberIsRefused) {
  const std::string text = file_of("gradient-descent", 1e-6);
  const std::string changed = std::regex_replace(text, std::regex("\"sigma\": [0-9.e+]+"), "\"sigma\": 1.0");
  ASSERT_NE(changed, text);
  EXPECT_THROW(parse_model(changed, "model.json"), DataError);
}

TEST(ModelFile, ASchemaEditedWithoutItsCoefficientsIsRefused) {
  random::SeededBits bits(5);
  Model model = tests::small_model("output-perturbation", {1, 1e-6}, bits);
  const std::string honest = to_json(model);
  model.schema.columns[0].upper = 160;
  const std::string edited = to_json(model);
  // The forger takes the edited schema and a fresh digest but keeps the published coefficients.
  nlohmann::json forged = nlohmann::json::parse(edited);
  forged["coefficients"] = nlohmann::json::parse(honest)["coefficients"];
  forged.erase("digest");
  forged["digest"] = digest(forged.dump());
  EXPECT_THROW(parse_model(forged.dump(), "model.json"), DataError);
  EXPECT_NO_THROW(parse_model(edited, "model.json"));
}

// What people read beside the numbers follows from the rest of the file; no digest protects it from a forger.
TEST(ModelFile, WordsBesideTheNumbersCannotBeEdited) {
  random::SeededBits bits(5);
  const nlohmann::json honest = nlohmann::json::parse(to_json(tests::class_model({1, 1e-6}, bits)));
  const auto refused = [&](const char* path, const char* words) {
    nlohmann::json forged = honest;
    nlohmann::json& text = forged.at(nlohmann::json::json_pointer(path));
    EXPECT_NE(text, words);
    text = words;
    forged.erase("digest");
    forged["digest"] = digest(forged.dump());
    EXPECT_THROW(parse_model(forged.dump(), "model.json"), DataError) << path;
  };
  refused("/guarantee/unit", "one person");
  refused("/plan/guarantee/unit", "one person");
  refused("/coefficients/0/class", "another");
  refused("/coefficients/0/per", "year");
  refused("/coefficients/0/name", "another");
}

TEST(ModelFile, MissingKeysAndWrongTypesAreNamed) {
  for (const char* text : {"{}", "[]", "3", "{\"format\": \"dperm-model\"}", "{\"format\": \"other\"}",
                           "{\"format\": \"dperm-model\", \"format_version\": \"one\"}"}) {
    EXPECT_THROW(parse_model(text, "model.json"), DataError) << text;
  }
}

TEST(ModelFile, ASeededModelSaysThatItIsNotPrivate) {
  random::SeededBits seeded(5);
  const Model reproducible = tests::small_model("output-perturbation", {1, 1e-6}, seeded);
  EXPECT_FALSE(reproducible.is_private);
  EXPECT_EQ(reproducible.remarks.size(), 1u);
  random::SecureBits secure;
  EXPECT_TRUE(tests::small_model("output-perturbation", {1, 1e-6}, secure).is_private);
}

}  // namespace
}  // namespace dperm::model
