// SPDX-License-Identifier: Apache-2.0
#include "dperm/rules/class_spec.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/exponential_rules/finite_choice.hpp"
#include "dperm/rules/rule_text.hpp"
#include "tests/support/public_data.hpp"
#include "tests/support/tile_builder.hpp"

namespace dperm::methods {
namespace {

using namespace rules;

TEST(ClassSpec, NamesEveryClass) {
  const auto encoding = tests::encoding_for(tests::random_table(3, 2, {3}, true, 5));
  const std::vector<std::pair<ClassSpec, std::uint64_t>> cases{
      {{"thresholds", {"1 real"}}, 2 * 65536},
      {{"thresholds", {"1 real"}, 100}, 2 * 101},
      {{"thresholds", {"1 real"}, std::size_t{1} << 32}, 2 * ((std::uint64_t{1} << 32) + 1)},
      {{"intervals", {"0 real"}, 10}, 1 + 55},
      {{"stumps", {}}, 2 * 2 * 65536 + 2 * 4},
      {{"conjunctions", {}}, 1 + 6 + 15},
      {{"rectangles", {"0 real", "1 real"}, 4}, 1 + 100},
      {{"halfspaces", {}, 8}, 4 * 2 * 9},
  };
  for (const auto& [spec, size] : cases) {
    const auto made = make_class(encoding, spec);
    EXPECT_EQ(made->name(), spec.name);
    EXPECT_EQ(made->size(), size) << spec.name;
  }
}

TEST(ClassSpec, SaysWhatIsWrong) {
  const auto encoding = tests::encoding_for(tests::random_table(3, 2, {3}, true, 5));
  const std::vector<std::pair<ClassSpec, std::string>> cases{
      {{"trees", {}}, "choose thresholds"},
      {{"thresholds", {}}, "1 column name; got 0. Write for example thresholds(age)"},
      {{"thresholds", {"age"}}, "Choose 0 real, 1 real"},
      {{"rectangles", {"0 real"}}, "2 column names; got 1"},
      {{"stumps", {"0 real"}}, "0 column names; got 1"}};
  for (const auto& [spec, part] : cases) {
    try {
      make_class(encoding, spec);
      ADD_FAILURE() << part;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(ClassSpec, ReadsNamesColumnsAndParameters) {
  const auto same = [](std::string_view text, const ClassSpec& expected) {
    const ClassSpec spec = parse_class(text);
    EXPECT_EQ(spec.name, expected.name) << text;
    EXPECT_EQ(spec.columns, expected.columns) << text;
    EXPECT_EQ(spec.parts, expected.parts) << text;
    EXPECT_EQ(spec.literals, expected.literals) << text;
    EXPECT_EQ(spec.coefficients, expected.coefficients) << text;
    EXPECT_EQ(spec.rules, expected.rules) << text;
  };
  same("stumps", {"stumps", {}});
  same(" stumps ", {"stumps", {}});
  same("thresholds(age)", {"thresholds", {"age"}});
  same("thresholds(age, parts=4294967296)", {"thresholds", {"age"}, std::size_t{1} << 32});
  same("rectangles( age , hours per week, parts = 8 )", {"rectangles", {"age", "hours per week"}, 8});
  same("conjunctions(literals=3)", {"conjunctions", {}, {}, 3});
  same("halfspaces(coefficients=4,parts=2)", {"halfspaces", {}, 2, 2, 4});
  same("intervals(\"a=b, (c)\", parts=5)", {"intervals", {"a=b, (c)"}, 5});
  same("rules\nage >= 3\nnever", {"rules", {}, {}, 2, 1, {"age >= 3", "never"}});
  same("rules\nage >= 3\n", {"rules", {}, {}, 2, 1, {"age >= 3"}});
}

TEST(ClassSpec, SaysWhatItCannotRead) {
  const std::vector<std::pair<std::string, std::string>> cases{{"thresholds(age", "closing parenthesis"},
                                                               {"thresholds()", "empty"},
                                                               {"thresholds(age,)", "empty"},
                                                               {"intervals(age, parts=)", "parts must be an integer"},
                                                               {"intervals(age, parts=-1)", "integer"},
                                                               {"intervals(age, parts=1e9)", "integer"},
                                                               {"intervals(age, parts=4294967297)", "integer"},
                                                               {"intervals(age, cells=4)", "no parameter 'cells'"},
                                                               {"thresholds(\"age)", "not closed"},
                                                               {"intervals(age, parts=4, parts=5)", "parts twice"}};
  for (const auto& [text, part] : cases) {
    try {
      parse_class(text);
      ADD_FAILURE() << text;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(ClassSpec, RefusesParametersThatTheClassDoesNotHave) {
  const auto encoding = tests::encoding_for(tests::random_table(3, 2, {3}, true, 5));
  for (const char* text :
       {"stumps(parts=4)", "thresholds(0 real, literals=2)", "conjunctions(parts=3)",
        "intervals(0 real, coefficients=3)", "rectangles(0 real, 1 real, literals=1)", "halfspaces(literals=1)"}) {
    EXPECT_THROW(make_class(encoding, parse_class(text)), ArgumentError) << text;
  }
}

// The best single question about income among these columns.
TEST(ClassSpec, TheCensusStumpAsksAboutCapitalGains) {
  const std::string path = tests::public_data("adult/adult.data.gz");
  if (path.empty()) GTEST_SKIP() << tests::kNoPublicData;
  const auto encoding = std::make_shared<const schema::Encoding>(schema::parse_schema(R"(version = 1
[format]
header = false
column_names = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
  "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"]
[target]
column = "income"
kind = "binary"
positive = [">50K"]
[[column]]
name = "capital-gain"
kind = "integer"
lower = 0
upper = 100000
scale = "log"
[[column]]
name = "age"
kind = "integer"
lower = 17
upper = 90
[[column]]
name = "sex"
kind = "category"
values = ["Female", "Male"]
)",
                                                                                      "schema"));
  const data::Dataset dataset = data::read_dataset({path}, encoding, {});
  const auto rules = make_class(*encoding, {"stumps", {}});
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const ClassPlan plan = plan_choice(rules->size(), dataset.rows(), 0.1);
  const Hypothesis chosen = rules->hypothesis(choose_rule(*rules, plan, dataset, curator, {1}).get());
  EXPECT_EQ(describe(chosen, *encoding).rfind("capital-gain >= ", 0), 0u) << describe(chosen, *encoding);
}

}  // namespace
}  // namespace dperm::methods
