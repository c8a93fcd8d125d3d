// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/methods/exponential_regularised/density_target.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::methods {
namespace {

const std::map<std::string, std::string> kYes = {{"regularised", "yes"}};

Task ask(const tests::EncodedTable& table, double epsilon, double delta) {
  return {{}, tests::facts_of(table), {epsilon, delta}};
}

double number(const Plan& plan, std::string_view quantity) {
  for (const DerivationStep& step : plan.derivation) {
    if (step.quantity == quantity) return step.value;
  }
  throw std::logic_error("no such step");
}

TEST(ExponentialRegularised, ChoosesTheDensityOfTheTheorem) {
  // m = sqrt(2 d) / (c R), k = m c^2 with c = mu n / difference; the bound is sqrt(2 d) R / c.
  tests::EncodedTable table = tests::learnable_table(1000, 9, {}, true, 1);
  const Plan plan = method_named("exponential").plan(ask(table, 1, 1e-5), kYes);
  const double mu = privacy::mu_for(1, 1e-5), c = mu * 1000 / 2, radius = 5 * std::sqrt(10.0);
  EXPECT_NEAR(mu, 0.268051123211, 1e-11);
  EXPECT_NEAR(number(plan, "penalty m in the density"), std::sqrt(20.0) / (c * radius),
              1e-3 * std::sqrt(20.0) / (c * radius));
  EXPECT_NEAR(number(plan, "weight k of the mean risk in the density"), std::sqrt(20.0) * c / radius,
              1e-2 * std::sqrt(20.0) * c / radius);
  EXPECT_NEAR(plan.utility.excess_risk, std::sqrt(20.0) * radius / c, 0.01 * std::sqrt(20.0) * radius / c);
  // With R = 1 these are the numbers of the literature's example.
  EXPECT_NEAR(std::sqrt(20.0) / c, 0.0333677837378, 1e-12);
  EXPECT_NEAR(std::sqrt(20.0) * c, 599.380532946, 1e-7);
}

TEST(ExponentialRegularised, PlannedEventsEqualRecordedEventsAndKeepTheBudget) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(300, 2, {3}, true, 1);
  const Plan plan = method.plan(ask(table, 1, 1e-6), {});
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.999) << "budget is wasted";
  EXPECT_FALSE(plan.guarantee.pure);
  EXPECT_FALSE(plan.guarantee.mu) << "the sampler's distance is not Gaussian DP";
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const FitResult result = fit(plan, tests::dataset_of(table), curator, {});
  EXPECT_EQ(result.events, plan.events);
  EXPECT_EQ(privacy::account(result.events, 1e-6), plan.guarantee);
  const Plan again = plan_for(plan.task, plan.options);
  EXPECT_EQ(again.events, plan.events);
  EXPECT_EQ(again.utility.excess_risk, plan.utility.excess_risk);
}

TEST(ExponentialRegularised, ChargesTheSamplersDistanceToDelta) {
  privacy::RegularisedExponentialEvent event{2, 0.3, 10, 0, 0};
  const double mu = 2 * std::sqrt(0.03);
  const auto epsilon = [&](double delta) {
    const std::vector<privacy::PrivacyEvent> events{{"weights", event}};
    return privacy::account(events, delta).epsilon;
  };
  EXPECT_NEAR(epsilon(1e-6), privacy::epsilon_gaussian(mu, 1e-6), 1e-9);
  event.log_error = 0.01;
  EXPECT_NEAR(epsilon(1e-6), 0.02 + privacy::epsilon_gaussian(mu, 1e-6 * std::exp(-0.01)), 1e-9);
  event.log_error = 0;
  event.total_variation = 1e-8;
  const double with = epsilon(1e-6);
  EXPECT_NEAR(with, privacy::epsilon_gaussian(mu, 1e-6 - (1 + std::exp(with)) * 1e-8), 1e-9);
  event.total_variation = 1e-6;
  EXPECT_THROW(epsilon(1e-6), ArgumentError);
}

TEST(ExponentialRegularised, TheTangentPlaneWithItsSlackLiesBelowTheCosts) {
  std::mt19937_64 random(3);
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(200, 3, {}, loss::is_classification(kind), 2);
    const engine::TileSums sums = tests::sums_of(table);
    const loss::Loss loss{.kind = kind};
    const double k = 400, step = 0x1p-50;
    DensityBounds bounds{};
    bounds.risk_weight = k;
    bounds.alpha = 5;
    bounds.smoothness = k * loss::constants(loss, 100).smoothness;
    bounds.eta = 2 / bounds.smoothness;
    bounds.lattice_step = step;
    bounds.value_bound = loss::constants(loss, 20).largest_value;
    bounds.offset = std::sqrt(0.1 / bounds.smoothness);
    bounds.descents = 40;
    bounds.gradients = gradient_lattice(loss, 20, tests::facts_of(table), engine::Resolution::solver);
    const DensityTarget target(sums, loss, bounds, {1});
    const double forward = std::sqrt(bounds.eta) / step, backward = forward / std::sqrt(1 + bounds.alpha * bounds.eta);
    const double weight = k * bounds.value_bound / (engine::steps(engine::Resolution::solver, 200) * 200);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<std::int64_t> y(4), anchor(4), centre(4), x(4);
      for (auto& each : y) each = std::llrint(normal(random) * 3 / step);
      target.prepare(y, anchor, centre);
      double offset = 0, tilt = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        x[j] = centre[j] + std::llrint(normal(random) * (trial % 2 == 0 ? backward : 2 / step));
        offset += std::pow(static_cast<double>(centre[j] - anchor[j]) * step, 2);
        tilt += static_cast<double>((static_cast<long double>(y[j]) / forward / forward -
                                     static_cast<long double>(centre[j]) / backward / backward) *
                                    static_cast<long double>(x[j] - anchor[j]));
      }
      EXPECT_LE(std::sqrt(offset), bounds.offset);
      EXPECT_GE(weight * static_cast<double>(target.cost(x) - target.cost(anchor)) + 1e-5, tilt) << loss::name(kind);
    }
  }
}

TEST(ExponentialRegularised, DrawsFromTheDensity) {
  // One weight, so that the density can be integrated; few rows, so that it is far from a Gaussian.
  const Method& method = method_named("exponential");
  tests::EncodedTable table;
  table.targets = {1, 1, 1, 1, 1, 1, -1, 1};
  Task task = ask(table, 8, 1e-6);
  task.problem.l2_penalty = 0.3;
  const Plan plan = method.plan(task, kYes);
  const double k = number(plan, "weight k of the mean risk in the density"),
               m = number(plan, "penalty m in the density");
  const auto log_density = [&](double w) { return -k * (tests::plain_risk(table, {task.problem.loss, m, {}}, {w})); };
  constexpr int kGrid = 4000;
  constexpr double kReach = 20;
  std::vector<double> cumulative{0};
  for (int i = 0; i < kGrid; ++i) {
    cumulative.push_back(cumulative.back() + std::exp(log_density(kReach * (2 * (i + 0.5) / kGrid - 1))));
  }
  const data::Dataset dataset = tests::dataset_of(table);
  random::SeededBits bits(7);
  constexpr int kCells = 10, kSamples = 400;
  std::vector<dperm::testing::Cell> cells(kCells, {1.0 / kCells, 0});
  for (int i = 0; i < kSamples; ++i) {
    privacy::Curator curator(bits);
    const double w = fit(plan, dataset, curator, {{1}, {}}).weights.get()[0];
    const double place = (w / kReach + 1) / 2 * kGrid;
    const auto cell = static_cast<std::size_t>(place);
    const double below =
        cumulative.at(cell) + (place - std::floor(place)) * (cumulative.at(cell + 1) - cumulative.at(cell));
    ++cells[static_cast<std::size_t>(std::min(kCells - 1.0, below / cumulative.back() * kCells))].observed;
  }
  const auto verdict = dperm::testing::test_cells(cells);
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(ExponentialRegularised, MeasuredRiskStaysUnderThePromise) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(500, 5, {}, true, 4);
  const Plan plan = method.plan(ask(table, 2, 1e-6), {});
  double sum = 0;
  random::SeededBits bits(3);
  const data::Dataset dataset = tests::dataset_of(table);
  for (int run = 0; run < 5; ++run) {
    privacy::Curator curator(bits);
    sum += tests::plain_risk(table, plan.task.problem, fit(plan, dataset, curator, {{1}, {}}).weights.get()) / 5;
  }
  EXPECT_LE(sum, plan.utility.excess_risk + std::log(2)) << "0 is a comparator too";
  EXPECT_LT(sum, std::log(2)) << "nothing was learnt";
}

TEST(ExponentialRegularised, SeededWeightsAreTheSameBitsForAnyThreads) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(200, 4, {}, true, 3);
  const Plan plan = method.plan(ask(table, 1, 1e-6), {});
  const auto seeded = [&](std::size_t height, int threads) {
    random::SeededBits bits(42);
    privacy::Curator curator(bits);
    return fit(plan, tests::dataset_of(table, height), curator, {{threads}, {}}).weights.get();
  };
  EXPECT_EQ(seeded(0, 1), seeded(64, 3));
}

TEST(ExponentialRegularised, RefusesWithTheReason) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(300, 5, {}, true, 1);
  const auto refusal = [&](const Task& task, const std::map<std::string, std::string>& options) -> std::string {
    try {
      method.plan(task, options);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  Task task = ask(table, 1, 1e-6);
  EXPECT_EQ(refusal(task, {}), "");
  EXPECT_TRUE(says(refusal(task, {{"max_steps", "5"}}), "rounds"));
  EXPECT_TRUE(says(refusal(ask(table, 1, 0), {}), "delta > 0"));
  EXPECT_TRUE(says(refusal(ask(table, 1, 0), {{"regularised", "no"}}), "4 weights"));
  EXPECT_TRUE(says(refusal(ask(table, 1, 1e-60), {}), "lattice"));
  task.problem.loss.kind = loss::LossKind::hinge;
  EXPECT_TRUE(says(refusal(task, {}), "kink"));
  task.problem.loss.kind = loss::LossKind::squared;
  EXPECT_TRUE(says(refusal(task, {}), "unbounded slope"));
  task = ask(table, 1, 1e-6);
  task.problem.feasible_set = {loss::SetKind::ball, 3};
  EXPECT_TRUE(says(refusal(task, {}), "feasible set"));
  task = ask(table, 1, 1e-6);
  task.problem.hidden = {8};
  EXPECT_NE(refusal(task, {}), "") << "a network is non-convex";
  task = ask(table, 1, 1e-6);
  task.facts.rows = 1000000000;
  EXPECT_NE(refusal(task, {}), "");
}

}  // namespace
}  // namespace dperm::methods
