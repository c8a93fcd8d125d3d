// SPDX-License-Identifier: Apache-2.0
// Releases about parts: what is recorded, what is refused, and small mechanisms whose exact cost is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::privacy {
namespace {

using Vector = std::vector<std::int64_t>;

const GaussianEvent kFirst{1, 8};
const DiscreteLaplaceEvent kSecond{2, 3, 1};
const DisjointPartsEvent kBoth{{{{"one", kFirst}}, {{"two", kSecond}}}};

TEST(DisjointParts, AreRecordedAsOneEvent) {
  random::SeededBits bits(1);
  Curator curator(bits);
  const Sensitive<Vector> one(Vector{5}), two(Vector{7, 8});
  Vector released;
  curator.release_parts(
      [&](const std::vector<std::unique_ptr<Curator>>& inside) {
        ASSERT_EQ(inside.size(), 2u);
        released = inside[0]->release(one, kFirst, "one").get();
        inside[1]->release(two, kSecond, "two");
      },
      kBoth, "both");
  EXPECT_EQ(curator.events(), (std::vector<PrivacyEvent>{{"both", kBoth}}));
  EXPECT_EQ(released.size(), 1u);
}

// Of persons with three rows: what the parts list is for a person, and the division multiplies nothing again.
TEST(DisjointParts, PartsRecordForTheSameUnit) {
  random::SeededBits bits(1);
  const Sensitive<Vector> one(Vector{5});
  const DisjointPartsEvent for_three{{{{"one", GaussianEvent{3, 8}}}, {{"two", DiscreteLaplaceEvent{6, 3, 1}}}}};
  const auto run = [&](const DisjointPartsEvent& planned) {
    Curator curator(bits, Neighbours::replace_one, 3);
    curator.release_parts(
        [&](const std::vector<std::unique_ptr<Curator>>& inside) {
          EXPECT_EQ(inside[0]->unit_rows(), 3u);
          inside[0]->release(one, kFirst, "one");
          inside[1]->release(one, kSecond, "two");
        },
        planned, "both");
    return curator.events();
  };
  EXPECT_EQ(run(for_three), (std::vector<PrivacyEvent>{{"both", for_three}}));
  EXPECT_THROW(run(kBoth), InternalError) << "planned for one row";
}

TEST(DisjointParts, CoinsAreAsManyAsAskedForAndFairInTheirWay) {
  random::SeededBits bits(5);
  Curator curator(bits);
  const Sensitive<std::size_t> persons(std::size_t{10'000});
  const auto heads = [&](double probability) {
    const auto drawn = curator.draw_coins(persons, probability);
    const std::vector<bool>& coins = SensitiveTestAccess::open(drawn);
    EXPECT_EQ(coins.size(), 10'000u);
    return static_cast<double>(std::count(coins.begin(), coins.end(), true));
  };
  EXPECT_NEAR(heads(0.2), 2000, 6 * 40);
  EXPECT_NEAR(heads(0.9), 9000, 6 * 30);
  EXPECT_THROW(curator.draw_coins(persons, 0), ArgumentError);
  EXPECT_THROW(curator.draw_coins(persons, 1), ArgumentError);
  EXPECT_TRUE(curator.events().empty()) << "nothing was released";
}

TEST(DisjointParts, RefuseWhatWasNotPlannedAndStaySpent) {
  random::SeededBits bits(1);
  const Sensitive<Vector> one(Vector{5});
  const auto run = [&](bool other_noise, bool other_part) {
    Curator curator(bits);
    try {
      curator.release_parts(
          [&](const std::vector<std::unique_ptr<Curator>>& inside) {
            inside[other_part ? 1 : 0]->release(one, other_noise ? GaussianEvent{1, 9} : kFirst, "one");
            inside[1]->release(one, kSecond, "two");
          },
          kBoth, "both");
    } catch (const InternalError&) {
      EXPECT_EQ(curator.events().size(), 1u) << "what was planned is spent";
      return false;
    }
    return true;
  };
  EXPECT_TRUE(run(false, false));
  EXPECT_FALSE(run(true, false));
  EXPECT_FALSE(run(false, true));
  Curator curator(bits);
  EXPECT_THROW(curator.release_parts([](const auto&) {}, DisjointPartsEvent{{{{"one", kFirst}}}}, "x"), ArgumentError);
}

// Two records, one of which, by the toss of a coin, is asked by randomised response with the first epsilon; then the
// other, for whether it is equal to the first answer, with the second. All probabilities are computed.
std::array<double, 4> answers(std::array<int, 2> records, double first, double second) {
  const auto truth = [](double epsilon) { return 1 / (1 + std::exp(-epsilon)); };
  std::array<double, 4> result{};
  for (const std::size_t asked : {0u, 1u}) {
    for (const int a : {0, 1}) {
      const double of_a = a == records[asked] ? truth(first) : 1 - truth(first);
      for (const int b : {0, 1}) {
        const int equal = records[1 - asked] == a;
        result[static_cast<std::size_t>(2 * a + b)] += 0.5 * of_a * (b == equal ? truth(second) : 1 - truth(second));
      }
    }
  }
  return result;
}

TEST(DisjointParts, CostTheDearestPartAndTheBoundIsReached) {
  for (const auto& [first, second] : {std::pair{1.0, 0.2}, {0.3, 2.0}, {1.0, 1.0}}) {
    const std::vector<PrivacyEvent> events{{"x", DisjointPartsEvent{{{{"one", RandomisedResponseEvent{first}}},
                                                                     {{"two", RandomisedResponseEvent{second}}}}}}};
    const double claimed = pure_epsilon(events);
    EXPECT_EQ(claimed, std::max(first, second));
    double worst = 0, renyi = 0;
    for (const int other : {0, 1}) {
      const auto p = answers({0, other}, first, second), q = answers({1, other}, first, second);
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        worst = std::max(worst, std::abs(std::log(p[i] / q[i])));
        sum += p[i] * p[i] * p[i] / (q[i] * q[i]);
      }
      renyi = std::max(renyi, std::log(sum) / 2);
    }
    EXPECT_LE(worst, claimed * (1 + 1e-12));
    EXPECT_LE(renyi, renyi_divergence(events, 3) * (1 + 1e-12));
    EXPECT_GT(worst, 0.2 * claimed);
  }
}

TEST(DisjointParts, AreAccountedForByTheWorstRole) {
  const PrivacyEvent gaussian{"fit", GaussianEvent{1, 4}}, laplace{"counts", DiscreteLaplaceEvent{2, 4, 1}};
  const PrivacyEvent both{"x", DisjointPartsEvent{{{gaussian}, {laplace}}}};
  const auto epsilon = [](std::vector<PrivacyEvent> events) { return account(events, 1e-6).epsilon; };
  const Guarantee guarantee = account(std::vector{both}, 1e-6);
  EXPECT_EQ(guarantee.epsilon, std::max(epsilon({gaussian}), epsilon({laplace})));
  EXPECT_LT(guarantee.epsilon, epsilon({gaussian, laplace}));
  EXPECT_FALSE(guarantee.pure);
  EXPECT_EQ(guarantee.delta, 1e-6);
  EXPECT_FALSE(guarantee.mu) << "one of the roles is not Gaussian";
  // With another release: the worst of the two compositions.
  const PrivacyEvent more{"more", GaussianEvent{1, 3}};
  EXPECT_EQ(epsilon({both, more}), std::max(epsilon({gaussian, more}), epsilon({laplace, more})));
  // Three of them: every mixture of roles.
  PrivacyEvent thrice = both;
  thrice.repetitions = 3;
  EXPECT_EQ(epsilon({thrice}), epsilon({both, both, both}));
  EXPECT_GE(epsilon({thrice}), epsilon({gaussian, gaussian, laplace}));
  EXPECT_GE(epsilon({thrice}), epsilon({laplace, laplace, gaussian}));
  // Too many to look at each: all parts are charged.
  PrivacyEvent often = both, gaussians = gaussian, laplaces = laplace;
  often.repetitions = gaussians.repetitions = laplaces.repetitions = 20;
  EXPECT_EQ(epsilon({often}), epsilon({gaussians, laplaces}));
  // Pure parts stay pure, Gaussian ones keep their mu.
  EXPECT_TRUE(account(std::vector{PrivacyEvent{"x", DisjointPartsEvent{{{laplace}, {laplace}}}}}, 0).pure);
  const PrivacyEvent smaller{"fit", GaussianEvent{1, 8}};
  EXPECT_EQ(account(std::vector{PrivacyEvent{"x", DisjointPartsEvent{{{smaller}, {gaussian}}}}}, 1e-6).mu, 0.25);
  EXPECT_THROW(account(std::vector{both}, 0), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
