// SPDX-License-Identifier: Apache-2.0
#include "dperm/rules/class_costs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "dperm/rules/finite_class.hpp"
#include "dperm/rules/rule_text.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::rules {
namespace {

double weight(const random::CostRun& run, double scale) {
  return static_cast<double>(run.size) * std::exp(-static_cast<double>(run.cost) / scale);
}

// Values 0..9, labels (2, -), (5, +), (7, +): eleven thresholds in four runs.
TEST(ThresholdCosts, HaveTheRunsOfAKnownCase) {
  const auto runs = threshold_costs({{7, true}, {2, false}, {5, true}}, 10, false);
  const std::uint64_t sizes[] = {3, 3, 2, 3};
  const std::int64_t errors[] = {1, 0, 1, 2};
  const double known[] = {0.254977245256, 0.420386407797, 0.16998483017, 0.154651516777};
  ASSERT_EQ(runs.size(), 4u);
  double sum = 0;
  for (const auto& run : runs) sum += weight(run, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(runs[i].size, sizes[i]);
    EXPECT_EQ(runs[i].cost, errors[i]);
    EXPECT_NEAR(weight(runs[i], 2) / sum, known[i], 1e-12);
  }
}

TEST(ThresholdCosts, CountsAndValuesAgree) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    engine::LabelCounts counts{std::vector<std::int64_t>(7, 0), std::vector<std::int64_t>(7, 0)};
    std::vector<LabelledValue> rows;
    for (std::size_t i = 0; i < 1 + random() % 12; ++i) {
      rows.push_back({random() % 7, random() % 2 == 0});
      ++(rows.back().positive ? counts.positive : counts.negative)[rows.back().value];
    }
    const auto a = threshold_costs(counts, true), b = threshold_costs(rows, 7, true);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].size, b[i].size);
      EXPECT_EQ(a[i].cost, b[i].cost);
    }
  }
}

// Values 0..4, labels (1, +), (3, -), (4, +), scale 1: fifteen intervals and "never".
TEST(IntervalCosts, HaveTheWeightsOfAKnownCase) {
  const engine::LabelCounts counts{{0, 0, 0, 1, 0}, {0, 1, 0, 0, 1}};
  const auto runs = interval_costs(counts);
  double sum = 0, at_most_one = 0;
  std::uint64_t rules = 0;
  for (const auto& run : runs) {
    sum += weight(run, 1);
    if (run.cost <= 1) at_most_one += weight(run, 1);
    rules += run.size;
  }
  EXPECT_EQ(rules, interval_count(5));
  EXPECT_NEAR(sum, 3.62207720759, 1e-11);
  EXPECT_NEAR(at_most_one / sum, 0.710961125512, 1e-12);
  EXPECT_NEAR(std::exp(-1) / sum, 0.101565875073, 1e-12) << "[1, 2) makes one error";
}

TEST(RuleNumbers, CountEveryIntervalAndConjunctionOnce) {
  std::uint64_t number = 1;
  for (std::size_t begin = 0; begin < 6; ++begin) {
    for (std::size_t end = begin + 1; end <= 6; ++end) EXPECT_EQ(interval_of(number++, 6), (CellRange{begin, end}));
  }
  EXPECT_EQ(number, interval_count(6));
  EXPECT_EQ(conjunction_count(6, 3), 1u + 6 + 15 + 20);
  EXPECT_EQ(conjunction_of(0, 6, 3), std::vector<std::size_t>{});
  EXPECT_EQ(conjunction_of(6, 6, 3), std::vector<std::size_t>{5});
  EXPECT_EQ(conjunction_of(7, 6, 3), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(conjunction_of(41, 6, 3), (std::vector<std::size_t>{3, 4, 5}));
  for (const std::size_t most : {29u, 30u, 31u, 1000u}) {
    EXPECT_EQ(conjunction_count(1'000'000, most), std::uint64_t{1} << 63) << most;
  }
  EXPECT_EQ(conjunction_count(6, std::numeric_limits<std::size_t>::max()), 64u) << "every subset, and no endless loop";
}

class EveryClass : public ::testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<FiniteClass> make(const schema::Encoding& encoding) {
    const std::string name = GetParam();
    if (name == "thresholds") return thresholds(encoding, 1);
    if (name == "coarse_thresholds") return thresholds(encoding, 1, 10);
    if (name == "fine_thresholds") return thresholds(encoding, 1, 200'001);
    if (name == "intervals") return intervals(encoding, 0, 12);
    if (name == "stumps") return stumps(encoding);
    if (name == "conjunctions") return conjunctions(encoding, 3);
    if (name == "rectangles") return rectangles(encoding, 1, 0, 5);
    return halfspaces(encoding, 2, 9);
  }
};

std::int64_t errors_of(const Hypothesis& hypothesis, const tests::EncodedTable& table) {
  std::int64_t errors = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    std::vector<std::int16_t> reals;
    std::vector<std::uint32_t> codes;
    for (const auto& column : table.reals) reals.push_back(column[r]);
    for (const auto& column : table.codes) codes.push_back(column[r]);
    errors += predict(hypothesis, {reals, codes}) != (table.targets[r] > 0);
  }
  return errors;
}

TEST_P(EveryClass, CostsAreTheErrorsOfTheRuleWithThatNumber) {
  for (const std::size_t rows : {1u, 7u, 64u, 70u}) {
    const auto table = tests::random_table(rows, 2, {2, 3}, true, rows);
    const auto encoding = tests::encoding_for(table);
    const auto rules = make(encoding);
    const auto runs = rules->costs(tests::sums_of(table), {1});
    std::uint64_t number = 0;
    for (const random::CostRun& run : runs) {
      EXPECT_EQ(run.slope, 0);
      // Both ends and a few between: long runs are all limits between two values.
      for (const std::uint64_t offset : {std::uint64_t{0}, run.size / 3, run.size - 1}) {
        const Hypothesis hypothesis = rules->hypothesis(number + offset);
        ASSERT_EQ(run.cost, errors_of(hypothesis, table)) << number + offset << ": " << describe(hypothesis, encoding);
      }
      number += run.size;
    }
    EXPECT_EQ(number, rules->size());
  }
}

TEST_P(EveryClass, ReplacingARowChangesNoRuleByMoreThanOne) {
  auto table = tests::random_table(9, 2, {2, 3}, true, 3);
  const auto rules = make(tests::encoding_for(table));
  const auto expanded = [&](const tests::EncodedTable& data) {
    std::vector<std::int64_t> costs;
    for (const random::CostRun& run : rules->costs(tests::sums_of(data), {1})) {
      costs.insert(costs.end(), run.size, run.cost);
    }
    return costs;
  };
  const auto here = expanded(table);
  for (const std::int16_t q : {std::int16_t{-32767}, std::int16_t{0}, std::int16_t{32767}}) {
    for (const std::uint32_t code : {0u, 1u, 2u}) {
      for (const std::int32_t target : {-1, 1}) {
        auto neighbour = table;
        for (auto& column : neighbour.reals) column[4] = q;
        for (auto& column : neighbour.codes) column[4] = code;
        neighbour.targets[4] = target;
        const auto there = expanded(neighbour);
        std::int64_t most = 0;
        for (std::size_t i = 0; i < here.size(); ++i) most = std::max(most, std::abs(here[i] - there[i]));
        EXPECT_LE(most, 1);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryClass,
                         ::testing::Values("thresholds", "coarse_thresholds", "fine_thresholds", "intervals", "stumps",
                                           "conjunctions", "rectangles", "halfspaces"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace dperm::rules
