// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/forecast.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "dperm/planner/compare.hpp"
#include "dperm/planner/needed_epsilon.hpp"
#include "dperm/planner/needed_rows.hpp"
#include "dperm/planner/score_distribution.hpp"

namespace dperm::planner {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

methods::Task task(double rows, double epsilon, loss::LossKind kind = loss::LossKind::logistic) {
  methods::Task q;
  q.problem.loss.kind = kind;
  q.facts = {static_cast<std::size_t>(rows), 60, 12};
  q.budget = {epsilon, 1e-6};
  return q;
}

methods::Planner planner_of(const char* method, const methods::Texts& given = {}) {
  return methods::planners(method, given).front().plan;
}

double predicted(const char* method, const methods::Task& q) {
  return choose(q, methods::planners(method, {}), population_of(q.facts)).predicted->excess_risk;
}

TEST(ScoreDistribution, LogisticScoresNeedNoScaleAndCurveAsTheirVariance) {
  const ScoreDistribution distribution({.kind = loss::LossKind::logistic});
  EXPECT_NEAR(distribution.spread(), 1.6, 1e-3);
  // E p(1 - p) for log-odds N(-1.5, 1.6^2) by an independent quadrature.
  EXPECT_NEAR(distribution.curvature(), 0.13759, 3e-4);
}

TEST(ScoreDistribution, SquaredErrorGrowsByTheNoise) {
  const ScoreDistribution distribution({.kind = loss::LossKind::squared});
  EXPECT_NEAR(distribution.curvature(), 2, 1e-3);
  EXPECT_NEAR(distribution.excess_risk(0.3), 0.09, 1e-4);
}

TEST(ScoreDistribution, EveryLossOfOneScoreHasAMinimumAndGrowsWithNoise) {
  for (const loss::LossKind kind : loss::kAllLosses) {
    const ScoreDistribution distribution({.kind = kind, .quantile = 0.8});
    EXPECT_GT(distribution.curvature(), 0) << loss::name(kind);
    EXPECT_LT(distribution.excess_risk(0.1), distribution.excess_risk(0.2)) << loss::name(kind);
    EXPECT_EQ(distribution.excess_risk(0), 0) << loss::name(kind);
  }
}

TEST(ScoreDistribution, AccuracyIsLostFromNothingToThreeQuartersOfAllThereIs) {
  const ScoreDistribution distribution({.kind = loss::LossKind::logistic});
  EXPECT_EQ(distribution.accuracy_lost(0), 0);
  // Independent quadrature.
  EXPECT_NEAR(distribution.accuracy_lost(0.1), 0.00030078, 1e-7);
  EXPECT_NEAR(distribution.accuracy_lost(1), 0.0257122, 1e-5);
  EXPECT_LT(distribution.accuracy_lost(1), distribution.accuracy_lost(2));
  EXPECT_LT(distribution.accuracy_lost(1e6), 0.5);
}

TEST(LimitedLoss, GoesOnStraightWhereTheSlopeWouldBeLarger) {
  for (const loss::LossKind kind : loss::kAllLosses) {
    const loss::Loss loss{.kind = kind, .quantile = 0.8};
    const LimitedLoss limited(loss, 0.25), free(loss, kInfinity);
    const double target = loss::is_classification(kind) ? -1 : 0.3;
    double sum = limited.value(0, target);
    for (double score = 0; score < 4; score += 0x1p-10) {  // the integral of its own slope
      sum += limited.slope(score + 0x1p-11, target) * 0x1p-10;
      EXPECT_NEAR(limited.value(score + 0x1p-10, target), sum, 1e-3) << loss::name(kind) << ' ' << score;
      EXPECT_LE(std::fabs(limited.slope(score, target)), 0.25);
      EXPECT_EQ(free.value(score, target), loss::value(loss, score, target)) << loss::name(kind);
    }
  }
}

TEST(ScoreDistribution, ClippingStretchesTheScoresOfAClassifier) {
  const loss::Loss logistic{.kind = loss::LossKind::logistic};
  const ScoreDistribution free(logistic), limited(logistic, 0.3);
  // Independent minimisation: scipy, 241 nodes.
  EXPECT_NEAR(limited.spread() / free.spread(), 1.733, 0.01);
  EXPECT_NEAR(limited.curvature(), 0.0379, 5e-4);
  EXPECT_NEAR(limited.excess_risk(0), 0.0482, 5e-4);
  EXPECT_NEAR(limited.shift(), (limited.spread() - free.spread()) / 1.6 * std::hypot(1.5, 1.6), 1e-6);
  EXPECT_EQ(free.shift(), 0);
  // Answers turn by the noise over the stretch.
  EXPECT_NEAR(limited.accuracy_lost(limited.spread()), free.accuracy_lost(free.spread()), 1e-6);
}

TEST(ScoreDistribution, ClippingMovesAMeanTowardsTheMedian) {
  const ScoreDistribution limited({.kind = loss::LossKind::squared}, 0.5);
  // The Huber location of the skewed residuals, by fixed-point iteration in numpy with 1601 nodes.
  EXPECT_NEAR(limited.shift(), 0.0363, 2e-3);
  EXPECT_NEAR(limited.excess_risk(0), limited.shift() * limited.shift(), 1e-5);
}

TEST(Population, SpreadsTheRowsOfASchemaOverItsDirections) {
  // Intercept, two reals, a category of three levels and a flag: m = 5.
  const schema::Encoding encoding(
      {.columns = {{.name = "a", .lower = 0, .upper = 1},
                   {.name = "b", .lower = 0, .upper = 1},
                   {.name = "c",
                    .kind = schema::ColumnKind::category,
                    .values = {"x", "y", "z"},
                    .missing = schema::MissingRule::none},
                   {.name = "d", .kind = schema::ColumnKind::boolean, .missing = schema::MissingRule::none}},
       .ignored = {},
       .target = {.kind = schema::TargetKind::binary, .name = "t", .positive = {"1"}},
       .format = {}});
  const auto moments = population_of(encoding).second_moments;
  EXPECT_EQ(moments.size(), encoding.dimension() - 1) << "a category's levels add up to the intercept";
  for (std::size_t k = 2; k < moments.size(); ++k) EXPECT_LE(moments[k], moments[k - 1]);
  EXPECT_LE(std::accumulate(moments.begin(), moments.end(), 0.0), 1) << "rows have norm at most 1";
}

TEST(Forecast, FallsWithRowsAndWithEpsilon) {
  for (const char* method : {"objective-perturbation", "gradient-descent", "output-perturbation", "sgd"}) {
    double last = kInfinity;
    for (double rows = 1e3; rows < 3e6; rows *= 3) {
      const double now = predicted(method, task(rows, 1));
      EXPECT_LE(now, last * 1.01) << method << ' ' << rows;
      last = now;
    }
    last = kInfinity;
    for (double epsilon = 0.03; epsilon < 30; epsilon *= 2) {
      const double now = predicted(method, task(30000, epsilon));
      EXPECT_LE(now, last * 1.01) << method << ' ' << epsilon;
      last = now;
    }
  }
}

TEST(Forecast, NeverExceedsWhatIsProven) {
  for (const loss::LossKind kind : loss::kAllLosses) {
    for (const double rows : {100.0, 1e4, 1e7}) {
      const methods::Task q = task(rows, 0.5, kind);
      for (const Alternative& each : compare(q, methods::planners("auto", {}), population_of(q.facts))) {
        if (!each.predicted) continue;
        const methods::ErrorModel& error_model = *each.plan->error_model;
        for (const double number :
             {error_model.penalty, error_model.term_noise, error_model.matrix_noise, error_model.output_noise,
              error_model.steps, error_model.step_size, error_model.step_noise, error_model.temperature}) {
          EXPECT_TRUE(number >= 0 && std::isfinite(number)) << each.method;
        }
        const Forecast& predicted = *each.predicted;
        EXPECT_LE(predicted.upper, each.plan->utility.excess_risk) << each.method;
        EXPECT_LE(predicted.lower, predicted.excess_risk) << each.method;
        EXPECT_LE(predicted.excess_risk, predicted.upper) << each.method;
        EXPECT_LE(predicted.told.lower, predicted.told.expected) << each.method;
        EXPECT_LE(predicted.told.expected, predicted.told.upper) << each.method;
        EXPECT_EQ(predicted.accuracy_lost.has_value(), loss::is_classification(kind));
        EXPECT_EQ(predicted.score_noise > 0, !loss::is_classification(kind));
      }
    }
  }
}

TEST(Forecast, SettingsOfOnesOwnAreJudgedByTheErrorModel) {
  const methods::Task q = task(30000, 1);
  const auto risk = [&](const methods::Texts& given) {
    return choose(q, methods::planners("sgd", given), population_of(q.facts)).predicted->excess_risk;
  };
  EXPECT_EQ(risk({}), risk({{"sampling", "poisson"}}));
  EXPECT_GT(risk({{"steps", "3"}}), 2 * risk({})) << "three steps do not get far";
}

TEST(Forecast, WithoutAnErrorModelTheProvenBoundDecides) {
  methods::Task q = task(30000, 1);
  Alternative alternative = choose(q, methods::planners("gradient-descent", {}), population_of(q.facts));
  EXPECT_EQ(alternative.expected_risk(), alternative.predicted->excess_risk);
  alternative.plan->error_model.reset();
  EXPECT_FALSE(forecast(*alternative.plan, population_of(q.facts)));
  EXPECT_FALSE(why_no_forecast(*alternative.plan).empty());
  alternative.predicted.reset();
  EXPECT_EQ(alternative.expected_risk(), alternative.plan->utility.excess_risk);
  alternative.plan.reset();
  EXPECT_EQ(alternative.expected_risk(), kInfinity);
}

TEST(Forecast, InversesAgreeWithIt) {
  const methods::Task q = task(30000, 1);
  const Population population = population_of(q.facts);
  const Measure measure = predicted_accuracy_loss(population);
  for (const char* method : {"objective-perturbation", "gradient-descent"}) {
    const double target = measure(methods::method_named(method).plan(q, {}));
    EXPECT_NEAR(static_cast<double>(*needed_rows(planner_of(method), q, target, measure)), 30000, 600) << method;
    EXPECT_NEAR(*needed_epsilon(planner_of(method), q, target, measure), 1, 0.02) << method;
  }
  EXPECT_FALSE(needed_rows(planner_of("gradient-descent", {{"order", "second"}}), q, 0.01, measure))
      << "nothing is predicted for it";
}

}  // namespace
}  // namespace dperm::planner
