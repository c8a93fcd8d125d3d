// SPDX-License-Identifier: Apache-2.0
// Models with rows kept out: the file has all of it, and every forger is found.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::model {
namespace {

Model honest(const methods::JudgementOptions& judged = {}) {
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .lower = 20, .upper = 80});
  schema::Column place{.name = "place", .kind = schema::ColumnKind::category, .values = {"town", "country"}};
  place.missing = schema::MissingRule::none;
  schema.columns.push_back(place);
  schema.target = {.kind = schema::TargetKind::binary, .name = "ill", .positive = {"yes"}};
  const tests::EncodedTable table = tests::learnable_table(1000, 1, {2}, true, 3);
  const auto encoding = std::make_shared<const schema::Encoding>(schema);
  methods::Task task;
  task.budget = {1, 1e-6};
  task.facts = methods::facts_of(*encoding, task.problem, 750);
  const methods::Plan plan =
      methods::with_holdout(methods::method_named("gradient-descent").plan(task, {}), 1000, {0.25, judged}, *encoding);
  random::SecureBits bits;
  privacy::Curator curator(bits);
  return make_model(schema, plan,
                    methods::fit(plan, data::Dataset(encoding, tests::shared_sums_of(table)), curator, {}));
}

privacy::DisjointPartsEvent& parts_of(std::vector<privacy::PrivacyEvent>& events) {
  return std::get<privacy::DisjointPartsEvent>(events.at(0).mechanism);
}

TEST(VerifyHoldout, TheFileComesBackAndPasses) {
  for (const methods::JudgementOptions& judged :
       {methods::JudgementOptions{}, methods::JudgementOptions{.groups = "place", .threshold = 0.3}}) {
    const Model model = honest(judged);
    const std::string text = to_json(model);
    const Model again = parse_model(text, "m");
    EXPECT_EQ(to_json(again), text);
    EXPECT_EQ(again.judgement->sums, model.judgement->sums);
    EXPECT_EQ(again.plan.holdout->options.judged, judged);
    for (const Check& check : verify(again)) EXPECT_TRUE(check.passed) << check.what << check.detail;
    EXPECT_EQ(evaluation(again)->groups.size(), judged.groups.empty() ? 0u : 3u);
  }
}

TEST(VerifyHoldout, EveryForgerIsFound) {
  const Model model = honest();
  const auto refused = [&](auto&& forge) {
    Model forged = model;
    forge(forged);
    try {
      return !all_passed(verify(parse_model(to_json(forged), "m")));
    } catch (const DataError&) {
      return true;
    }
  };
  EXPECT_FALSE(refused([](Model&) {}));
  // Less noise in the counts, or none recorded at all, with a claim that follows.
  EXPECT_TRUE(refused([](Model& m) {
    for (auto* events : {&m.events, &m.plan.events}) {
      std::get<privacy::DiscreteLaplaceEvent>(parts_of(*events).parts[1][0].mechanism).scale_numerator /= 2;
    }
    m.guarantee = m.plan.guarantee = privacy::account(m.events, 1e-6);
  }));
  EXPECT_TRUE(refused([](Model& m) {
    for (auto* events : {&m.events, &m.plan.events}) *events = std::vector(parts_of(*events).parts[0]);
    m.guarantee = m.plan.guarantee = privacy::account(m.events, 1e-6);
  }));
  // Other counts than the plan's.
  EXPECT_TRUE(refused([](Model& m) { m.judgement->edges[2] += 0.001; }));
  EXPECT_TRUE(refused([](Model& m) {
    methods::HoldoutPlan other = *m.plan.holdout;
    other.options.share = 0.5;
    m.plan.holdout = std::make_shared<const methods::HoldoutPlan>(other);
  }));
}

TEST(VerifyHoldout, MeasuresFollowFromTheCounts) {
  const auto forged = [&](auto&& edit) {
    nlohmann::json json = nlohmann::json::parse(to_json(honest()));
    edit(json);
    json.erase("digest");
    json["digest"] = digest(json.dump());
    return json.dump();
  };
  EXPECT_NO_THROW(parse_model(forged([](auto&) {}), "m"));
  EXPECT_THROW(parse_model(forged([](auto& json) { json["evaluation"]["measures"]["auc"]["value"] = 0.999; }), "m"),
               DataError);
  EXPECT_THROW(parse_model(forged([](auto& json) { json["evaluation"]["roc"].erase(3); }), "m"), DataError);
  EXPECT_THROW(parse_model(forged([](auto& json) { json["evaluation"]["released"].erase(3); }), "m"), DataError);
  EXPECT_THROW(parse_model(forged([](auto& json) { json.erase("evaluation"); }), "m"), DataError);
  EXPECT_THROW(parse_model(forged([](auto& json) { json["plan"].erase("holdout"); }), "m"), DataError);
}

}  // namespace
}  // namespace dperm::model
