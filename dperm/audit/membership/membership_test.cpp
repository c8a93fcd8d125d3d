// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/membership/membership.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/audit/membership/statistic.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/network_reference.hpp"

namespace dperm::audit {
namespace {

// Rows with a level of their own, spread 1 around it; members are `lift` surer.
ShadowModels made_up(std::size_t count, std::size_t rows, double lift, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> level(rows);
  for (double& each : level) each = 5 * normal(random);
  ShadowModels models;
  models.kind.assign(rows, 0);
  for (std::size_t m = 0; m < count; ++m) {
    auto& sureness = models.sureness.emplace_back();
    auto& trained = models.trained.emplace_back();
    for (std::size_t i = 0; i < rows; ++i) {
      trained.push_back(random() % 2 == 0);
      sureness.push_back(level[i] + normal(random) + (trained.back() ? lift : 0));
    }
  }
  return models;
}

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The likelihood ratio of N(lift, 1) against N(0, 1) knows the levels: its power at 1% is Phi(lift - 2.326). The
// threshold on all rows does not, and the levels drown the lift.
TEST(Membership, LikelihoodRatiosReachThePowerThatTheoryGives) {
  const Membership result = attack_membership(made_up(63, 2000, 3, 5), 0.999);
  ASSERT_EQ(result.attacks.size(), 4u);
  const double theory = phi(3 - 2.326);  // 0.75
  for (const std::size_t lira : {2u, 3u}) {
    // A level that is known from some 31 models to within 0.18 costs a little.
    EXPECT_NEAR(result.attacks[lira].at[1].true_positives, theory, 0.06) << result.attacks[lira].name;
  }
  EXPECT_LT(result.attacks[0].at[1].true_positives, 0.1);
  // sqrt(2) sigma between two normals 3 apart, sigma 1: area Phi(3 / sqrt 2).
  EXPECT_NEAR(result.attacks[3].area, phi(3 / std::sqrt(2.0)), 0.01);
}

TEST(Membership, NobodyIsFoundWhereNothingTellsMembersApart) {
  const Membership result = attack_membership(made_up(16, 4000, 0, 6), 1 - 1e-9);
  for (const AttackOutcome& attack : result.attacks) {
    EXPECT_NEAR(attack.area, 0.5, 0.02) << attack.name;
    for (const AtFalsePositives& at : attack.at) {
      EXPECT_LE(at.bounds.hits_at_least, at.bounds.alarms_at_most) << attack.name;
    }
  }
}

TEST(Membership, AClassThatIsSurerIsNoMember) {
  ShadowModels models = made_up(16, 2000, 2, 7);
  for (std::size_t i = 0; i < 2000; i += 2) {
    models.kind[i] = 1;
    for (auto& each : models.sureness) each[i] += 30;
  }
  const Membership result = attack_membership(models, 0.95);
  EXPECT_GT(result.attacks[1].area, result.attacks[0].area + 0.02) << "classes apart are told apart";
}

TEST(Statistic, IsTheLogOddsOfTheRightClass) {
  const tests::EncodedTable table = tests::class_table(30, 2, {}, 3, 1);
  methods::Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts = tests::facts_of(table);
  task.facts.classes = 3;
  const std::vector<double> weights = {0.5, -1, 2, 0, 1, 1, -0.25, 3, 0.5};
  const RowStatistics said = statistics_of(tests::shared_sums_of(table), {task, weights}, {1});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::vector<double> x = tests::encoded_row(table, row);
    double scores[3], sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      scores[k] = 0;
      for (std::size_t j = 0; j < 3; ++j) scores[k] += weights[3 * k + j] * x[j];
      sum += std::exp(scores[k]);
    }
    const double share = std::exp(scores[table.targets[row]]) / sum;
    EXPECT_NEAR(said.sureness[row], std::log(share / (1 - share)), 1e-9);
    EXPECT_EQ(said.kind[row], static_cast<std::uint32_t>(table.targets[row]));
  }
}

// Random labels can be known only by heart.
TEST(Membership, ANetworkWithoutPrivacyGivesItsRowsAwayAndAPrivateOneDoesNot) {
  const tests::EncodedTable table = tests::class_table(400, 12, {}, 10, 8);
  methods::Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts = tests::facts_of(table);
  task.facts.classes = 10;
  task.facts.rows = 200;
  task.problem.hidden = {32};
  task.budget = methods::kNoPrivacy;
  const data::Dataset dataset = tests::dataset_of(table);
  const MembershipOptions options{.models = 12, .confidence = 0.999, .threads = {2}};
  const Membership bare = attack_membership(
      dataset, methods::plan_for(task, methods::NonPrivateOptions{.epochs = 150, .batch = 20, .learning_rate = 0.01}),
      options);
  EXPECT_GT(bare.accuracy_members, 0.95);
  EXPECT_LT(bare.accuracy_strangers, 0.2);
  EXPECT_GE(bare.attacks[3].at[1].true_positives, 0.1) << "ten times the false positives";
  task.budget = {1, 1e-6};
  const Membership noisy =
      attack_membership(dataset, methods::plan_for(task, methods::SgdOptions{.batch = 50, .steps = 40}), options);
  EXPECT_LE(noisy.attacks[3].at[1].true_positives, 0.04);
  EXPECT_NEAR(noisy.attacks[3].area, 0.5, 0.05);
}

TEST(Membership, WantsEnoughModelsAndAPlanForHalfOfTheRows) {
  EXPECT_THROW(attack_membership(made_up(2, 10, 0, 1), 0.95), ArgumentError);
  const tests::EncodedTable table = tests::random_table(40, 2, {}, true, 8);
  methods::Task task;
  task.facts = tests::facts_of(table);
  task.budget = methods::kNoPrivacy;
  EXPECT_THROW(attack_membership(tests::dataset_of(table), methods::plan_for(task, methods::NonPrivateOptions{}), {}),
               ArgumentError);
}

}  // namespace
}  // namespace dperm::audit
