// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/methods/exponential_rules/finite_choice.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/rules/class_spec.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::methods {
namespace {

using namespace rules;

const Method& method() { return method_named("exponential"); }

Task task_for(const tests::EncodedTable& table, const std::string& rules, double epsilon = 1) {
  Task task;
  task.problem.loss.kind = loss::LossKind::zero_one;
  task.problem.rules = rules;
  task.facts = facts_of(tests::encoding_for(table), task.problem, table.rows());
  task.budget = {epsilon, 0};
  return task;
}

std::uint64_t chosen(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed, int threads = 1) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return static_cast<std::uint64_t>(fit(plan, dataset, curator, {{threads}, {}}).weights.get().at(0));
}

std::vector<std::int64_t> errors_of(const tests::EncodedTable& table, const std::string& rules) {
  std::vector<std::int64_t> errors;
  const auto made = make_class(tests::encoding_for(table), parse_class(rules));
  for (const auto& run : made->costs(tests::sums_of(table), {1})) errors.insert(errors.end(), run.size, run.cost);
  return errors;
}

// p_r times the integral of prod_{j != r} (1 - p_j t); or exp(-cost / scale) over its sum.
std::vector<double> distribution_of(const std::vector<std::int64_t>& errors, double scale, bool flip) {
  const auto best = *std::min_element(errors.begin(), errors.end());
  std::vector<double> accept, distribution;
  for (const auto each : errors) accept.push_back(std::exp(-static_cast<double>(each - best) / scale));
  for (std::size_t r = 0; r < errors.size(); ++r) {
    std::vector<double> polynomial{1};
    for (std::size_t j = 0; j < errors.size() && flip; ++j) {
      if (j == r) continue;
      polynomial.push_back(0);
      for (std::size_t k = polynomial.size() - 1; k > 0; --k) polynomial[k] -= accept[j] * polynomial[k - 1];
    }
    double integral = 0;
    for (std::size_t k = 0; k < polynomial.size(); ++k) integral += polynomial[k] / static_cast<double>(k + 1);
    distribution.push_back(accept[r] * integral);
  }
  double sum = 0;
  for (const double p : distribution) sum += p;
  for (double& p : distribution) p /= sum;
  return distribution;
}

// A real column of `parts` equally likely cells; labels agree with "the upper half" but for a share of `noise` / 10.
tests::EncodedTable upper_half(std::size_t rows, std::size_t parts, unsigned noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  tests::EncodedTable table{{std::vector<std::int16_t>(rows)}, {}, {}, std::vector<std::int32_t>(rows)};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t part = random() % parts;
    table.reals[0][r] = static_cast<std::int16_t>((part * 2 + 1) * 65535 / (2 * parts) - 32767);
    table.targets[r] = (random() % 10 < noise) != (2 * part >= parts) ? 1 : -1;
  }
  return table;
}

TEST(ExponentialRules, PlansAPureChoiceForEveryClass) {
  const auto table = tests::random_table(40, 2, {3}, true, 5);
  for (const char* rules : {"stumps", "thresholds(1 real)", "intervals(0 real, parts=6)", "conjunctions(literals=2)",
                            "rectangles(0 real, 1 real, parts=3)", "halfspaces(parts=4)", "rules\nnever\nalways\n"}) {
    Task task = task_for(table, rules, 0.7);
    task.budget.delta = 1e-6;  // not needed, hence not used
    const Plan plan = method().plan(task, {});
    EXPECT_TRUE(plan.guarantee.pure) << rules;
    EXPECT_LE(plan.guarantee.epsilon, 0.7);
    EXPECT_GT(plan.guarantee.epsilon, 0.7 * (1 - 1e-6));
    const auto number = static_cast<double>(plan.task.facts.rules);
    EXPECT_NEAR(plan.utility.excess_risk, std::min(1.0, 2 * std::log(number) / 0.7 / 40), 1e-6);
    random::SeededBits bits(1);
    privacy::Curator curator(bits);
    const FitResult result = fit(plan, tests::dataset_of(table), curator, {});
    EXPECT_EQ(result.events, plan.events);
    ASSERT_EQ(result.weights.get().size(), 1u);
    EXPECT_LT(result.weights.get()[0], number);
    for (const int threads : {2, 8}) {
      EXPECT_EQ(static_cast<double>(chosen(plan, tests::dataset_of(table, 64), 1, threads)), result.weights.get()[0]);
    }
  }
}

TEST(ExponentialRules, FitsHaveTheExactDistribution) {
  const auto table = tests::random_table(9, 1, {2}, true, 4);
  const auto dataset = tests::dataset_of(table);
  for (const std::string rules :
       {"conjunctions(literals=2)", "rules\nnever\n\"0 real\" >= 0\n\"0 category\" = 1\nalways\n"}) {
    for (const char* choice : {"permute-and-flip", "exponential"}) {
      const Plan plan = method().plan(task_for(table, rules), {{"choice", choice}});
      std::vector<testing::Cell> cells;
      for (const double p : distribution_of(errors_of(table, rules), 2, choice[0] == 'p')) cells.push_back({p, 0});
      for (std::uint64_t seed = 0; seed < 10'000; ++seed) ++cells[chosen(plan, dataset, seed)].observed;
      const testing::Verdict verdict = testing::test_cells(cells);
      EXPECT_TRUE(verdict) << rules << choice << verdict.text;
    }
  }
}

// All tables of four rows with a category of two levels (or none) and two labels, and every replacement of the first
// row.
TEST(ExponentialRules, NoNeighboursDifferByMoreThanEpsilon) {
  const double epsilon = 1.5;
  constexpr std::size_t kTables = 6 * 6 * 6 * 6;
  const auto table_of = [](std::size_t code) {
    tests::EncodedTable table{{}, {2}, {std::vector<std::uint32_t>(4)}, std::vector<std::int32_t>(4)};
    for (std::size_t r = 0; r < 4; ++r, code /= 6) {
      table.codes[0][r] = static_cast<std::uint32_t>(code % 3);
      table.targets[r] = code % 6 < 3 ? 1 : -1;
    }
    return table;
  };
  for (const bool flip : {false, true}) {
    std::vector<std::vector<double>> distributions;
    for (std::size_t code = 0; code < kTables; ++code) {
      distributions.push_back(
          distribution_of(errors_of(table_of(code), "conjunctions(literals=2)"), 2 / epsilon, flip));
    }
    double largest = 0;
    for (std::size_t code = 0; code < kTables; ++code) {
      for (std::size_t other = code - code % 6; other < code - code % 6 + 6; ++other) {
        for (std::size_t i = 0; i < distributions[0].size(); ++i) {
          largest = std::max(largest, std::abs(std::log(distributions[code][i] / distributions[other][i])));
        }
      }
    }
    EXPECT_LE(largest, epsilon * (1 + 1e-9));
    EXPECT_GE(largest, 0.6 * epsilon);
  }
}

// Evenly spaced rows, and the upper half says yes: the g-th row away from the middle is g errors away from the best
// threshold, so the errors above the best follow exp(-g / scale) and fall like 1 / (n epsilon).
TEST(ExponentialRules, TrainingErrorsKeepThePromiseAndFallWithRowsTimesEpsilon) {
  const double beta = 0.05;
  constexpr int kRuns = 200;
  std::vector<double> x, y, spread;
  for (const auto& [rows, epsilon] :
       std::vector<std::pair<std::size_t, double>>{{1000, 0.1}, {2000, 0.1}, {2000, 0.3}, {8000, 0.3}}) {
    tests::EncodedTable table{{std::vector<std::int16_t>(rows)}, {}, {}, std::vector<std::int32_t>(rows)};
    for (std::size_t r = 0; r < rows; ++r) {
      table.reals[0][r] = static_cast<std::int16_t>((2 * r + 1) * 65535 / (2 * rows) - 32767);
      table.targets[r] = 2 * r >= rows ? 1 : -1;
    }
    const auto errors = errors_of(table, "thresholds(0 real)");
    ASSERT_EQ(*std::min_element(errors.begin(), errors.end()), 0);
    const Plan plan = method().plan(task_for(table, "thresholds(0 real)", epsilon), {});
    const auto dataset = tests::dataset_of(table);
    const double promised = 2 / epsilon * (std::log(static_cast<double>(errors.size())) - std::log(beta));
    const double n = static_cast<double>(rows);
    double sum = 0, squares = 0;
    std::uint64_t missed = 0;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      const double excess = static_cast<double>(errors[chosen(plan, dataset, run)]) / n;
      sum += excess;
      squares += excess * excess;
      missed += excess * n > promised;
    }
    const double mean = sum / kRuns;
    EXPECT_LE(mean, plan.utility.excess_risk) << rows;
    EXPECT_LE(missed, 33u) << rows;  // Binomial(200, 0.05) exceeds it with chance below 1e-9
    x.push_back(std::log(n * epsilon));
    y.push_back(std::log(mean));
    spread.push_back((squares / kRuns - mean * mean) / kRuns / (mean * mean));  // variance of ln(mean)
  }
  double mx = 0, my = 0, sxx = 0, sxy = 0, variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / 4, my += y[i] / 4;
  for (std::size_t i = 0; i < x.size(); ++i) sxx += (x[i] - mx) * (x[i] - mx), sxy += (x[i] - mx) * (y[i] - my);
  for (std::size_t i = 0; i < x.size(); ++i) variance += spread[i] * std::pow((x[i] - mx) / sxx, 2);
  // Six standard deviations of chance, and 0.02 for errors being integers.
  EXPECT_NEAR(sxy / sxx, -1, 6 * std::sqrt(variance) + 0.02);
  EXPECT_LE(6 * std::sqrt(variance), 0.25) << "the test would not tell 1/n from 1/sqrt(n)";
}

// With as many records as the theorem asks for, the true error is within alpha, but for a share beta of runs.
TEST(ExponentialRules, TheStatedNumberOfRecordsLearns) {
  const double alpha = 0.1, beta = 0.2, epsilon = 0.3;
  constexpr std::size_t kParts = 20;
  constexpr int kRuns = 60;
  const std::string rules = "intervals(0 real, parts=20)";
  for (const unsigned noise : {0u, 2u}) {
    const std::size_t rows = noise == 0 ? records_for_realisable(211, epsilon, alpha, beta)
                                        : records_for_agnostic(211, epsilon, alpha, beta);
    const auto encoding = tests::encoding_for(upper_half(1, kParts, noise, 1));
    const auto made = make_class(encoding, parse_class(rules));
    ASSERT_EQ(made->size(), 211u);
    int missed = 0;
    for (int run = 0; run < kRuns; ++run) {
      const auto table = upper_half(rows, kParts, noise, static_cast<std::uint64_t>(run));
      const Plan plan = method().plan(task_for(table, rules, epsilon), {});
      const Hypothesis rule = made->hypothesis(chosen(plan, tests::dataset_of(table), static_cast<std::uint64_t>(run)));
      double error = 0;
      for (std::size_t part = 0; part < kParts; ++part) {
        const std::int16_t q[] = {static_cast<std::int16_t>((part * 2 + 1) * 65535 / (2 * kParts) - 32767)};
        const bool right = predict(rule, {q, {}}) == (2 * part >= kParts);
        error += (right ? noise : 10 - noise) / 10.0 / kParts;
      }
      missed += error > noise / 10.0 + alpha;
    }
    // Binomial(60, 0.2) exceeds 33 with chance below 1e-9.
    EXPECT_LE(missed, 33) << noise;
  }
}

TEST(ExponentialRules, PredictionsAreTheRules) {
  const auto table = tests::random_table(200, 2, {3}, true, 6);
  const auto encoding = tests::encoding_for(table);
  const FittedModel model{task_for(table, "stumps"), {12345}};
  const auto rule = make_class(encoding, parse_class("stumps"))->hypothesis(12345);
  const auto sums = tests::sums_of(table, 64);
  const auto answers = outputs(sums, encoding, model, {2});
  std::int64_t wrong = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::int16_t reals[] = {table.reals[0][r], table.reals[1][r]};
    const std::uint32_t codes[] = {table.codes[0][r]};
    ASSERT_EQ(answers[r], predict(rule, {reals, codes}) ? 1 : -1);
    wrong += predict(rule, {reals, codes}) != (table.targets[r] > 0);
  }
  EXPECT_EQ(error_count(sums, encoding, model, {2}), wrong);
  for (const double bad : {-1.0, 0.5, 262152.0, std::nan(""), 1e300}) {
    EXPECT_THROW(outputs(sums, encoding, {model.task, {bad}}, {1}), ArgumentError) << bad;
  }
}

TEST(ExponentialRules, RefusesWhatHasNoMeaningForRules) {
  const auto table = tests::random_table(40, 2, {3}, true, 5);
  const Task good = task_for(table, "stumps");
  const auto refused = [&](auto change) {
    Task task = good;
    change(task);
    EXPECT_THROW(method().plan(task, {}), ArgumentError);
  };
  refused([](Task& q) { q.problem.feasible_set = {loss::SetKind::ball, 1}; });
  refused([](Task& q) { q.problem.l2_penalty = 0.1; });
  refused([](Task& q) { q.problem.hidden = {3}; });
  refused([](Task& q) { q.problem.rules = ""; });
  refused([](Task& q) { q.facts.rules = 0; });
  refused([](Task& q) { q.facts.rules = (std::uint64_t{1} << 53) + 1; });
  refused([](Task& q) { q.facts.classes = 3; });
  refused([](Task& q) { q.budget.epsilon = std::nan(""); });
  EXPECT_THROW(method().plan(good, {{"failure_probability", "0"}}), ArgumentError);
  EXPECT_THROW(method().plan(good, {{"choice", "best"}}), ArgumentError);
  EXPECT_THROW(method().plan(good, {{"grid_bits", "4"}}), ArgumentError);
  // A plan for another class, or for other data, releases nothing.
  Task other = good;
  other.facts.rules = 7;
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  EXPECT_THROW(fit(method().plan(other, {}), tests::dataset_of(table), curator, {}), ArgumentError);
  const auto longer = tests::random_table(41, 2, {3}, true, 5);
  EXPECT_THROW(fit(method().plan(good, {}), tests::dataset_of(longer), curator, {}), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

}  // namespace
}  // namespace dperm::methods
