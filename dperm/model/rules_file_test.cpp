// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/rules_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"
#include "tests/support/models.hpp"

namespace dperm::model {
namespace {

using namespace rules;

class RulesFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) {
    write_file_atomically((folder_ / name).string(), content);
    return (folder_ / name).string();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("dperm_rules_file_" + std::to_string(::getpid()));
  // Columns age (20 to 80) and place (town, country); ill or not.
  random::SeededBits bits_{1};
  const Model linear_ = tests::small_model("gradient-descent", {1, 1e-6}, bits_);
  const schema::Encoding encoding_{linear_.schema};

  Model rule_model(const std::string& rules) {
    methods::Task task;
    task.problem.loss.kind = loss::LossKind::zero_one;
    task.problem.rules = rules;
    task.facts = methods::facts_of(encoding_, task.problem, 200);
    task.budget = {1, 0};
    const methods::Method& method = methods::method_named("exponential");
    const methods::Plan plan = method.plan(task, {});
    const data::Dataset dataset(std::make_shared<const schema::Encoding>(encoding_),
                                tests::shared_sums_of(tests::learnable_table(200, 1, {2}, true, 3)));
    random::SecureBits bits;
    privacy::Curator curator(bits);
    return make_model(linear_.schema, plan, methods::fit(plan, dataset, curator, {}));
  }
};

TEST_F(RulesFile, KeepsEveryRuleInItsCanonicalForm) {
  const std::string path = file("rules.txt", "# ours\r\n age>=50 # old\n\nnot (place=town)\n30 <= age < 40\nalways");
  EXPECT_EQ(read_rules(path, encoding_), "rules\nage >= 50\nplace != town\n30 <= age < 40\nalways\n");
}

TEST_F(RulesFile, TakesModelsFromBesideIt) {
  file("linear.json", to_json(linear_));
  file("rule.json", to_json(rule_model("rules\nage >= 50\n")));
  const std::string text = read_rules(file("rules.txt", "model linear.json\nmodel  rule.json\n"), encoding_);
  EXPECT_EQ(text.rfind("rules\nscore(", 0), 0u) << text;
  EXPECT_NE(text.find(") > 0\nage >= 50\n"), std::string::npos) << text;
}

TEST_F(RulesFile, SaysWhereItCannotRead) {
  random::SeededBits bits(1);
  file("regression.json", to_json(tests::small_model("sufficient-statistics", {1, 1e-6}, bits)));
  for (const auto& [content, part] :
       std::vector<std::pair<std::string, std::string>>{{"always\n\nheight > 3\n", "rules.txt:3: "},
                                                        {"model nowhere.json", "rules.txt:1: "},
                                                        {"model regression.json", "another schema"},
                                                        {"# nothing\n", "no rules"},
                                                        {"", "no rules"}}) {
    try {
      read_rules(file("rules.txt", content), encoding_);
      ADD_FAILURE() << content;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(read_rules((folder_ / "none.txt").string(), encoding_), DataError);
}

TEST_F(RulesFile, AModelOfARuleReadsBackAndVerifies) {
  for (const char* rules : {"stumps", "rules\nage >= 50\nplace = town\n"}) {
    const Model model = rule_model(rules);
    const Model again = parse_model(to_json(model), "model");
    EXPECT_EQ(again.weights, model.weights);
    EXPECT_EQ(rule_text(again), rule_text(model));
    EXPECT_EQ(again.plan.task.problem.rules, rules);
    EXPECT_TRUE(all_passed(verify(again)));
    Model other = model;
    other.plan.task.problem.rules = "thresholds(age)";
    EXPECT_FALSE(all_passed(verify(other)));
    other = model;
    other.weights = {1e17};
    EXPECT_THROW(rule_text(other), ArgumentError);
  }
}

}  // namespace
}  // namespace dperm::model
