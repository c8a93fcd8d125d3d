// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_rules/finite_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/rules/class_costs.hpp"
#include "dperm/rules/rule_text.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::methods {
namespace {

using namespace rules;

std::vector<double> expanded(const std::vector<random::CostRun>& runs) {
  std::vector<double> costs;
  for (const random::CostRun& run : runs) costs.insert(costs.end(), run.size, static_cast<double>(run.cost));
  return costs;
}

std::vector<double> exponential_distribution(const std::vector<double>& costs, double scale) {
  std::vector<double> distribution;
  double sum = 0;
  for (const double cost : costs) sum += distribution.emplace_back(std::exp(-cost / scale));
  for (double& p : distribution) p /= sum;
  return distribution;
}

// p_r times the integral of prod_{j != r} (1 - p_j t), as a polynomial.
std::vector<double> permute_and_flip_distribution(const std::vector<double>& costs, double scale) {
  const double best = *std::min_element(costs.begin(), costs.end());
  std::vector<double> distribution;
  for (std::size_t r = 0; r < costs.size(); ++r) {
    std::vector<double> polynomial{1};
    for (std::size_t j = 0; j < costs.size(); ++j) {
      if (j == r) continue;
      polynomial.push_back(0);
      const double p = std::exp(-(costs[j] - best) / scale);
      for (std::size_t k = polynomial.size() - 1; k > 0; --k) polynomial[k] -= p * polynomial[k - 1];
    }
    double integral = 0;
    for (std::size_t k = 0; k < polynomial.size(); ++k) integral += polynomial[k] / static_cast<double>(k + 1);
    distribution.push_back(std::exp(-(costs[r] - best) / scale) * integral);
  }
  return distribution;
}

// All datasets of six rows in three cells and two labels, and all replacements of a row.
TEST(FiniteChoice, NoNeighboursDifferByMoreThanEpsilon) {
  const double epsilon = 1.2, scale = 2 / epsilon;
  constexpr std::size_t kRows = 6;
  double largest_exponential = 0, largest_flip = 0;
  const auto distributions = [&](const std::array<int, kRows>& rows) {
    engine::LabelCounts counts{{0, 0, 0}, {0, 0, 0}};
    for (const int row : rows) ++(row % 2 == 0 ? counts.negative : counts.positive)[static_cast<std::size_t>(row / 2)];
    const auto costs = expanded(interval_costs(counts));
    return std::pair{exponential_distribution(costs, scale), permute_and_flip_distribution(costs, scale)};
  };
  const auto ratio = [](const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(std::log(a[i] / b[i])));
    return largest;
  };
  for (int code = 0; code < 46656; code += 7) {  // 6^6 datasets, every seventh
    std::array<int, kRows> rows{};
    for (int i = 0, rest = code; i < static_cast<int>(kRows); ++i, rest /= 6)
      rows[static_cast<std::size_t>(i)] = rest % 6;
    const auto here = distributions(rows);
    for (int other = 0; other < 6; ++other) {
      auto neighbour = rows;
      neighbour[0] = other;
      const auto there = distributions(neighbour);
      largest_exponential = std::max(largest_exponential, ratio(here.first, there.first));
      largest_flip = std::max(largest_flip, ratio(here.second, there.second));
    }
  }
  EXPECT_LE(largest_exponential, epsilon * (1 + 1e-9));
  EXPECT_LE(largest_flip, epsilon * (1 + 1e-6));
  EXPECT_GE(largest_exponential, 0.7 * epsilon);
  EXPECT_GE(largest_flip, 0.7 * epsilon);
}

// The adversarial pair: many rows fix one best rule among two, one label turns. As rows grow the ratio tends to
// epsilon.
TEST(FiniteChoice, TheBoundIsReachedByAnAdversarialPair) {
  const double epsilon = 1, scale = 2 / epsilon;
  const auto ratio = [&](double rows) {
    const auto a = exponential_distribution({0, rows}, scale), b = exponential_distribution({1, rows - 1}, scale);
    return std::log(b[1] / a[1]);
  };
  EXPECT_LE(ratio(40), epsilon);
  EXPECT_GE(ratio(40), 0.999 * epsilon);
}

TEST(FiniteChoice, ChoicesHaveTheirDistribution) {
  const auto table = tests::random_table(12, 0, {2}, true, 5);
  const auto rules = conjunctions(tests::encoding_for(table), 2);
  const auto dataset = tests::dataset_of(table);
  const auto costs = expanded(rules->costs(tests::sums_of(table), {1}));
  for (const ChoiceRule rule : {ChoiceRule::permute_and_flip, ChoiceRule::exponential}) {
    const ClassPlan plan = plan_choice(rules->size(), 12, 1, rule);
    const auto distribution =
        rule == ChoiceRule::exponential ? exponential_distribution(costs, 2) : permute_and_flip_distribution(costs, 2);
    std::vector<testing::Cell> cells;
    for (const double p : distribution) cells.push_back({p, 0});
    for (std::uint64_t seed = 0; seed < 30'000; ++seed) {
      random::SeededBits bits(seed);
      privacy::Curator curator(bits);
      const std::uint64_t chosen = choose_rule(*rules, plan, dataset, curator, {1}).get();
      ASSERT_EQ(curator.events(), std::vector{plan.event});
      ++cells[chosen].observed;
    }
    const testing::Verdict verdict = testing::test_cells(cells);
    EXPECT_TRUE(verdict) << verdict.text;
  }
}

TEST(FiniteChoice, PlansStateThePureBudget) {
  const auto table = tests::random_table(12, 2, {3}, true, 5);
  const auto rules = stumps(tests::encoding_for(table));
  const ClassPlan plan = plan_choice(rules->size(), 1000, 0.5);
  EXPECT_EQ(plan.rules, 2u * 65536 * 2 + 2 * 4);
  EXPECT_TRUE(plan.guarantee.pure);
  EXPECT_LE(plan.guarantee.epsilon, 0.5);
  EXPECT_GT(plan.guarantee.epsilon, 0.4999999);
  EXPECT_NEAR(plan.expected_gap, 4 * std::log(static_cast<double>(plan.rules)), 1e-6);
}

TEST(FiniteChoice, RecordsNeededAreTheKnownOnes) {
  EXPECT_EQ(records_for_agnostic(1000, 1, 0.05, 0.05), 6555u);
  EXPECT_EQ(records_for_agnostic(1000, 0.1, 0.05, 0.05), 13018u);
  EXPECT_EQ(records_for_agnostic(1e6, 0.5, 0.01, 0.01), 246999u);
  EXPECT_EQ(records_for_realisable(1000, 1, 0.05, 0.05), 1696u);
  EXPECT_EQ(records_for_realisable(1000, 0.1, 0.05, 0.05), 8478u);
  EXPECT_NEAR(gap_bound(1000, 1, 0.05), 19.8069751051, 1e-9);
}

TEST(FiniteChoice, ErrorsAreTheInverseOfRecords) {
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    for (const double alpha : {0.01, 0.2}) {
      const auto agnostic = static_cast<double>(records_for_agnostic(1e6, epsilon, alpha, 0.05));
      EXPECT_LE(agnostic_error(1e6, agnostic, epsilon, 0.05), alpha);
      EXPECT_GT(agnostic_error(1e6, agnostic - 1, epsilon, 0.05), alpha);
      const auto realisable = static_cast<double>(records_for_realisable(1e6, epsilon, alpha, 0.05));
      EXPECT_LE(realisable_error(1e6, realisable, epsilon, 0.05), alpha);
      EXPECT_GT(realisable_error(1e6, realisable - 1, epsilon, 0.05), alpha);
    }
  }
  EXPECT_EQ(agnostic_error(1e6, 1, 1, 0.05), 1);
  EXPECT_EQ(realisable_error(1e6, 1, 1, 0.05), 1);
}

// With as many records as the theorem asks for, the true error is within alpha of the best rule's.
TEST(FiniteChoice, TheoremHoldsOnAnAgnosticProblem) {
  const double alpha = 0.1, beta = 0.1, epsilon = 0.5;
  const std::size_t parts = 20;
  const std::size_t rows = records_for_agnostic(static_cast<double>(interval_count(parts)), epsilon, alpha, beta);
  // Labels are positive with probability 0.8 in the middle half and 0.2 outside: the best rule errs with 0.2.
  std::mt19937_64 random(3);
  int misses = 0;
  constexpr int kRuns = 40;
  for (int run = 0; run < kRuns; ++run) {
    tests::EncodedTable table{{std::vector<std::int16_t>(rows)}, {}, {}, std::vector<std::int32_t>(rows)};
    for (std::size_t r = 0; r < rows; ++r) {
      const auto part = random() % parts;
      table.reals[0][r] = static_cast<std::int16_t>((part * 2 + 1) * 65535 / (2 * parts) - 32767);
      const bool middle = part >= parts / 4 && part < 3 * parts / 4;
      table.targets[r] = (random() % 10 < 8) == middle ? 1 : -1;
    }
    const auto rules = intervals(tests::encoding_for(table), 0, parts);
    random::SeededBits bits(static_cast<std::uint64_t>(run));
    privacy::Curator curator(bits);
    const auto chosen = rules->hypothesis(
        choose_rule(*rules, plan_choice(rules->size(), rows, epsilon), tests::dataset_of(table), curator, {1}).get());
    double error = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::int16_t q[] = {static_cast<std::int16_t>((part * 2 + 1) * 65535 / (2 * parts) - 32767)};
      const bool middle = part >= parts / 4 && part < 3 * parts / 4;
      error += (predict(chosen, {q, {}}) == middle ? 0.2 : 0.8) / static_cast<double>(parts);
    }
    misses += error > 0.2 + alpha;
  }
  EXPECT_LE(misses, kRuns / 5);  // the theorem allows 4 of 40 on average; it is far from tight
}

TEST(FiniteChoice, FindsAPlantedStump) {
  auto table = tests::random_table(2000, 3, {4}, true, 8);
  for (std::size_t r = 0; r < 2000; ++r) table.targets[r] = table.reals[2][r] >= 5000 ? -1 : 1;
  const auto encoding = tests::encoding_for(table);
  const auto rules = stumps(encoding);
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const auto chosen = rules->hypothesis(
      choose_rule(*rules, plan_choice(rules->size(), 2000, 1), tests::dataset_of(table), curator, {1}).get());
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < 2000; ++r) {
    const std::int16_t reals[] = {table.reals[0][r], table.reals[1][r], table.reals[2][r]};
    const std::uint32_t codes[] = {table.codes[0][r]};
    wrong += predict(chosen, {reals, codes}) != (table.targets[r] > 0);
  }
  EXPECT_LE(wrong, 60u);
  EXPECT_NE(describe(chosen, encoding).find("2 real"), std::string::npos);
}

// Four billion limits on a million rows: as many runs as distinct values, and a few exact weights.
TEST(FiniteChoice, FourBillionThresholdsOnAMillionRows) {
  std::mt19937_64 random(4);
  std::vector<LabelledValue> rows(1'000'000);
  for (LabelledValue& row : rows) {
    row.value = random() >> 32;
    row.positive = (row.value >= 3'000'000'000) != (random() % 10 == 0);
  }
  const std::uint64_t domain = std::uint64_t{1} << 32;
  const auto runs = threshold_costs(std::move(rows), domain, false);
  random::SeededBits bits(1);
  const auto exponential = static_cast<double>(random::choose_exponential(bits, runs, {2, 1}));
  const auto flipped = static_cast<double>(random::permute_and_flip(bits, runs, {2, 1}));
  // About 100 errors above the best are 125 rows, or half a million values, away.
  EXPECT_NEAR(exponential, 3e9, 1e6);
  EXPECT_NEAR(flipped, 3e9, 1e6);
}

TEST(FiniteChoice, RefusesWhatItCannotKeep) {
  const auto table = tests::random_table(12, 2, {3}, true, 5);
  const auto encoding = tests::encoding_for(table);
  EXPECT_THROW(thresholds(encoding, 2), ArgumentError);
  EXPECT_THROW(thresholds(encoding, 1, 0), ArgumentError);
  EXPECT_THROW(thresholds(encoding, 1, kMostThresholdParts + 1), ArgumentError);
  EXPECT_THROW(intervals(encoding, 0, 0), ArgumentError);
  EXPECT_THROW(intervals(encoding, 0, 60000), ArgumentError);
  EXPECT_THROW(rectangles(encoding, 0, 0, 4), ArgumentError);
  EXPECT_THROW(rectangles(encoding, 0, 1, 200), ArgumentError);
  EXPECT_THROW(conjunctions(tests::encoding_for(tests::random_table(3, 0, {40}, true, 5)), 8), ArgumentError);
  EXPECT_THROW(conjunctions(tests::encoding_for(tests::random_table(3, 1, {}, true, 5)), 2), ArgumentError);
  EXPECT_THROW(halfspaces(encoding, 0, 4), ArgumentError);
  EXPECT_THROW(halfspaces(encoding, 100, 1000), ArgumentError);
  const auto rules = stumps(encoding);
  EXPECT_THROW(plan_choice(rules->size(), 0, 1), ArgumentError);
  EXPECT_THROW(plan_choice(rules->size(), 12, std::nan("")), ArgumentError);
  EXPECT_THROW(records_for_agnostic(1000, 1, 0, 0.1), ArgumentError);
  EXPECT_THROW(records_for_agnostic(1000, 1, std::nan(""), 0.1), ArgumentError);
  EXPECT_THROW(records_for_agnostic(0, 1, 0.1, 0.1), ArgumentError);
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  EXPECT_THROW(choose_rule(*rules, plan_choice(rules->size(), 13, 1), tests::dataset_of(table), curator, {}),
               ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

}  // namespace
}  // namespace dperm::methods
