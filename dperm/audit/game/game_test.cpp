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

// What the quick plays compute from one run is what two runs with the same outputs tell.
TEST(AuditGame, ARunTellsWhatTheOtherTableWouldHaveAnswered) {
  for (const char* name : {"gradient-descent", "output-certified-pure", "exponential-rules", "gradient-descent-unit"}) {
    const Subject each = subject(name, 1);
    const Pair pair =
        worst_pair(each.plan, each.encoding, each.rows, {.most_replays = 20, .climbs = 0, .pick_outputs = false}).pair;
    const Tables tables(pair);
    const Play play = best_play(each.plan, pair);
    // Of a choice the loss is known up to a constant.
    double offset = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      for (const bool first : {true, false}) {
        const Transcript run = watched_run(each.plan, first ? tables.first : tables.second, {.seed = seed});
        const Transcript other =
            watched_run(each.plan, first ? tables.second : tables.first, {.seed = seed, .frozen = &run});
        const double loss = first ? *log_ratio(run, other) : *log_ratio(other, run);
        const double score = play(first, seed).front();
        if (seed == 1 && first && run.steps.front().query.empty()) offset = score - loss;
        EXPECT_NEAR(score, loss + offset, 1e-9 * (1 + std::fabs(loss))) << name << " " << seed;
      }
    }
  }
}

// By hand: rows at right angles to the canary, whose clipped gradient is (1, -1, 1) or its opposite, of the largest
// length, in the sample with probability q. Two normals mixed, step by step.
TEST(AuditGame, AStepOverASampleIsAMixture) {
  const Subject each = subject("sgd", 1);
  const Row canary{{-32767, 32767}, {}, kTargetOne};
  Pair pair{each.encoding, Rows(20, Row{{32767, 0}, {}, kTargetOne}), 0, canary};
  pair.rows[0] = canary;
  pair.other.target = -kTargetOne;
  const auto play = sampled_play(each.plan, pair);
  ASSERT_TRUE(play.has_value());
  const auto& event = std::get<privacy::SampledGaussianEvent>(each.plan.events.front().mechanism);
  const double length = event.contribution / event.sigma;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Transcript run = watched_run(each.plan, pair.first(), {.seed = seed});
    double loss = 0;
    for (const Step& step : run.steps) {
      // Targets lie above every score: gradients point down.
      const double along = -(static_cast<double>(step.output[0]) - static_cast<double>(step.output[1]) +
                             static_cast<double>(step.output[2])) /
                           std::sqrt(3.0) / event.sigma;
      const auto mixed = [&](double sign) {
        return std::log(1 - event.rate + event.rate * std::exp(sign * length * along - length * length / 2));
      };
      loss += mixed(1) - mixed(-1);
    }
    EXPECT_NEAR((*play)(true, seed).front(), loss, 2e-3 * (1 + std::fabs(loss))) << seed;
  }
}

// Noise that is planned for one row does not hide the three rows of a person, and the replay says so.
TEST(AuditGame, APersonWithThreeRowsIsNotProtectedByThePlanForOne) {
  const Subject one = subject("gradient-descent", 1), unit = subject("gradient-descent-unit", 1);
  Pair pair =
      worst_pair(one.plan, one.encoding, one.rows, {.most_replays = 20, .climbs = 0, .pick_outputs = false}).pair;
  EXPECT_NEAR(replay(one.plan, pair, 1).comparison.worst_share, 1, 0.01);
  pair.copies = 3;
  std::fill_n(pair.rows.begin(), 3, Row(pair.row()));
  EXPECT_NEAR(replay(one.plan, pair, 1).comparison.worst_share, 3, 0.03);
  EXPECT_NEAR(replay(unit.plan, pair, 1).comparison.worst_share, 1, 0.01);
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

// At an error of 1e-11 a game, 81 games a change and a thousand changes raise a false alarm with probability 8e-7.
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
        "objective-perturbation-pure", "exponential-location-mean", "exponential-rules", "constant", "sgd",
        "gradient-descent-unit", "output-certified-unit", "objective-perturbation-pure-unit", "sgd-unit"}) {
    const MethodAudit audit = audit_subject(name, {.epsilon = 4, .error = 1e-6, .search = 40});
    EXPECT_GE(audit.game.epsilon, 0.8 * audit.proved) << name << " share " << audit.share;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAuditSubject, testing::ValuesIn(subject_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace dperm::audit
