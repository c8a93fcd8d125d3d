// SPDX-License-Identifier: Apache-2.0
// A model without privacy must never pass for one that has some, whoever edits its file.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"
#include "tests/support/models.hpp"

namespace dperm::model {
namespace {

Model without_privacy() {
  random::SecureBits bits;
  return tests::small_model("non-private", methods::kNoPrivacy, bits, {}, true);
}

std::string forged(const std::function<void(nlohmann::json&)>& edit) {
  nlohmann::json json = nlohmann::json::parse(to_json(without_privacy()));
  edit(json);
  json.erase("digest");
  json["digest"] = digest(json.dump());
  return json.dump();
}

TEST(VerifyNonPrivate, TheFileComesBackAsItWasAndSaysWhatItIs) {
  const Model model = without_privacy();
  EXPECT_FALSE(model.is_private);
  ASSERT_EQ(model.remarks.size(), 1u);
  EXPECT_NE(model.remarks[0].find("WITHOUT privacy"), std::string::npos);
  const Model read = parse_model(to_json(model), "m");
  EXPECT_EQ(to_json(read), to_json(model));
  EXPECT_TRUE(std::isinf(read.guarantee.epsilon));
  EXPECT_TRUE(std::isinf(read.plan.task.budget.epsilon));
}

TEST(VerifyNonPrivate, IsRefused) {
  const std::vector<Check> checks = verify(parse_model(to_json(without_privacy()), "m"));
  EXPECT_FALSE(all_passed(checks));
  ASSERT_FALSE(checks.empty());
  EXPECT_FALSE(checks[0].passed);
  EXPECT_EQ(checks[0].what, "what was released is protected");
  EXPECT_FALSE(first_failure(without_privacy())) << "that there was no noise is no claim of privacy";
}

TEST(VerifyNonPrivate, AFileThatCallsItselfPrivateIsNotEvenRead) {
  EXPECT_NO_THROW(parse_model(forged([](auto&) {}), "m"));
  EXPECT_THROW(parse_model(forged([](auto& json) { json["private"] = true; }), "m"), DataError);
}

// Without its event the weights would have cost nothing: that is not what this algorithm plans.
TEST(VerifyNonPrivate, AFileThatHidesItsEventDoesNotVerify) {
  const Model hidden = parse_model(forged([](auto& json) {
                                     json["private"] = true;
                                     json["events"] = nlohmann::json::array();
                                     json["plan"]["events"] = nlohmann::json::array();
                                     json["guarantee"]["epsilon"] = 0.0;
                                     json["plan"]["guarantee"]["epsilon"] = 0.0;
                                   }),
                                   "m");
  EXPECT_FALSE(all_passed(verify(hidden)));
}

TEST(VerifyNonPrivate, AFileThatNamesABudgetDoesNotVerify) {
  const Model promised = parse_model(forged([](auto& json) {
                                       json["private"] = true;
                                       json["events"] = nlohmann::json::array();
                                       json["plan"]["events"] = nlohmann::json::array();
                                       json["plan"]["task"]["epsilon"] = 1.0;
                                       json["guarantee"]["epsilon"] = 0.0;
                                       json["plan"]["guarantee"]["epsilon"] = 0.0;
                                     }),
                                     "m");
  EXPECT_FALSE(all_passed(verify(promised)));
}

}  // namespace
}  // namespace dperm::model
