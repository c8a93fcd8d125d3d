// SPDX-License-Identifier: Apache-2.0
// Releases of every algorithm, replayed on neighbouring rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/audit/subjects.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::audit {
namespace {

class AuditReplay : public testing::TestWithParam<std::string> {};

TEST_P(AuditReplay, NeighboursAskTheSameWithinTheDeclaredSensitivity) {
  const Subject each = subject(GetParam(), 1);
  const std::size_t few = each.slow ? 12 : 150;
  const Found found = worst_pair(each.plan, each.encoding, each.rows, {.most_replays = few, .climbs = few / 3});
  EXPECT_EQ(found.comparison.difference, "");
  EXPECT_LE(found.comparison.worst_share, 1) << found.comparison.checks.front().what;
  RecordProperty("share", std::to_string(found.share));
  if (each.tight && !found.comparison.checks.empty()) {
    // No step of this run has all three rows of the person in its sample.
    const double least = each.name == "sgd-unit" ? 0.6 : 0.85;
    EXPECT_GT(found.share, least) << "the bound can be reached, and was not";
  }
}

INSTANTIATE_TEST_SUITE_P(All, AuditReplay, testing::ValuesIn(subject_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(AuditReplayParts, AWatchedFitIsNotPrivate) {
  random::SecureBits bits;
  struct Nobody final : privacy::Witness {
    void begins(const privacy::Mechanism&, std::string_view) override {}
    void ends(const privacy::WitnessedQuery&, std::vector<std::int64_t>&) override {}
    std::span<const std::uint32_t> places(std::size_t) override { return {}; }
  } nobody;
  EXPECT_FALSE(CuratorAccess::watched(bits, privacy::Neighbours::replace_one, 1, nobody)->secure());
  EXPECT_TRUE(privacy::Curator(bits).secure());
}

// A watched run without tampering releases what any run with the same bits does: the witness changes nothing.
TEST(AuditReplayParts, FrozenOutputsAreGivenAgain) {
  const Subject each = subject("gradient-descent", 1);
  const Found found = worst_pair(each.plan, each.encoding, 20, {.most_replays = 1, .climbs = 0});
  const Replayed run = replay(each.plan, found.pair, 5);
  ASSERT_EQ(run.first.steps.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(run.first.steps[i].output, run.second.steps[i].output);
    EXPECT_NE(run.first.steps[i].query, run.second.steps[i].query) << "the tables differ";
  }
  EXPECT_EQ(run.first.weights, run.second.weights);
}

TEST(AuditReplayParts, ADifferenceInFlowIsFound) {
  const Subject each = subject("constant", 1);
  Transcript first;
  first.steps.push_back({.what = "a", .mechanism = privacy::GaussianEvent{1, 1}, .answered = true});
  first.events = each.plan.events;
  Transcript second = first;
  EXPECT_EQ(compare(first, second, each.plan).difference, "");
  second.steps.front().mechanism = privacy::GaussianEvent{1, 2};
  EXPECT_EQ(compare(first, second, each.plan).difference, "the noise of release 1 differs");
  second.steps.push_back(second.steps.front());
  EXPECT_EQ(compare(first, second, each.plan).difference, "1 releases on one table, 2 on its neighbour");
}

// ln of the ratio of two normal densities at 3, means 1 and 4, deviation 2: (1 - 4) / 8 and so on, by hand.
TEST(AuditReplayParts, TheLogRatioIsThatOfTheDensities) {
  Transcript first;
  first.steps.push_back(
      {.what = "a", .mechanism = privacy::GaussianEvent{3, 2}, .answered = true, .query = {1}, .output = {3}});
  Transcript second = first;
  second.steps.front().query = {4};
  EXPECT_DOUBLE_EQ(*log_ratio(first, second), (1.0 - 4.0) / 8);
  for (Transcript* run : {&first, &second}) run->steps.front().mechanism = privacy::DiscreteLaplaceEvent{3, 2, 1};
  EXPECT_DOUBLE_EQ(*log_ratio(first, second), (1.0 - 2.0) / 2);
}

}  // namespace
}  // namespace dperm::audit
