// SPDX-License-Identifier: Apache-2.0
#include "dperm/rules/rule_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/rules/finite_class.hpp"
#include "dperm/schema/cell_text.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::rules {
namespace {

// Names, values and bounds that are hard to write: signs of the language, keywords, numbers, line ends, a log scale,
// and bounds so close that the lattice is finer than the doubles between them.
schema::Encoding hard_encoding() {
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .kind = schema::ColumnKind::integer, .lower = 17, .upper = 90});
  schema.columns.push_back({.name = "and", .lower = -1e300, .upper = 1e300});
  schema.columns.push_back({.name = "a \"b\" \\ # (c)", .lower = -3, .upper = 99997, .scale = schema::Scale::log});
  schema.columns.push_back({.name = "2020", .lower = 1, .upper = 1 + 0x1p-50});
  schema::Column city{.name = "u", .kind = schema::ColumnKind::category};
  city.values = {"New York", "12", "(none)", "not", "a=b", "x,y"};
  city.other = true;
  city.missing = schema::MissingRule::category;
  schema.columns.push_back(city);
  schema.columns.push_back(
      {.name = "smoker", .kind = schema::ColumnKind::boolean, .missing = schema::MissingRule::none});
  schema.target = {.kind = schema::TargetKind::binary, .name = "y", .positive = {"1"}};
  return schema::Encoding(schema);
}

class RuleText : public testing::Test {
 protected:
  const schema::Encoding encoding_ = hard_encoding();
  std::mt19937_64 random_{1};

  std::int32_t any(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  // Limits, ends and their neighbours often.
  std::int32_t any_q() {
    const std::int32_t ends[] = {-32767, -32766, 0, 1, 32766, 32767, 32768, any(-32767, 32768), any(-32767, 32768)};
    return ends[random_() % std::size(ends)];
  }
  Hypothesis::Part any_part() {
    switch (random_() % 4) {
      case 0:
        return RangeRule{random_() % 4, any_q(), any_q()};
      case 1: {
        const std::size_t category = random_() % 2;
        return LevelRule{category, static_cast<std::uint32_t>(any(0, category == 0 ? 8 : 1)), random_() % 2 == 0};
      }
      case 2:
        return HalfspaceRule{{any(-3, 3), any(-1, 1), any(-2, 0), any(-1, 1)}, any(-100'000, 100'000)};
      default: {
        std::vector<double> weights(encoding_.dimension());
        for (double& w : weights) w = std::ldexp(any(-1000, 1000) / 7.0, any(-3, 3));
        return linear_rule(encoding_, weights);
      }
    }
  }
  Hypothesis any_rule() {
    Hypothesis rule;
    rule.opposite = random_() % 2 == 0;
    for (std::uint64_t left = random_() % 3; left > 0; --left) rule.parts.push_back(any_part());
    if (random_() % 8 != 0 && rule.parts.empty()) rule.parts.push_back(any_part());
    return rule;
  }
  void expect_same_on_rows(const Hypothesis& a, const Hypothesis& b, const std::string& text) {
    std::vector<std::int32_t> near{-32767, 0, 32767};
    for (const auto& part : a.parts) {
      if (const auto* range = std::get_if<RangeRule>(&part)) {
        for (const std::int32_t limit : {range->lower, range->upper}) {
          for (const std::int32_t q : {limit - 1, limit}) near.push_back(std::clamp(q, -32767, 32767));
        }
      }
    }
    for (int row = 0; row < 60; ++row) {
      std::int16_t reals[4];
      for (auto& q : reals)
        q = static_cast<std::int16_t>(row % 2 == 0 ? near[random_() % near.size()] : any(-32767, 32767));
      const std::uint32_t codes[] = {static_cast<std::uint32_t>(any(0, 8)), static_cast<std::uint32_t>(any(0, 1))};
      ASSERT_EQ(predict(a, {reals, codes}), predict(b, {reals, codes})) << text;
    }
  }
};

TEST_F(RuleText, EveryRuleReadsBackAsWhatItSays) {
  for (int i = 0; i < 20'000; ++i) {
    const Hypothesis rule = any_rule();
    const std::string text = describe(rule, encoding_);
    ASSERT_EQ(text.find('\n'), std::string::npos);
    const Hypothesis again = parse_rule(text, encoding_);
    expect_same_on_rows(rule, again, text);
    ASSERT_EQ(describe(again, encoding_), text) << "the text is not canonical";
  }
}

TEST_F(RuleText, EveryLimitOfAColumnReadsBack) {
  for (std::size_t real = 0; real < 4; ++real) {
    for (std::int32_t q = -32766; q <= 32767; q += real == 0 ? 1 : 37) {
      for (const bool opposite : {false, true}) {
        const Hypothesis rule{{RangeRule{real, q, 32768}}, opposite};
        const std::string text = describe(rule, encoding_);
        ASSERT_EQ(text.find("u(") != std::string::npos, real == 3)
            << "units of the table where there are any: " << text;
        const Hypothesis again = parse_rule(text, encoding_);
        for (const std::int32_t row : {q - 1, q}) {
          std::int16_t reals[4] = {0, 0, 0, 0};
          reals[real] = static_cast<std::int16_t>(row);
          const std::uint32_t codes[] = {0, 0};
          ASSERT_EQ(predict(again, {reals, codes}), (row >= q) != opposite) << describe(rule, encoding_);
        }
      }
    }
  }
}

TEST_F(RuleText, SpeaksTheTablesLanguage) {
  const std::int32_t forty = encoding_.encode_real(0, 40);
  const std::vector<std::pair<Hypothesis, std::string>> cases{
      {{{}, false}, "always"},
      {{{}, true}, "never"},
      {{{RangeRule{0, forty, 32768}}, false}, "age >= 40"},
      {{{RangeRule{0, forty, 32768}}, true}, "age < 40"},
      {{{RangeRule{0, -32767, forty}}, true}, "age >= 40"},
      {{{RangeRule{0, encoding_.encode_real(0, 20), forty}}, false}, "20 <= age < 40"},
      {{{RangeRule{0, encoding_.encode_real(0, 20), forty}}, true}, "not (20 <= age < 40)"},
      {{{RangeRule{0, 5, 5}, LevelRule{0, 0}}, false}, "never"},
      {{{RangeRule{0, 5, 5}}, true}, "always"},
      {{{RangeRule{0, -32767, 32768}, LevelRule{1, 0}}, false}, "smoker = true"},
      {{{LevelRule{0, 0}}, false}, "\"u\" = \"New York\""},
      {{{LevelRule{0, 1, true}}, false}, "\"u\" != 12"},
      {{{LevelRule{0, 2}}, true}, "\"u\" != \"(none)\""},
      {{{LevelRule{0, 6}}, false}, "\"u\" = (other)"},
      {{{LevelRule{0, 7}}, false}, "\"u\" = (missing)"},
      {{{LevelRule{1, 1}}, false}, "smoker = (none)"},
      {{{HalfspaceRule{{1, -2, 0, 0}, 32767}}, false}, "u(age) - 2 u(\"and\") >= 1"},
      {{{HalfspaceRule{{-1, 0, 0, 1}, -8191}}, true}, "not (-1 u(age) + u(\"2020\") >= -0.25)"},
  };
  for (const auto& [rule, text] : cases) EXPECT_EQ(describe(rule, encoding_), text);
}

TEST_F(RuleText, ReadsWhatPeopleWrite) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"  age>=40and # no", ""},
      {"age>=40 and smoker=true # a remark", "age >= 40 and smoker = true"},
      {"age > 10", "always"},
      {"age >= 17", "always"},
      {"age < 17", "never"},
      {"age <= 16.9", "never"},
      {"age > 90", "never"},
      {"age >= 90.1", "never"},
      {"age <= 90", "always"},
      {"\tnever\r", "never"},
      {"smoker != \"true\"", "smoker != true"},
      {"40 <= age < 30", "never"},
      {"2 u(age) >= -5", "2 u(age) >= -5"},
  };
  for (const auto& [given, canonical] : cases) {
    if (canonical.empty()) {
      EXPECT_THROW(parse_rule(given, encoding_), ArgumentError) << given;
    } else {
      EXPECT_EQ(describe(parse_rule(given, encoding_), encoding_), canonical) << given;
    }
  }
  // The limit of an exclusive comparison is one lattice step further.
  const Hypothesis after = parse_rule("age > 40", encoding_);
  EXPECT_EQ(std::get<RangeRule>(after.parts[0]).lower, encoding_.encode_real(0, 40) + 1);
}

// Far beyond what a sum of columns reaches, where cuts are no longer exact as numbers.
TEST_F(RuleText, LargeCutsReadBackAsThemselves) {
  for (double number = 1.1; number < 1e20; number *= 1.003) {
    for (const double each : {number, -number, std::floor(number) + 0.49996}) {
      const Hypothesis rule = parse_rule("u(age) >= " + schema::number_text(each), encoding_);
      const Hypothesis again = parse_rule(describe(rule, encoding_), encoding_);
      ASSERT_EQ(std::get<HalfspaceRule>(again.parts[0]).cut, std::get<HalfspaceRule>(rule.parts[0]).cut) << each;
    }
  }
}

TEST_F(RuleText, SaysWhatItExpected) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "expected a column (age, \"and\","},
      {"height > 3", "found 'height'"},
      {"age", "<, <=, > or >="},
      {"age = 3", "<, <=, > or >="},
      {"age >=", "expected a number, found the end"},
      {"age >= nan", "expected a number"},
      {"age >= inf", "expected a number"},
      {"age >= 3 age", "'and' or the end"},
      {"3 <= smoker < 4", "a real or integer column"},
      {"3 <= age", "< or <=, found the end"},
      {"smoker > 1", "= or != after a category"},
      {"smoker = maybe", "a level (true, (none))"},
      {"not age > 3", "expected '('"},
      {"not (age > 3", "expected ')'"},
      {"\"age > 3", "closing double quote"},
      {"1.5 u(age) >= 0", "an integer"},
      {"u(smoker) >= 0", "a real or integer column"},
      {"u(age) > 0", "expected '>='"},
      {"score(1) > 0", "a score takes 14 weights"},
      {"score(1, x) > 0", "expected a number"},
      {"score(1, 2) > 1", "expected 0"},
      {"always and age > 3", "the end of the rule"},
  };
  for (const auto& [text, part] : cases) {
    try {
      parse_rule(text, encoding_);
      ADD_FAILURE() << text;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST_F(RuleText, ALinearModelAsARuleAgreesWithItsScores) {
  const auto table = tests::random_table(500, 2, {3, 1}, true, 8);
  const auto encoding = tests::encoding_for(table);
  const std::vector<double> weights{0.1, 1, -1, 0.5, 0.25, -0.5, 0.75};
  const Hypothesis rule{{linear_rule(encoding, weights)}, false};
  const auto sums = tests::sums_of(table, 64);
  const auto scores = sums.outputs(engine::LinearModel{weights}, {1});
  const auto answers = sums.outputs(rule, {2});
  for (std::size_t row = 0; row < table.rows(); ++row) ASSERT_EQ(answers[row] > 0, scores[row] > 0) << row;
}

TEST_F(RuleText, AListedClassCountsTheErrorsOfItsRules) {
  const auto table = tests::random_table(300, 2, {3}, true, 7);
  const auto encoding = tests::encoding_for(table);
  const std::vector<Hypothesis> rules{parse_rule("\"0 real\" >= 0.1", encoding),
                                      parse_rule("\"0 category\" = 2", encoding),
                                      parse_rule("not (\"1 real\" < 0 and \"0 category\" != (none))", encoding),
                                      parse_rule("score(0.1, 1, -1, 0.5, 0, -0.5) > 0", encoding),
                                      {{}, true}};
  const auto made = listed(rules);
  std::vector<std::int64_t> costs;
  for (const auto& run : made->costs(tests::sums_of(table, 64), {2})) costs.insert(costs.end(), run.size, run.cost);
  ASSERT_EQ(costs.size(), made->size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    std::int64_t wrong = 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const std::int16_t reals[] = {table.reals[0][r], table.reals[1][r]};
      const std::uint32_t codes[] = {table.codes[0][r]};
      wrong += predict(rules[i], {reals, codes}) != (table.targets[r] > 0);
    }
    EXPECT_EQ(costs[i], wrong) << i;
    EXPECT_EQ(made->hypothesis(i), rules[i]);
  }
  EXPECT_THROW(listed({}), ArgumentError);
}

}  // namespace
}  // namespace dperm::rules
