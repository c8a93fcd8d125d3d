// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/question.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dperm/planner/worth.hpp"

namespace dperm::planner {
namespace {

// Four numbers and an intercept: the typical norm of a row is (1 + 4/3)^(1/2) = 1.5275, and mu of epsilon 1 and delta
// 1e-6 is 0.2367 from the accounting of a model file, so the signal is 0.15496 times the rows.
schema::Schema numbers(const std::string& target, std::size_t count = 4) {
  std::string text = "version = 1\n[target]\ncolumn = \"y\"\n" + target + "\n";
  for (std::size_t j = 0; j < count; ++j) {
    text += "[[column]]\nname = \"x" + std::to_string(j) + "\"\nkind = \"real\"\nlower = 0\nupper = 1\n";
  }
  return schema::parse_schema(text, "test");
}

const std::string kBinary = "kind = \"binary\"\npositive = \"1\"", kReal = "kind = \"real\"\nlower = 0\nupper = 1",
                  kFour = "kind = \"class\"\nvalues = [\"a\", \"b\", \"c\", \"d\"]";

Question asked(schema::Schema schema, loss::LossKind loss, std::size_t rows) {
  Question question;
  question.schema = std::move(schema);
  question.problem.loss.kind = loss;
  question.rows = rows;
  question.budget = {1, 1e-6};
  return question;
}

// Of the curve of a column; 0: a line.
std::size_t pieces(const Question& question) {
  const std::size_t features = shaped(question, OpenShapes::curves).task.facts.dimension - 1;
  return features == 4 ? 0 : features / 4 - 2;
}

TEST(Question, CurvesOfOneScoreFollowTheSignal) {
  const auto with = [](std::size_t rows) { return pieces(asked(numbers(kBinary), loss::LossKind::logistic, rows)); };
  EXPECT_EQ(with(190), 0u) << "signal 29";
  EXPECT_EQ(with(200), 8u) << "signal 31";
  EXPECT_EQ(with(6500), 12u) << "signal 1007";
  EXPECT_EQ(pieces(asked(numbers(kReal), loss::LossKind::squared, 2200)), 0u) << "signal 341";
  EXPECT_EQ(pieces(asked(numbers(kReal), loss::LossKind::squared, 2300)), 8u) << "signal 356";
}

TEST(Question, CurvesOfAScorePerClassFollowTheSignalOfAClass) {
  const auto with = [](std::size_t rows) { return pieces(asked(numbers(kFour), loss::LossKind::softmax, rows)); };
  EXPECT_EQ(with(640), 0u) << "signal 99 / 2";
  EXPECT_EQ(with(650), 4u) << "signal 101 / 2";
  EXPECT_EQ(with(1900), 4u) << "signal 294 / 2";
  EXPECT_EQ(with(2000), 8u) << "signal 310 / 2";
  EXPECT_EQ(with(1000000), 8u);
}

TEST(Question, NetworksGetCurvesUnlessARealTargetHasLittleSignal) {
  const auto with = [](const std::string& target, loss::LossKind loss, std::size_t rows) {
    Question question = asked(numbers(target), loss, rows);
    question.problem.hidden = {16};
    return pieces(question);
  };
  EXPECT_EQ(with(kBinary, loss::LossKind::logistic, 320), 0u) << "signal 49.6";
  EXPECT_EQ(with(kBinary, loss::LossKind::logistic, 330), 8u) << "signal 51.1";
  EXPECT_EQ(with(kReal, loss::LossKind::squared, 19000), 0u) << "signal 2944";
  EXPECT_EQ(with(kReal, loss::LossKind::squared, 20000), 8u) << "signal 3099";
}

TEST(Question, ImagesKeepLinesWhereEveryKnotIsManyWeights) {
  const std::size_t pixels = 144;
  const auto features = [](const Question& question) {
    return shaped(question, OpenShapes::curves).task.facts.dimension;
  };
  EXPECT_EQ(features(asked(numbers(kFour, pixels), loss::LossKind::softmax, 1000000)), pixels + 1);
  EXPECT_GT(features(asked(numbers(kBinary, pixels), loss::LossKind::logistic, 1000000)), 9 * pixels);
}

TEST(Question, PureEpsilonAndOtherMethodsKeepLines) {
  Question question = asked(numbers(kFour), loss::LossKind::softmax, 100000);
  EXPECT_EQ(shaped(question, OpenShapes::linear).task.facts.dimension, 5u);
  question.budget.delta = 0;
  EXPECT_EQ(pieces(question), 0u);
}

TEST(Worth, ANetworkMayPayWhereThereIsMuchSignal) {
  const auto may = [](std::size_t rows, std::vector<std::size_t> hidden) {
    Question question = asked(numbers(kFour), loss::LossKind::softmax, rows);
    question.problem.hidden = std::move(hidden);
    return network_may_pay(shaped(question, OpenShapes::linear).task);
  };
  EXPECT_FALSE(may(38000, {})) << "signal 5888 / 2";
  EXPECT_TRUE(may(39000, {})) << "signal 6043 / 2";
  EXPECT_FALSE(may(39000, {32})) << "it is one";
}

}  // namespace
}  // namespace dperm::planner
