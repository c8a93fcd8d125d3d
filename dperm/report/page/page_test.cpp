// SPDX-License-Identifier: Apache-2.0
// The page of every kind of model: from the model files of tests/golden, which earlier versions wrote.
#include "dperm/report/page/page.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "dperm/core/error.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/composition/attacker.hpp"
#include "dperm/report/attacker.hpp"
#include "dperm/report/page/notes.hpp"

namespace dperm::report {
namespace {

const std::string kRoot = DPERM_SOURCE_DIR;

model::Model golden(const std::string& name) { return model::read_model(kRoot + "/tests/golden/" + name + ".json"); }

std::string page_of(const model::Model& model) { return page({{model, "model.json"}}); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every element is closed, in order; ids are unique; headings go down one level at a time; pictures have words.
void expect_sound(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "!DOCTYPE"};
  static const std::regex kTag("<(/?)([A-Za-z0-9!]+)([^<>]*)>"), kId(" id=\"([^\"]*)\"");
  std::vector<std::string> open;
  std::set<std::string> ids;
  int level = 0;
  for (std::sregex_iterator each(html.begin(), html.end(), kTag), end; each != end; ++each) {
    const std::string name = (*each)[2], attributes = (*each)[3];
    if ((*each)[1] == "/") {
      ASSERT_FALSE(open.empty()) << name;
      ASSERT_EQ(open.back(), name);
      open.pop_back();
      continue;
    }
    if (!kVoid.contains(name) && !attributes.ends_with("/")) open.push_back(name);
    std::smatch id;
    if (std::regex_search(attributes, id, kId)) {
      EXPECT_TRUE(ids.insert(id[1]).second) << id[1];
    }
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
      EXPECT_LE(name[1] - '0', level + 1) << name;
      level = name[1] - '0';
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(count(html, "<h1"), 1u);
  EXPECT_EQ(count(html, "role=\"img\""), count(html, "<desc>"));
  EXPECT_FALSE(std::regex_search(html, std::regex("\\b(nan|inf)\\b")));
  EXPECT_FALSE(std::regex_search(html, std::regex("<script|javascript:|https?://|@import|url\\(")));
}

void expect_sections(const std::string& html) {
  for (const char* id : {"promise", "learned", "judged", "outlook", "cost", "proof", "limits", "card"}) {
    EXPECT_EQ(count(html, std::string(" id=\"") + id + "\""), 1u) << id;
  }
}

class EveryKind : public testing::TestWithParam<const char*> {};

TEST_P(EveryKind, HasEverySectionAndIsSound) {
  const std::string html = page_of(golden(GetParam()));
  expect_sections(html);
  expect_sound(html);
}

INSTANTIATE_TEST_SUITE_P(Golden, EveryKind,
                         testing::Values("version1/secure_objective_logistic", "version1/secure_statistics",
                                         "version1/secure_descent_softmax", "version1/secure_network",
                                         "version1/secure_rules_stumps", "version1/secure_location_median",
                                         "version1/secure_tuned_descent", "version1/location_mean",
                                         "version1/rules_conjunctions", "version1/one_vs_rest_logistic",
                                         "version2/constant_logistic", "version3/sgd_add_remove",
                                         "version3/auto_binary", "version3/auto_real"));

TEST(Page, TellsThePromiseOfAModelThatKeepsIt) {
  const std::string html = page_of(golden("version1/secure_objective_logistic"));
  EXPECT_NE(html.find("someone who knows all other rows guesses right at most"), std::string::npos);
  EXPECT_EQ(html.find("class=\"banner\""), std::string::npos);
  EXPECT_NE(html.find("What an attacker can reach"), std::string::npos);
  EXPECT_NE(html.find("dperm verify model.json"), std::string::npos);
  EXPECT_NE(html.find("blake2b-256:"), std::string::npos);
}

TEST(Page, SaysFirstThatASeededModelIsNotPrivate) {
  const std::string html = page_of(golden("version3/auto_binary"));
  const std::size_t banner = html.find("This model is NOT private.");
  ASSERT_NE(banner, std::string::npos);
  EXPECT_LT(banner, html.find("<h1"));
  EXPECT_NE(html.find("Nothing is promised"), std::string::npos);
  EXPECT_NE(html.find(">no promise<"), std::string::npos);
}

TEST(Page, SaysFirstThatAFileDoesNotVerify) {
  model::Model forged = golden("version1/secure_objective_logistic");
  forged.guarantee.epsilon /= 10;
  const std::string html = page_of(forged);
  const std::size_t banner = html.find("This file does not verify. Do not rely on it.");
  ASSERT_NE(banner, std::string::npos);
  EXPECT_LT(banner, html.find("<h1"));
  EXPECT_EQ(html.find("guesses right"), std::string::npos) << "nothing is promised";
  expect_sections(html);
  expect_sound(html);
}

TEST(Page, AFileWhosePlanCannotBeMadeIsStillTold) {
  model::Model broken = golden("version1/secure_objective_logistic");
  broken.plan.task.budget.epsilon = -1;
  const std::string html = page_of(broken);
  EXPECT_NE(html.find("does not verify"), std::string::npos);
  expect_sections(html);
  expect_sound(html);
}

TEST(Page, NoNameBecomesMarkup) {
  model::Model hostile = golden("version1/secure_objective_logistic");
  const std::vector<std::string> evil = {"<script>alert(1)</script>", "\"onload=\"alert(2)", "]]><b>&amp;",
                                         "a\u202eb\u0085c\x1b"};
  for (std::size_t j = 0; j < hostile.schema.columns.size(); ++j) {
    hostile.schema.columns[j].name = evil[j % 4] + std::to_string(j);
    hostile.schema.columns[j].description = evil[(j + 2) % 3];
    for (std::string& value : hostile.schema.columns[j].values) value += evil[(j + 1) % 4];
  }
  hostile.schema.target.name = evil[0] + "t";
  hostile.schema.target.description = evil[1] + evil[0];
  hostile.remarks.push_back(evil[1] + evil[2]);
  const std::string html = page({{hostile, evil[0]}, {hostile, evil[1]}}, {.title = evil[2], .notes = "\"><script>"});
  expect_sound(html);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("\"onload="), std::string::npos);
  EXPECT_EQ(html.find("\u202e"), std::string::npos);
  EXPECT_EQ(html.find("\x1b"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos) << "it is shown as it is";
}

TEST(Page, ColumnsAreToldInTheWordsOfTheSchema) {
  model::Model model = golden("version1/secure_objective_logistic");
  model.schema.columns[0].description = "years at school";
  const std::string html = page_of(model);
  expect_sound(html);
  EXPECT_EQ(count(html, "years at school"), 2u) << "beside what was learned, and in the card";
}

TEST(Page, AttacksOnSeveralModelsGainNoMoreThanTheirSum) {
  const model::Model one = golden("version1/secure_objective_logistic");
  const double sum = 2 * own_advantage(one);
  ASSERT_LT(privacy::right_guesses(sum),
            privacy::right_guesses(
                privacy::advantage({}, {.epsilon = 2 * one.guarantee.epsilon, .delta = 2 * one.guarantee.delta})));
  const std::string html = page({{one, "one.json"}, {one, "again.json"}});
  EXPECT_NE(html.find("guesses right at most " + percent_above(privacy::right_guesses(sum))), std::string::npos);
}

TEST(Page, SeveralModelsAreComparedAndTheirCostsAdded) {
  const model::Model one = golden("version1/secure_objective_logistic"), other = golden("version1/secure_rules_stumps");
  ASSERT_TRUE(one.is_private && other.is_private);
  const std::string html = page({{one, "one.json"}, {other, "other.json"}});
  expect_sound(html);
  EXPECT_NE(html.find("together they cost <strong>epsilon " +
                      fmt::format("{:.4g}", one.guarantee.epsilon + other.guarantee.epsilon)),
            std::string::npos);
  for (const char* id : {"m1-promise", "m2-card", "together"}) {
    EXPECT_EQ(count(html, std::string(" id=\"") + id + "\""), 1u) << id;
  }
}

TEST(Page, WithANonPrivateModelNothingAddsUp) {
  const std::string html =
      page({{golden("version1/secure_objective_logistic"), "a.json"}, {golden("version3/auto_binary"), "b.json"}});
  EXPECT_NE(html.find("Together they promise nothing"), std::string::npos);
  EXPECT_LT(html.find("b.json</strong> is NOT private"), html.find("<h1"));
  EXPECT_THROW(page({}), ArgumentError);
}

TEST(ProofNotes, LieWhereThePageSays) {
  for (const char* name :
       {"version1/secure_network", "version1/secure_location_median", "version5/output_sgd", "version1/newton",
        "version1/ball", "version1/regularised", "version1/one_vs_rest_pure", "version1/tuned_sgd",
        "version2/constant_softmax", "version1/secure_statistics", "version1/secure_rules_stumps",
        "version1/output_certified", "version1/output_descent", "version1/descent_hinge"}) {
    for (const ProofNote& note : proof_notes(golden(name))) {
      EXPECT_TRUE(std::filesystem::exists(kRoot + "/" + note.path)) << note.path;
    }
  }
}

}  // namespace
}  // namespace dperm::report
