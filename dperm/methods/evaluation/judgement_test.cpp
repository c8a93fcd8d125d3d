// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/methods/evaluation/noise_model.hpp"
#include "dperm/methods/evaluation/score_edges.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::methods {
namespace {

FittedModel model_of(const tests::EncodedTable& table, loss::LossKind kind, std::vector<double> weights) {
  Task task;
  task.problem.loss.kind = kind;
  task.facts = tests::facts_of(table);
  return {task, std::move(weights)};
}

JudgementPlan plan_for(const FittedModel& model, const data::Dataset& dataset, std::optional<Budget> budget,
                       const JudgementOptions& options = {}) {
  return plan_judgement(model.task, dataset.encoding(), dataset.rows(), budget, options);
}

Evaluated released(const data::Dataset& dataset, const FittedModel& model, const JudgementPlan& plan,
                   std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return evaluated(judge_privately(dataset, model, plan, curator, {1}), model.task, dataset.encoding().schema().target);
}

// Every record that can be, and what the planned noise is for. Budgets where either noise is the smaller one.
TEST(Judgement, NoReplacedRecordChangesTheSumsByMoreThanTheEventSays) {
  constexpr std::int32_t kOne = schema::kTargetOne;
  for (const loss::LossKind kind : {loss::LossKind::logistic, loss::LossKind::squared, loss::LossKind::softmax}) {
    for (const char* groups : {"", "c0"}) {
      double l1 = 0, l2 = 0;
      tests::EncodedTable one{{{0}}, {2}, {{0}}, {0}, kind == loss::LossKind::softmax ? 3u : 0u};
      const std::vector<std::int32_t> targets = kind == loss::LossKind::softmax
                                                    ? std::vector<std::int32_t>{0, 1, 2}
                                                    : std::vector<std::int32_t>{kOne, kOne / 3, -1, -kOne};
      std::vector<double> weights = {0, 3, 0.5, -0.5};
      if (kind == loss::LossKind::softmax) weights.insert(weights.end(), {0.2, 0, 0, 0, -1, 0, 1, 0});
      const FittedModel model = model_of(one, kind, weights);
      std::vector<std::vector<std::int64_t>> all;
      JudgementPlan plan;
      for (const int q : {-32767, -9000, 0, 9000, 32767}) {
        for (const std::int32_t target : targets) {
          for (const std::uint32_t code : {0u, 1u, 2u}) {
            one.reals[0][0] = static_cast<std::int16_t>(q), one.targets[0] = target, one.codes[0][0] = code;
            const data::Dataset dataset = tests::dataset_of(one);
            plan = plan_for(model, dataset, Budget{1, 1e-6},
                            {.groups = *groups ? dataset.encoding().schema().columns[1].name : ""});
            all.push_back(SensitiveTestAccess::open(judged_sums(dataset, model, plan, edges_for(model, plan), {1})));
          }
        }
      }
      for (const auto& a : all) {
        for (const auto& b : all) {
          double sum = 0, square = 0;
          for (std::size_t i = 0; i < a.size(); ++i) {
            sum += std::abs(static_cast<double>(a[i] - b[i]));
            square += std::pow(static_cast<double>(a[i] - b[i]), 2);
          }
          l1 = std::max(l1, sum), l2 = std::max(l2, std::sqrt(square));
        }
      }
      for (const Budget& budget : {Budget{1, 0}, Budget{1, 0.1}}) {
        const auto event =
            judgement_event(plan_judgement(model.task, tests::encoding_for(one), 1, budget, plan.options));
        if (const auto* laplace = std::get_if<privacy::DiscreteLaplaceEvent>(&event.mechanism)) {
          EXPECT_LE(l1, static_cast<double>(laplace->l1_sensitivity));
          EXPECT_GT(l1, 0.6 * static_cast<double>(laplace->l1_sensitivity)) << "the brute force found nothing";
        } else {
          EXPECT_LE(l2, std::get<privacy::GaussianEvent>(event.mechanism).l2_sensitivity);
        }
        EXPECT_LE(privacy::account(std::vector{event}, budget.delta).epsilon, 1);
        EXPECT_GT(privacy::account(std::vector{event}, budget.delta).epsilon, 0.999);
      }
    }
  }
}

TEST(Judgement, TakesTheSmallerNoise) {
  const auto table = tests::learnable_table(100, 2, {3}, false, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  const FittedModel scores = model_of(table, loss::LossKind::logistic, std::vector<double>(6, 0.1));
  const FittedModel residuals = model_of(table, loss::LossKind::squared, std::vector<double>(6, 0.1));
  const auto is_gaussian = [&](const FittedModel& model, double delta) {
    return privacy::is_gaussian(judgement_event(plan_for(model, dataset, Budget{0.5, delta})));
  };
  EXPECT_FALSE(is_gaussian(scores, 0));
  EXPECT_FALSE(is_gaussian(scores, 1e-6));  // counts: 2 / epsilon against root 2 times 4 / epsilon and more
  EXPECT_FALSE(is_gaussian(residuals, 0));
  EXPECT_TRUE(is_gaussian(residuals, 1e-3));
}

// Without noise: the same numbers as plain loops.
TEST(Judgement, ExactMeasuresAreThoseOfPlainLoops) {
  const auto table = tests::learnable_table(400, 2, {3}, true, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  const FittedModel model = model_of(table, loss::LossKind::logistic, {0.3, -3, 5, 0.5, -0.5, 0.1});
  const auto plan = plan_for(model, dataset, std::nullopt, {.threshold = 0.4});
  const Measures all = SensitiveTestAccess::open(judge_exactly(dataset, model, plan, {1})).all;
  double right = 0, brier = 0, loss = 0, won = 0, pairs = 0, tp = 0;
  std::vector<double> p;
  for (std::size_t i = 0; i < 400; ++i)
    p.push_back(probability_of(tests::dot(model.weights, tests::encoded_row(table, i))));
  for (std::size_t i = 0; i < 400; ++i) {
    const bool positive = table.targets[i] > 0;
    right += (p[i] > 0.4) == positive;
    tp += p[i] > 0.4 && positive;
    brier += std::pow(p[i] - positive, 2);
    loss += std::min(-std::log(positive ? p[i] : 1 - p[i]), std::log1p(std::exp(4.0)));  // clipped at a margin of -4
    for (std::size_t j = 0; positive && j < 400; ++j) {
      if (table.targets[j] > 0) continue;
      ++pairs;
      won += p[i] > p[j] ? 1 : p[i] == p[j] ? 0.5 : 0;
    }
  }
  EXPECT_DOUBLE_EQ(all.find("accuracy")->value, right / 400);
  EXPECT_NEAR(all.find("auc")->value, won / pairs, 1e-12);
  EXPECT_NEAR(all.find("brier_score")->value, brier / 400, 1e-9);
  EXPECT_NEAR(all.find("log_loss")->value, loss / 400, 1e-9);
  EXPECT_EQ(all.confusion.counts[3], tp);
  EXPECT_EQ(all.find("auc")->radius, 0);
  EXPECT_GT(all.find("auc")->total_radius, 0);
  EXPECT_EQ(all.rows, 400);
  EXPECT_EQ(all.roc.front().true_positive_rate, 1);
  EXPECT_EQ(all.roc.back().false_positive_rate, 0);
}

TEST(Judgement, ExactResidualsAreThoseOfPlainLoops) {
  const auto table = tests::learnable_table(300, 2, {3}, false, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  const FittedModel model = model_of(table, loss::LossKind::squared, {0.3, -0.3, 0.5, 0.5, -0.5, 0.1});
  const auto plan = plan_for(model, dataset, std::nullopt);
  const Measures all = SensitiveTestAccess::open(judge_exactly(dataset, model, plan, {1})).all;
  double square = 0, absolute = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double y = tests::encoded_target(table, i, false);
    const double r = y - std::clamp(tests::dot(model.weights, tests::encoded_row(table, i)), -1.0, 1.0);
    square += r * r, absolute += std::abs(r), sum += y, squares += y * y;
  }
  const double half = schema::target_units(dataset.encoding().schema().target).half_width;
  EXPECT_NEAR(all.find("r2")->value, 1 - square / (squares - sum * sum / 300), 1e-9);
  EXPECT_NEAR(all.find("root_mean_square_error")->value, half * std::sqrt(square / 300), 1e-9 * half);
  EXPECT_NEAR(all.find("mean_absolute_error")->value, half * absolute / 300, 1e-9 * half);
  double rows = 0;
  for (const ResidualBin& bin : all.residuals) rows += bin.rows;
  EXPECT_DOUBLE_EQ(rows, 300);
}

// A world with one column q, uniform, scores s = 3 q / 32767 and P(positive) = 1 / (1 + exp(1 - 0.7 s)): the model is
// not calibrated, so that errors have both signs.
struct World {
  std::vector<double> score, share;  // by value of q
  double auc = 0, accuracy = 0, brier_score = 0, log_loss = 0;

  World() {
    double positives = 0, negatives = 0, won = 0;
    for (int q = -32767; q <= 32767; ++q) {
      const double s = 3 * q / 32767.0, y = probability_of(0.7 * s - 1), p = probability_of(s);
      score.push_back(s), share.push_back(y);
      won += y * (negatives + (1 - y) / 2);
      positives += y, negatives += 1 - y;
      accuracy += (s > 0 ? y : 1 - y) / 65535;
      brier_score += (y * (1 - p) * (1 - p) + (1 - y) * p * p) / 65535;
      log_loss -= (y * std::log(p) + (1 - y) * std::log1p(-p)) / 65535;
    }
    auc = won / (positives * negatives);
  }
};

struct Missed {
  int rows = 0, world = 0;  // more than the bars from the rows' exact value, and from the world's
  void count(const Measure& noisy, double exact, double truth) {
    rows += !(std::abs(noisy.value - exact) <= noisy.radius);
    world += !(std::abs(noisy.value - truth) <= noisy.total_radius);
  }
};

// The observed share of every bin and its mean prediction, from the rows themselves; false when one is outside its bar.
bool calibration_holds(const std::vector<CalibrationBin>& bins, const tests::EncodedTable& table, const World& world,
                       bool in_world) {
  return std::ranges::all_of(bins, [&](const CalibrationBin& bin) {
    double rows = 0, positives = 0, predicted = 0;
    const auto add = [&](double p, double positive) {
      if (!(p > bin.lower || bin.lower == 0) || p > bin.upper) return;
      rows += 1, positives += positive, predicted += p;
    };
    if (in_world) {
      for (std::size_t i = 0; i < world.score.size(); i += 16) add(probability_of(world.score[i]), world.share[i]);
      return std::abs(positives / rows - bin.observed) <= bin.total_radius;
    }
    for (std::size_t i = 0; i < table.rows(); ++i) {
      add(probability_of(3 * table.reals[0][i] / 32767.0), table.targets[i] > 0);
    }
    return std::abs(positives / rows - bin.observed) <= bin.radius &&
           std::abs(predicted / rows - bin.predicted) <= bin.predicted_radius;
  });
}

// In at least 925 of 1,000 runs the bars hold. AUC, log loss and Brier score, whose bins are charged at their worst,
// miss less than 3% of the time: Binomial(1000, 0.03) exceeds 75 with probability 5e-13. Accuracy and calibration miss
// about 5%, as they say: Binomial(1000, 0.05) exceeds 75 with probability 3e-4, so the limit, which is the promise, is
// for these fixed seeds (41 and 55 of 1,000); fresh seeds would need 97.
TEST(Judgement, ErrorBarsHoldForTheRowsAndForTheWorldTheyComeFrom) {
  constexpr std::size_t kRows = 1200;
  constexpr int kRuns = 1000, kMostMissed = 75;
  const World world;
  Missed auc, accuracy, brier, log_loss;
  int calibration_rows = 0, calibration_world = 0;
  double bins = 0, auc_radius = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(run));
    tests::EncodedTable table{{{}}, {}, {}, {}};
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto q = static_cast<std::int16_t>(static_cast<int>(draw() % 65535) - 32767);
      table.reals[0].push_back(q);
      const double share = world.share[static_cast<std::size_t>(q + 32767)];
      table.targets.push_back(static_cast<double>(draw() >> 11) * 0x1p-53 < share ? 1 : -1);
    }
    const FittedModel model = model_of(table, loss::LossKind::logistic, {0, 3 * std::sqrt(2.0)});
    const data::Dataset dataset = tests::dataset_of(table);
    const Measures exact =
        SensitiveTestAccess::open(judge_exactly(dataset, model, plan_for(model, dataset, std::nullopt), {1})).all;
    const Measures noisy =
        released(dataset, model, plan_for(model, dataset, Budget{1, 0}), static_cast<std::uint64_t>(run)).all;
    const auto value = [&](const char* name) { return exact.find(name)->value; };
    auc.count(*noisy.find("auc"), value("auc"), world.auc);
    accuracy.count(*noisy.find("accuracy"), value("accuracy"), world.accuracy);
    brier.count(*noisy.find("brier_score"), value("brier_score"), world.brier_score);
    log_loss.count(*noisy.find("log_loss"), value("log_loss"), world.log_loss);
    calibration_rows += !calibration_holds(noisy.calibration, table, world, false);
    calibration_world += !calibration_holds(noisy.calibration, table, world, true);
    bins += static_cast<double>(noisy.calibration.size()) / kRuns;
    auc_radius += noisy.find("auc")->radius / kRuns;
  }
  for (const auto& [name, missed] :
       {std::pair{"auc", auc}, {"accuracy", accuracy}, {"brier", brier}, {"log loss", log_loss}}) {
    EXPECT_LE(missed.rows, kMostMissed) << name;
    EXPECT_LE(missed.world, kMostMissed) << name;
  }
  EXPECT_LE(calibration_rows, kMostMissed);
  EXPECT_LE(calibration_world, kMostMissed);
  // Bars that say nothing would hold as well.
  EXPECT_GT(bins, 4);
  EXPECT_LT(auc_radius, 0.06);
  EXPECT_GT(accuracy.rows, 10) << "bars of a count have no bins to hide behind: they are those of 95%";
}

// Noise alone: bars of real targets and of groups against the exact numbers of the same rows, in 500 runs each.
// Binomial(500, 0.05) exceeds 62 with probability 3e-11.
constexpr int kNoiseRuns = 500, kMostMissedOfNoise = 62;

TEST(Judgement, ErrorBarsOfRealTargetsHoldForTheRows) {
  const auto table = tests::learnable_table(3000, 2, {3}, false, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  const FittedModel model = model_of(table, loss::LossKind::squared, {0.1, -0.2, 0.3, 0.2, -0.1, 0.1});
  const Measures exact =
      SensitiveTestAccess::open(judge_exactly(dataset, model, plan_for(model, dataset, std::nullopt), {1})).all;
  EXPECT_EQ(exact.find("clipped_share")->value, 0);
  for (const Budget& budget : {Budget{2, 0}, Budget{2, 1e-3}}) {
    const JudgementPlan plan = plan_for(model, dataset, budget);
    for (const char* name : {"r2", "root_mean_square_error", "mean_absolute_error", "mean_error", "clipped_share"}) {
      int missed = 0;
      for (int run = 0; run < kNoiseRuns; ++run) {
        const Measures noisy = released(dataset, model, plan, static_cast<std::uint64_t>(run)).all;
        const Measure& told = *noisy.find(name);
        missed += !(std::abs(told.value - exact.find(name)->value) <= told.radius);
      }
      EXPECT_LE(missed, kMostMissedOfNoise) << name;
      const bool clamped = std::string(name) == "clipped_share";  // at 0, where noise most often leaves it
      EXPECT_GT(missed, clamped ? -1 : 3) << name << ": bars that say nothing";
    }
  }
}

// A fiftieth of the rows is far above all others, as costs are: its residuals are most of the error.
TEST(Judgement, ErrorBarsHoldWhereAFewResidualsAreHuge) {
  auto table = tests::learnable_table(3000, 2, {3}, false, 8);
  for (std::size_t i = 0; i < table.targets.size(); ++i) {
    table.targets[i] = i % 50 == 0 ? schema::kTargetOne : -schema::kTargetOne;
  }
  const data::Dataset dataset = tests::dataset_of(table);
  const FittedModel model = model_of(table, loss::LossKind::squared, {-1.6, 0, 0, 0, 0, 0});
  const Measures exact =
      SensitiveTestAccess::open(judge_exactly(dataset, model, plan_for(model, dataset, std::nullopt), {1})).all;
  EXPECT_NEAR(exact.find("clipped_share")->value, 0.02, 1e-9);
  const JudgementPlan plan = plan_for(model, dataset, Budget{4, 0});
  for (const char* name : {"r2", "root_mean_square_error", "mean_absolute_error", "mean_error"}) {
    int missed = 0;
    for (int run = 0; run < kNoiseRuns; ++run) {
      const Measures noisy = released(dataset, model, plan, static_cast<std::uint64_t>(run)).all;
      const Measure& told = *noisy.find(name);
      missed += !(std::abs(told.value - exact.find(name)->value) <= told.radius);
    }
    EXPECT_LE(missed, kMostMissedOfNoise) << name;
  }
}

TEST(Judgement, ErrorBarsOfGroupsHoldForTheRows) {
  const auto table = tests::learnable_table(3000, 2, {3}, true, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  const FittedModel model = model_of(table, loss::LossKind::logistic, {0.3, -3, 5, 0.5, -0.5, 0.1});
  const JudgementOptions options{.groups = dataset.encoding().schema().columns[2].name};
  const Evaluated exact =
      SensitiveTestAccess::open(judge_exactly(dataset, model, plan_for(model, dataset, std::nullopt, options), {1}));
  const JudgementPlan plan = plan_for(model, dataset, Budget{1, 0}, options);
  ASSERT_EQ(exact.groups.size(), 4u);
  int rows = 0, accuracy = 0, all = 0;
  for (int run = 0; run < kNoiseRuns; ++run) {
    const Evaluated noisy = released(dataset, model, plan, static_cast<std::uint64_t>(run));
    const auto misses = [](const Measures& told, const Measures& truth) {
      const Measure& one = *told.find("accuracy");
      return !(std::abs(one.value - truth.find("accuracy")->value) <= one.radius);
    };
    const Measures& told = noisy.groups[1].measures;
    rows += !(std::abs(told.rows - exact.groups[1].measures.rows) <= told.rows_radius);
    accuracy += misses(told, exact.groups[1].measures);
    all += misses(noisy.all, exact.all);
  }
  EXPECT_LE(rows, kMostMissedOfNoise);
  EXPECT_LE(accuracy, kMostMissedOfNoise);
  EXPECT_LE(all, kMostMissedOfNoise);
  EXPECT_GT(rows, 3) << "bars that say nothing";
  EXPECT_GT(accuracy, 3) << "bars that say nothing";
}

}  // namespace
}  // namespace dperm::methods
