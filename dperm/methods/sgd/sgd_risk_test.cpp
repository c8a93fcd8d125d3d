// SPDX-License-Identifier: Apache-2.0
// The utility theorem of plain steps on samples: its formula, its preconditions, and runs that keep it.
#include "dperm/methods/sgd/sgd_risk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/engine/network/clipped_error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/sgd/sgd_settings.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/random/choice/coin_sample.hpp"
#include "dperm/random/choice/subset.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

using Options = std::map<std::string, std::string>;

const privacy::SampledGaussianEvent& mechanism_of(const Plan& plan) {
  return std::get<privacy::SampledGaussianEvent>(plan.events.at(0).mechanism);
}

// 400 rows, 2 columns, hinge, R = 1: every number of the bound worked out in encoded units, but for what rounding adds
// (`RowError.*`), below a thousandth.
TEST(SgdRisk, IsTheFormulaOfItsNote) {
  const auto table = tests::random_table(400, 0, {16}, true, 1);
  for (const char* sampling : {"poisson", "fixed-size"}) {
    for (const double penalty : {0.0, 0.5}) {
      Task task = tests::task_in_ball(table, loss::LossKind::hinge, 1);
      task.problem.l2_penalty = penalty;
      const Options options{{"optimiser", "plain"}, {"sampling", sampling}, {"steps", "200"}, {"batch", "40"}};
      const Plan plan = method_named("sgd").plan(task, options);
      const double noise = mechanism_of(plan).sigma * 0x1p-24 * std::sqrt(2.0) / (40 * std::sqrt(2.0));
      const double of_sample = (sampling[0] == 'p' ? 0.9 : 360.0 / 399) / 40;
      const double square = (1 + penalty) * (1 + penalty) + of_sample + 17 * noise * noise;
      const double least = network::least_clip(linear_rows(task));
      const double rounding = followed_risk(task, least).error;
      EXPECT_LT(rounding, 1e-3);
      // Twice the radius times the error of a gradient, and twice that of a score.
      const network::RowError row = network::row_error(linear_rows(task), least);
      EXPECT_NEAR(rounding, 2 * row.gradient / std::sqrt(2.0) + 2 * row.score, 1e-9);
      EXPECT_NEAR(plan.utility.excess_risk / (std::sqrt(square / 200) + rounding), 1, 2e-3) << sampling;
      Options slower = options;
      slower["learning_rate"] = "0.01";  // 0.02 in encoded units
      slower["average_fraction"] = "0.5";
      const double twice = 2 * (1 / (2 * 0.02 * 200) + 0.01 * square + rounding);
      EXPECT_NEAR(method_named("sgd").plan(task, slower).utility.excess_risk / twice, 1, 2e-3);
    }
  }
  const Task smooth = tests::task_in_ball(table, loss::LossKind::logistic, 1);
  const Plan plan = method_named("sgd").plan(
      smooth, {{"optimiser", "plain"}, {"steps", "200"}, {"batch", "40"}, {"learning_rate", "0.1"}});  // 0.2
  const double steepest = 1 / (1 + std::exp(-1.0));
  const double noise = mechanism_of(plan).sigma * 0x1p-24 * steepest / 40;
  const double variance = steepest * steepest * 0.9 / 40 + 17 * noise * noise;
  const double rounding = followed_risk(smooth, network::least_clip(linear_rows(smooth))).error;
  const double expected = 1 / (2 * 0.2 * 200) + 0.2 * variance / (2 * (1 - 0.2 / 4)) + rounding;
  EXPECT_NEAR(plan.utility.excess_risk / expected, 1, 3e-3);
}

TEST(SgdRisk, TheAutomaticLearningRateMinimisesTheBound) {
  const auto table = tests::random_table(400, 0, {16}, true, 1);
  for (const auto kind : {loss::LossKind::hinge, loss::LossKind::logistic}) {
    const Task task = tests::task_in_ball(table, kind, 2);
    const Plan best = method_named("sgd").plan(task, {{"optimiser", "plain"}});
    const SgdSettings s = sgd_settings(task, options_from<SgdOptions>({{"optimiser", "plain"}}));
    EXPECT_EQ(s.optimiser.averaged, s.steps);
    EXPECT_EQ(s.optimiser.average_before, kind == loss::LossKind::hinge);
    for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
      const std::string rate = std::to_string(factor * s.optimiser.learning_rate);
      EXPECT_GT(method_named("sgd").plan(task, {{"optimiser", "plain"}, {"learning_rate", rate}}).utility.excess_risk,
                best.utility.excess_risk)
          << factor;
    }
  }
}

TEST(SgdRisk, NothingIsPromisedWhereAPreconditionFails) {
  const auto table = tests::random_table(400, 2, {3}, true, 1);
  const Task good = tests::task_in_ball(table, loss::LossKind::logistic, 2);
  const auto expect_gap = [&](const Task& task, const Options& options, const char* names) {
    const UtilityBound bound = method_named("sgd").plan(task, options).utility;
    EXPECT_TRUE(std::isinf(bound.excess_risk)) << names;
    EXPECT_NE(bound.theorem.find(names), std::string::npos) << bound.theorem;
  };
  const Options plain{{"optimiser", "plain"}};
  EXPECT_LT(method_named("sgd").plan(good, plain).utility.excess_risk, 1);
  expect_gap(good, {}, "`optimiser = plain`");
  expect_gap(good, {{"optimiser", "momentum"}}, "`optimiser = plain`");
  expect_gap(good, {{"optimiser", "plain"}, {"learning_rate", "1.1"}}, "`learning_rate` below 1 ");  // 4 / m
  EXPECT_TRUE(std::isfinite(
      method_named("sgd").plan(good, {{"optimiser", "plain"}, {"learning_rate", "0.99"}}).utility.excess_risk));
  const double least = network::least_clip(linear_rows(good));
  EXPECT_GT(least, 2 / (1 + std::exp(-2.0))) << "the longest gradient: 2 = sqrt(m)";
  expect_gap(good, {{"optimiser", "plain"}, {"clip", std::to_string(0.9999 * least)}}, "`clip = auto` or at least");
  EXPECT_TRUE(std::isfinite(method_named("sgd")
                                .plan(good, {{"optimiser", "plain"}, {"clip", std::to_string(1.0001 * least)}})
                                .utility.excess_risk));
  Task other = good;
  other.problem.feasible_set = {};
  expect_gap(other, plain, "`radius` or `box`");
  other.problem.feasible_set = {loss::SetKind::ball, 1e20};
  expect_gap(other, plain, "`radius` or `box`");
  other = good;
  other.problem.hidden = {3};
  expect_gap(other, plain, "hidden layers");
  // A learning rate so large that weights would be held at their largest size.
  other = tests::task_in_ball(table, loss::LossKind::hinge, 2);
  const Options huge{{"optimiser", "plain"}, {"learning_rate", "1e12"}, {"clip", "1e17"}};
  expect_gap(other, huge, "`learning_rate` below");
  EXPECT_EQ(method_named("sgd").plan(other, huge).utility.theorem.find("below 0 "), std::string::npos)
      << "a kink sets no limit";
}

// Two rows that pull against each other, many times: the sample's variance is as large as it can be. A mean of squares
// of 4000 normal numbers (the sample, along one direction) or of 300 times 17 (mostly noise) has a relative standard
// error of at most 2.3%, a sixth of what is allowed.
TEST(SgdRisk, TheVarianceOfAStepIsAsPromised) {
  auto table = tests::random_table(300, 0, {16}, true, 3);
  for (std::size_t row = 0; row < 300; ++row) {
    table.codes[0][row] = 5;
    table.targets[row] = row % 2 == 0 ? 1 : -1;
  }
  for (const char* sampling : {"poisson", "fixed-size"}) {
    for (const double epsilon : {0.5, 20.0}) {  // mostly noise, mostly the sample
      Task task = tests::task_in_ball(table, loss::LossKind::hinge, 1);
      task.budget.epsilon = epsilon;
      const Options options{{"optimiser", "plain"}, {"sampling", sampling}, {"steps", "50"}, {"batch", "30"}};
      const SgdSettings s = sgd_settings(task, options_from<SgdOptions>(options));
      const auto& event = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
      const engine::TileSums rows = tests::sums_of(table);
      const std::vector<double> zeros(17, 0.0);
      random::SeededBits bits(8);
      double square = 0;
      const int draws = epsilon > 1 ? 4000 : 300;
      for (int draw = 0; draw < draws; ++draw) {
        const network::ClippedQuery query{s.shape, task.problem.loss, zeros, s.clip};
        const auto sum = sampling[0] == 'p'
                             ? rows.clipped_gradient(query, *random::draw_sample(bits, 300, event.rate), {1})
                             : rows.clipped_gradient(query, random::fixed_subset(bits, 300, 30), {1});
        std::vector<std::int64_t> noise(17);
        random::rounded_gaussians(bits, event.sigma, noise);
        for (std::size_t j = 0; j < 17; ++j) {
          const double step = static_cast<double>(sum[j] + noise[j]) * s.mean_scale / s.weight_unit;
          square += step * step / draws;  // the mean is 0
        }
      }
      const double promised = step_variance(followed_risk(task, s.clip), task, event, s.clip, 30);
      EXPECT_NEAR(square / promised, 1, 0.14) << sampling << ", epsilon " << epsilon;
    }
  }
}

double measured_excess(const Plan& plan, const data::Dataset& dataset, int runs,
                       const std::function<double(const std::vector<double>&)>& risk, double least) {
  double excess = 0;
  for (int seed = 0; seed < runs; ++seed) {
    random::SeededBits bits(static_cast<std::uint64_t>(seed));
    privacy::Curator curator(bits, plan.guarantee.neighbours);
    excess += (risk(fit(plan, dataset, curator, {{1}, {}}).weights.get()) - least) / runs;
  }
  return excess;
}

TEST(SgdRisk, RunsStayBelowTheBound) {
  struct Variation {
    const char* name;
    Options options;
    loss::FeasibleSet set = {loss::SetKind::ball, 2};
    double penalty = 0;
  };
  const std::vector<Variation> variations = {
      {"as it comes", {}},
      {"fixed size", {{"sampling", "fixed-size"}, {"batch", "60"}}},
      {"add-remove, half of the iterates", {{"neighbours", "add-remove"}, {"average_fraction", "0.5"}}},
      {"penalty in a box", {}, {loss::SetKind::box, 0.7}, 0.3},
      {"tiny batches", {{"batch", "2"}, {"steps", "100"}}},
  };
  for (const auto kind :
       {loss::LossKind::logistic, loss::LossKind::hinge, loss::LossKind::squared, loss::LossKind::absolute}) {
    const auto table = tests::learnable_table(300, 2, {3}, loss::is_classification(kind), 9);
    const data::Dataset dataset = tests::dataset_of(table);
    for (const Variation& variation : variations) {
      Task task = tests::task_in_ball(table, kind, 2);
      task.problem.feasible_set = variation.set;
      task.problem.l2_penalty = variation.penalty;
      Options options = variation.options;
      options["optimiser"] = "plain";
      const Plan plan = method_named("sgd").plan(task, options);
      const auto risk = [&](const std::vector<double>& w) { return tests::plain_risk(table, task.problem, w); };
      const double least = risk(tests::minimum(table, task.problem));
      const double excess = measured_excess(plan, dataset, 10, risk, least);
      EXPECT_LE(excess, plan.utility.excess_risk) << loss::name(kind) << ", " << variation.name;
      EXPECT_GT(excess, -1e-6) << "the reference minimum is no minimum";
    }
  }
}

TEST(SgdRisk, SoftmaxStaysBelowItsBoundToo) {
  auto table = tests::class_table(400, 2, {3}, 3, 9);
  table.classes = 3;
  Task task = tests::task_in_ball(table, loss::LossKind::softmax, 3);
  task.budget.epsilon = 4;
  const Plan plan = method_named("sgd").plan(task, {{"optimiser", "plain"}});
  const auto risk = [&](const std::vector<double>& w) { return tests::softmax_risk(table, 3, 0, w); };
  const double least = risk(tests::softmax_minimum(table, 3, task.problem));
  const double excess = measured_excess(plan, tests::dataset_of(table), 10, risk, least);
  EXPECT_LE(excess, plan.utility.excess_risk);
  EXPECT_GT(excess, -1e-6);
  EXPECT_LT(plan.utility.excess_risk, 1) << "this bound would promise nothing";
}

}  // namespace
}  // namespace dperm::methods
