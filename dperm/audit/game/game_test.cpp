// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/game/game.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dperm/audit/audit.hpp"
#include "dperm/audit/exact/term_density.hpp"
#include "dperm/audit/replay/worst_pair.hpp"

namespace dperm::audit {
namespace {

// Twice N(0, 1) against N(mu, 1), by sums of uniform numbers: the bound comes near mu from below.
TEST(AuditGame, FindsTheMuOfTwoNormals) {
  for (const double mu : {0.5, 1.5}) {
    const Play play = [mu](bool first, std::uint64_t seed) -> std::vector<double> {
      random::SeededBits bits(seed);
      double sum = -24;
      for (int i = 0; i < 48; ++i) sum += static_cast<double>(bits.next() >> 11) * 0x1p-53;
      return {sum / 2 + (first ? mu : 0)};
    };
    const GameResult game = play_game(play, {.runs = 40000, .error = 1e-6, .delta = 1e-5, .gaussian = true});
    EXPECT_LT(game.mu, mu);
    EXPECT_GT(game.mu, mu - 0.15);
    EXPECT_EQ(game.guesses.with, 20000u) << "the other half chose the threshold";
  }
}

TEST(AuditGame, ShowsNothingWhereThereIsNothing) {
  const Play play = [](bool, std::uint64_t seed) -> std::vector<double> {
    random::SeededBits bits(seed);
    return {static_cast<double>(bits.next() % 1000), static_cast<double>(bits.next() % 7)};
  };
  EXPECT_EQ(play_game(play, {.runs = 4000}).epsilon, 0);
}

TEST(AuditGame, CombinesSeveralNumbers) {
  // Only the difference of the two numbers tells: each alone is mostly common noise.
  const Play play = [](bool first, std::uint64_t seed) -> std::vector<double> {
    random::SeededBits bits(seed);
    const double common = static_cast<double>(bits.next() % 1000), own = static_cast<double>(bits.next() % 10);
    return {common, common + own + (first ? 20 : 0)};
  };
  EXPECT_GT(play_game(play, {.runs = 2000}).epsilon, 3);
}

TEST(AuditGame, DoesNotDependOnThreads) {
  const Subject each = subject("output-certified", 1);
  const Found found = worst_pair(each.plan, each.encoding, each.rows, {.most_replays = 10, .climbs = 0});
  const Play play = best_play(each.plan, found.pair);
  const GameResult one = play_game(play, {.runs = 200, .threads = 1}),
                   two = play_game(play, {.runs = 200, .threads = 2});
  EXPECT_EQ(one.with, two.with);
  EXPECT_EQ(one.without, two.without);
}

// The Huber loss with targets far away has one slope or its opposite and no curvature: by hand, two Gaussians.
TEST(AuditGame, TheDensityOfATermIsThatOfAGaussianWhereTheLossIsStraight) {
  const Subject each = subject("objective-perturbation", 1);
  Pair pair{each.encoding, Rows(each.rows, Row{{32767, 32767}, {}, kTargetOne}), 0, {{32767, 32767}, {}, -kTargetOne}};
  for (std::size_t i = 2; i < each.rows; i += 2) pair.rows[i].target = -kTargetOne;  // 0 stays: nine up, ten down
  const auto density = term_density(each.plan, pair);
  ASSERT_TRUE(density.has_value());
  const auto& objective = std::get<privacy::ObjectivePerturbationEvent>(each.plan.events[0].mechanism).objective;
  const std::vector<double> w = {0.01, -0.02, 0.005};
  const auto x = features(*each.encoding, pair.rows[0]);
  // Gradient sums on the first and second table without the canary: the ups and downs of 19 others.
  double ups = 0;
  for (std::size_t i = 1; i < each.rows; ++i) ups += pair.rows[i].target > 0 ? 1 : -1;
  const double slope = objective.gradient;
  double first = 0, second = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const double common = objective.penalty * w[j] - ups * slope * x[j];
    first += (common - slope * x[j]) * (common - slope * x[j]);
    second += (common + slope * x[j]) * (common + slope * x[j]);
  }
  EXPECT_NEAR(density->log_ratio(w), (second - first) / (2 * objective.sigma * objective.sigma), 1e-9);
}

class EveryAuditSubject : public testing::TestWithParam<std::string> {};

// At an error of 1e-11 a game, fifty games a change and a thousand changes raise a false alarm with probability 5e-7.
TEST_P(EveryAuditSubject, TheLowerBoundStaysBelowTheProvedEpsilon) {
  const std::size_t part = subject(GetParam(), 1).slow ? 6 : 1;
  for (const double epsilon : {0.5, 1.0, 4.0}) {
    const MethodAudit audit =
        audit_subject(GetParam(), {.epsilon = epsilon, .error = 1e-11, .runs = 600 / part, .search = 40 / part});
    EXPECT_TRUE(audit.passed()) << "epsilon " << epsilon << ", at least " << audit.game.epsilon << ", sensitivity "
                                << audit.comparison.worst_share << " " << audit.comparison.difference;
  }
}

// Where some pair reaches the declared sensitivity the game sees most of epsilon; `make audit` plays the longer games
// of small epsilons.
TEST(AuditSubjects, GamesReachFourFifthsOfEpsilonWhereTheBoundCanBeReached) {
  for (const char* name :
       {"gradient-descent", "output-certified", "output-certified-pure", "output-descent", "objective-perturbation",
        "objective-perturbation-pure", "exponential-location-mean", "constant"}) {
    const MethodAudit audit = audit_subject(name, {.epsilon = 4, .error = 1e-6, .search = 40});
    EXPECT_GE(audit.game.epsilon, 0.8 * audit.proved) << name << " share " << audit.share;
    EXPECT_LE(audit.game.epsilon, audit.proved) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAuditSubject, testing::ValuesIn(subject_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace dperm::audit
