// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/remote/remote_sums.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/engine/remote/answer_bytes.hpp"
#include "dperm/random/choice/coin_sample.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/remote_sums.hpp"

namespace dperm::engine::remote {
namespace {

constexpr Threads kOne{1};

// Every kind of question, one machine beside so many parts.
class RemoteSumsInParts : public testing::TestWithParam<std::size_t> {
 protected:
  static void expect_equal(const RowSums& parts, const RowSums& whole) {
    const std::vector<double> weights = tests::random_weights(whole.dimension(), 3, 8);
    const std::vector<double> of_classes = tests::random_weights(3 * whole.dimension(), 3, 9);
    const loss::Loss logistic{}, squared{.kind = loss::LossKind::squared};
    const loss::Loss one_class{.kind = loss::LossKind::smoothed_hinge, .positive = 1};
    for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
      for (const loss::Loss& loss : {logistic, squared, one_class}) {
        const GradientQuery query{loss, 1.5, weights};
        EXPECT_EQ(parts.gradient(query, resolution, kOne), whole.gradient(query, resolution, kOne));
      }
      const SoftmaxQuery softmax{3, 2, of_classes};
      EXPECT_EQ(parts.softmax(softmax, resolution, kOne).gradient, whole.softmax(softmax, resolution, kOne).gradient);
      EXPECT_EQ(parts.softmax(softmax, resolution, kOne).loss, whole.softmax(softmax, resolution, kOne).loss);
    }
    const GramSums mine = parts.second_moments(2 * kGramUnit, kOne), theirs = whole.second_moments(2 * kGramUnit, kOne);
    EXPECT_EQ(mine.upper_triangle, theirs.upper_triangle);
    EXPECT_EQ(mine.target_products, theirs.target_products);
    EXPECT_EQ(mine.target_square, theirs.target_square);
    EXPECT_EQ(parts.curvature_moments(weights, kOne), whole.curvature_moments(weights, kOne));
    EXPECT_EQ(parts.target_sum(1 << 29, kOne), whole.target_sum(1 << 29, kOne));
    EXPECT_EQ(parts.sorted_targets(kOne), whole.sorted_targets(kOne));
    expect_equal_samples(parts, whole, weights);
    const network::Shape shape{
        .inputs = whole.dimension(), .hidden = {3}, .outputs = 2, .activation = network::Activation::tanh};
    const std::vector<double> of_network = tests::random_weights(weight_count(shape), 3, 10);
    const rules::Hypothesis rule{
        {rules::RangeRule{0, -50, 20000}, rules::LevelRule{0, 1, true}, rules::HalfspaceRule{{3, -1}, 17},
         rules::LinearRule{0.5, {1, -2}, {{0, 1, 2}, {3, 4}}}},
        true};
    for (const RowModel& model : {RowModel{LinearModel{weights}}, RowModel{LinearModel{of_classes, 3}},
                                  RowModel{NetworkModel{shape, of_network}}, RowModel{rule}}) {
      EXPECT_EQ(parts.errors(model, kOne), whole.errors(model, kOne));
      expect_equal_judgement(parts, whole, model);
    }
    const LossQuery losses{LinearModel{weights}, squared, 3.7};
    EXPECT_EQ(parts.loss(losses, kOne), whole.loss(losses, kOne));
    EXPECT_EQ(parts.rule_errors(std::vector{rule, rules::Hypothesis{}}, kOne),
              whole.rule_errors(std::vector{rule, rules::Hypothesis{}}, kOne));
  }

  static void expect_equal_samples(const RowSums& parts, const RowSums& whole, const std::vector<double>& weights) {
    const network::ClippedQuery clipped{{.inputs = whole.dimension()}, {}, weights, 0.5};
    const std::vector<std::size_t> sample = {0, 1, 5, 99, 100, 101, 250, 299};
    for (const auto& rows : {sample, std::vector<std::size_t>{}}) {
      EXPECT_EQ(parts.clipped_gradient(clipped, rows, kOne), whole.clipped_gradient(clipped, rows, kOne));
    }
    const random::CoinSample coins({1, 2, 3, 4}, 0.3, whole.rows()), all({}, 1, whole.rows());
    EXPECT_EQ(parts.clipped_gradient(clipped, coins, kOne), whole.clipped_gradient(clipped, coins, kOne));
    EXPECT_EQ(parts.clipped_gradient(clipped, all, kOne), whole.clipped_gradient(clipped, all, kOne));
    EXPECT_NE(parts.clipped_gradient(clipped, coins, kOne), parts.clipped_gradient(clipped, all, kOne));
    const std::vector<std::uint32_t> batch = {0, 3, 42, 99, 100, 149, 150, 151, 290, 299};
    const auto mine = parts.batches({}, 1.5, 50), theirs = whole.batches({}, 1.5, 50);
    for (int again = 0; again < 2; ++again) EXPECT_EQ(mine->sum(weights, batch), theirs->sum(weights, batch));
  }

  static void expect_equal_judgement(const RowSums& parts, const RowSums& whole, const RowModel& model) {
    const std::vector<double> edges = {-0.5, 0, 0.25};
    std::vector<JudgedCells> kinds = {AnswerCells{3, true}, AnswerCells{3, false}};
    if (outputs_per_row(model) == 2) kinds = {AnswerCells{2, true}};
    if (outputs_per_row(model) == 1) kinds = {ScoreCells{edges}, AnswerCells{2, true}, ResidualCells{4}};
    for (const JudgedCells& cells : kinds) {
      for (const std::optional<std::size_t> group : {std::optional<std::size_t>{}, std::optional<std::size_t>{0}}) {
        const JudgeQuery query{model, cells, group};
        EXPECT_EQ(parts.judged(query, kOne), whole.judged(query, kOne));
      }
    }
  }
};

TEST_P(RemoteSumsInParts, AreTheSumsOfOneMachine) {
  const tests::EncodedTable table = tests::random_table(300, 2, {3, 2}, true, 11);
  const TileSums whole = tests::sums_of(table);
  const RemoteSums parts = tests::remote_sums_of(table, GetParam());
  ASSERT_EQ(parts.rows(), 300u);
  expect_equal(parts, whole);
  const std::vector<rules::LevelRule> literals = {{0, 0}, {0, 2, true}, {1, 1}};
  EXPECT_EQ(parts.conjunction_errors({literals, 2}, kOne), whole.conjunction_errors({literals, 2}, kOne));
  const std::vector<std::int32_t> coefficients = {2, -7};
  for (const Cells& cells : {Cells{RealCells{1}}, Cells{CategoryCells{0}}, Cells{PairCells{0, 1, 5}},
                             Cells{ProjectionCells{coefficients, 9}}}) {
    const LabelCounts mine = parts.label_counts(cells, kOne), theirs = whole.label_counts(cells, kOne);
    EXPECT_EQ(mine.negative, theirs.negative);
    EXPECT_EQ(mine.positive, theirs.positive);
  }
}

TEST_P(RemoteSumsInParts, AreReadWithOtherShapesWhereTheyLie) {
  const tests::EncodedTable plain = tests::random_table(300, 3, {3, 300}, true, 6);
  tests::EncodedTable curved = plain;
  curved.shapes = {{8, false, false}, {5, true, false}, {}};
  curved.pairs = {{0, 2, 4}};
  const TileSums whole = tests::sums_of(curved);
  const RemoteSums parts = tests::remote_sums_of(plain, GetParam());
  const auto read = parts.read_as(tests::encoding_for(curved));
  const std::vector<double> weights = tests::random_weights(curved.dimension(), 3, 7);
  for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
    EXPECT_EQ(read->gradient({.loss = {}, .weights = weights}, resolution, kOne),
              whole.gradient({.loss = {}, .weights = weights}, resolution, kOne));
  }
  EXPECT_EQ(read->curvature_moments(weights, kOne), whole.curvature_moments(weights, kOne));
  EXPECT_EQ(parts.sorted_targets(kOne), whole.sorted_targets(kOne));  // the parts still answer as they were
}

INSTANTIATE_TEST_SUITE_P(OneTwoSeven, RemoteSumsInParts, testing::Values(1, 2, 7));

// More rows than a solver's steps are made for: parts are asked at the resolution of the whole and rounded once.
TEST(RemoteSums, AreRoundedOnce) {
  constexpr std::size_t kRows = (std::size_t{3} << 21) + 1;
  const tests::EncodedTable many{
      {std::vector<std::int16_t>(kRows, 12345)}, {}, {}, std::vector<std::int32_t>(kRows, 1 << 29)};
  const std::vector<double> weights = {-0.5, 0.125};
  const loss::Loss squared{.kind = loss::LossKind::squared};
  const GradientQuery query{squared, 3.7, weights};
  EXPECT_EQ(tests::remote_sums_of(many, 7).gradient(query, Resolution::solver, kOne),
            tests::sums_of(many).gradient(query, Resolution::solver, kOne));
}

class HostileAnswers : public testing::Test {
 protected:
  HostileAnswers()
      : table_(tests::random_table(100, 2, {3}, true, 1)),
        parts_(tests::remote_parts(table_, 3)),
        weights_(tests::random_weights(table_.dimension(), 3, 2)) {}

  // Asks for a gradient over a channel that changes what the parts answer.
  void ask(const std::function<std::string(const std::string& question)>& channel) const {
    const RemoteSums sums(std::make_shared<const schema::Encoding>(tests::encoding_for(table_)), 100, channel);
    sums.gradient({.loss = {}, .weights = weights_}, Resolution::release, kOne);
  }
  std::string honest(const std::string& question) const { return tests::answer_of(parts_, question); }

  tests::EncodedTable table_;
  tests::RemoteParts parts_;
  std::vector<double> weights_;
};

TEST_F(HostileAnswers, OfHonestPartsAreTaken) {
  EXPECT_NO_THROW(ask([&](const std::string& question) { return honest(question); }));
}

TEST_F(HostileAnswers, CutAnywhereOrLongerAreRefused) {
  ask([&](const std::string& question) {
    const std::string whole = honest(question);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_THROW(answer_from(std::string_view(whole).substr(0, length)), InternalError) << length;
    }
    EXPECT_THROW(answer_from(whole + '\0'), InternalError);
    return whole;
  });
}

// No byte may lead outside of the buffer, whatever it is changed to: an answer or an InternalError.
TEST_F(HostileAnswers, WithAnyByteChangedEndWell) {
  ask([&](const std::string& question) {
    const std::string whole = honest(question);
    for (std::size_t place = 0; place < whole.size(); ++place) {
      for (const char flipped : {'\xff', '\x01', '\x80'}) {
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ flipped);
        try {
          ask([&](const std::string&) { return changed; });
        } catch (const InternalError&) {
        }
      }
    }
    return whole;
  });
}

TEST_F(HostileAnswers, WithoutAPartOrWithOneTwiceAreRefused) {
  EXPECT_THROW(ask([&](const std::string& question) { return parts_[0]->answer(question, kOne); }), InternalError);
  EXPECT_THROW(
      ask([&](const std::string& question) { return add(honest(question), parts_[2]->answer(question, kOne)); }),
      InternalError);
  // A part without rows adds nothing, however often.
  EXPECT_NO_THROW(
      ask([&](const std::string& question) { return add(honest(question), parts_[1]->answer(question, kOne)); }));
}

TEST_F(HostileAnswers, ToAnotherQuestionAreRefused) {
  std::string earlier;
  const RemoteSums sums(std::make_shared<const schema::Encoding>(tests::encoding_for(table_)), 100,
                        [&](const std::string& question) {
                          const std::string now = honest(question);
                          if (earlier.empty()) earlier = now;
                          return earlier;
                        });
  const GradientQuery query{.loss = {}, .weights = weights_};
  EXPECT_NO_THROW(sums.gradient(query, Resolution::release, kOne));
  EXPECT_THROW(sums.gradient(query, Resolution::release, kOne), InternalError);
}

TEST_F(HostileAnswers, ThatOverflowAreRefused) {
  const Answer a{1, {{0, 1}}, Totals{INT64_MAX}}, b{1, {{1, 1}}, Totals{1}};
  EXPECT_THROW(sum(a, b), InternalError);
  EXPECT_THROW(sum(b, Answer{1, {{5, 1}}, Totals{1, 1}}), InternalError);
  EXPECT_THROW(sum(b, Answer{1, {{5, 1}}, WideTotals{1}}), InternalError);
}

TEST_F(HostileAnswers, QuestionsThatAreNoneAreRefused) {
  std::string question;
  ask([&](const std::string& sent) { return honest(question = sent); });
  for (std::size_t length = 0; length < question.size(); ++length) {
    EXPECT_THROW(parts_[0]->answer(std::string_view(question).substr(0, length), kOne), InternalError);
  }
  Query other = query_from(question);
  other.schema = schema::to_toml(tests::encoding_for(tests::random_table(9, 1, {3}, true, 1)).schema());
  EXPECT_THROW(parts_[0]->answer(to_bytes(other), kOne), InternalError);
}

TEST(RemoteSums, SendNoRows) {
  const tests::EncodedTable table = tests::random_table(50, 1, {2}, true, 3);
  const RemoteSums sums = tests::remote_sums_of(table, 2);
  const std::vector<double> weights(table.dimension());
  EXPECT_THROW(sums.outputs(LinearModel{weights}, kOne), ArgumentError);
  EXPECT_THROW(sums.answers(LinearModel{weights}, {}, kOne), ArgumentError);
  EXPECT_THROW(sums.select(std::vector<std::size_t>{1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine::remote
