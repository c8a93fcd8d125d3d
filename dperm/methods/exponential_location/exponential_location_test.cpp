// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dperm/core/error.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/exponential_location/location_costs.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/option_tables.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/public_data.hpp"

namespace dperm::methods {
namespace {

const Method& kMethod = method_named("exponential");
constexpr std::int32_t kOne = schema::kTargetOne;
using Options = std::map<std::string, std::string>;

Task asked(loss::LossKind kind, std::size_t rows, double epsilon, double delta = 0, double quantile = 0.5) {
  Task task{{}, {rows, 1, 1}, {epsilon, delta}};
  task.problem.loss.kind = kind;
  task.problem.loss.quantile = quantile;
  return task;
}

tests::EncodedTable table_of(std::vector<std::int32_t> targets) { return {{}, {}, {}, std::move(targets)}; }

double seeded(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  const FitResult result = fit(plan, dataset, curator, {{1}, {}});
  EXPECT_EQ(result.events, plan.events);
  return result.weights.get().at(0);
}

double scale_of(const privacy::Mechanism& mechanism) {
  if (const auto* choice = std::get_if<privacy::ExponentialEvent>(&mechanism)) {
    return static_cast<double>(choice->scale_numerator) / static_cast<double>(choice->scale_denominator);
  }
  const auto& flip = std::get<privacy::PermuteAndFlipEvent>(mechanism);
  return static_cast<double>(flip.scale_numerator) / static_cast<double>(flip.scale_denominator);
}

// Exact output distribution on a small grid, from the definitions.
std::vector<double> distribution(const privacy::Mechanism& mechanism, const std::vector<random::CostRun>& runs) {
  std::vector<double> costs;
  for (const random::CostRun& run : runs) {
    for (std::uint64_t j = 0; j < run.size; ++j) {
      costs.push_back(static_cast<double>(run.cost) + static_cast<double>(run.slope) * static_cast<double>(j));
    }
  }
  const double best = *std::min_element(costs.begin(), costs.end());
  std::vector<double> odds, result;
  double sum = 0;
  for (const double cost : costs) {
    odds.push_back(std::exp(-(cost - best) / scale_of(mechanism)));
    sum += odds.back();
  }
  if (std::holds_alternative<privacy::ExponentialEvent>(mechanism)) {
    for (const double p : odds) result.push_back(p / sum);
    return result;
  }
  for (std::size_t r = 0; r < odds.size(); ++r) {  // p_r times the integral of prod_{j != r} (1 - p_j t)
    std::vector<double> polynomial{1};
    for (std::size_t j = 0; j < odds.size(); ++j) {
      if (j == r) continue;
      polynomial.push_back(0);
      for (std::size_t k = polynomial.size() - 1; k > 0; --k) polynomial[k] -= odds[j] * polynomial[k - 1];
    }
    double integral = 0;
    for (std::size_t k = 0; k < polynomial.size(); ++k) integral += polynomial[k] / static_cast<double>(k + 1);
    result.push_back(odds[r] * integral);
  }
  return result;
}

struct Variant {
  const char* score;
  const char* choice;
  double quantile;
};

class LocationPrivacy : public ::testing::TestWithParam<Variant> {};

// Every pair of neighbours over five extreme and inner values: the log-ratio of output probabilities never exceeds
// epsilon, and some pair comes close to it.
TEST_P(LocationPrivacy, NoNeighboursDifferByMoreThanEpsilon) {
  const auto [score, choice, quantile] = GetParam();
  const double epsilon = 1.5;
  const std::size_t rows = 5;
  const Plan plan = kMethod.plan(asked(loss::LossKind::pinball, rows, epsilon, 0, quantile),
                                 {{"score", score}, {"choice", choice}, {"grid_bits", "2"}});
  const LocationGrid grid = LocationGrid::with(2, kOne);
  const std::vector<std::int32_t> values{-kOne, -kOne / 2, 0, kOne / 2, kOne};
  const auto output = [&](std::vector<std::int32_t> data) {
    std::sort(data.begin(), data.end());
    const auto above = std::llround((1 - quantile) * 1000);
    return distribution(plan.events[0].mechanism,
                        std::string(score) == "rank"
                            ? rank_costs(data, std::llround(2 * quantile * static_cast<double>(rows)), grid)
                            : loss_costs(data, {1000 - above, above}, grid));
  };
  double largest = 0;
  for (std::size_t code = 0; code < 3125; ++code) {
    std::vector<std::int32_t> data;
    for (std::size_t i = 0, rest = code; i < rows; ++i, rest /= 5) data.push_back(values[rest % 5]);
    const auto here = output(data);
    for (const std::int32_t other : values) {
      auto neighbour = data;
      neighbour[0] = other;
      const auto there = output(neighbour);
      for (std::size_t w = 0; w < here.size(); ++w) {
        largest = std::max(largest, std::abs(std::log(here[w] / there[w])));
      }
    }
  }
  EXPECT_LE(largest, epsilon * (1 + 1e-9));
  EXPECT_GE(largest, 0.6 * epsilon) << "the test sees too little, or the noise is too large";
  RecordProperty("largest_log_ratio", std::to_string(largest));
}

INSTANTIATE_TEST_SUITE_P(All, LocationPrivacy,
                         ::testing::Values(Variant{"rank", "exponential", 0.5},
                                           Variant{"rank", "permute-and-flip", 0.5},
                                           Variant{"rank", "permute-and-flip", 0.9},
                                           Variant{"loss", "exponential", 0.5}, Variant{"loss", "exponential", 0.25}));

// Targets 1, 2, 5, 7, 9 between bounds 0 and 10.
std::vector<std::int32_t> five() {
  std::vector<std::int32_t> targets;
  for (const double x : {1, 2, 5, 7, 9}) targets.push_back(static_cast<std::int32_t>((x / 5 - 1) * kOne));
  return targets;
}

// The mass of the points in (from, to), in original units, under the exponential mechanism.
double mass(const std::vector<random::CostRun>& runs, double scale, double from, double to) {
  long double inside = 0, all = 0;
  std::uint64_t first = 0;
  for (const random::CostRun& run : runs) {
    // Cut the run at `from` and `to`, then add up each geometric piece.
    const auto position = [&](double x) {
      return std::clamp(std::ceil(x / 10 * 0x1p31) - static_cast<double>(first), 0.0, static_cast<double>(run.size));
    };
    const auto piece = [&](double a, double b) -> long double {
      if (b <= a) return 0;
      const long double rate = static_cast<long double>(run.slope) / scale;
      const long double start = expl(-(static_cast<long double>(run.cost) / scale + rate * a));
      return rate == 0 ? start * (b - a) : start * (-expm1l(-rate * (b - a))) / (-expm1l(-rate));
    };
    inside += piece(position(from), position(to));
    all += piece(0, static_cast<double>(run.size));
    first += run.size;
  }
  return static_cast<double>(inside / all);
}

TEST(ExponentialLocation, HasTheKnownDistributionOfARankScore) {
  const Plan plan = kMethod.plan(asked(loss::LossKind::absolute, 5, 1), {{"choice", "exponential"}});
  const auto runs = rank_costs(five(), 5, LocationGrid::with(31, kOne));
  const double edges[] = {0, 1, 2, 5, 7, 9, 10.1};
  const double known[] = {0.04869124517, 0.08027829162, 0.3970695809, 0.2647130539, 0.1605565832, 0.04869124517};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(mass(runs, scale_of(plan.events[0].mechanism), edges[i], edges[i + 1]), known[i], 1e-8);
  }
}

TEST(ExponentialLocation, HasTheKnownDistributionOfATotalLoss) {
  const auto runs = loss_costs(five(), {1, 1}, LocationGrid::with(31, kOne));
  for (const auto& [epsilon, up_to_five, two_to_seven] :
       {std::tuple{1.0, 0.510889944375, 0.564925195909}, {20.0, 0.515121868461, 0.967312530211}}) {
    const Plan plan = kMethod.plan(asked(loss::LossKind::absolute, 5, epsilon), {{"score", "loss"}});
    const double scale = scale_of(plan.events[0].mechanism);
    EXPECT_NEAR(mass(runs, scale, 0, 5), up_to_five, 1e-8);
    EXPECT_NEAR(mass(runs, scale, 2, 7), two_to_seven, 1e-8);
  }
}

TEST(ExponentialLocation, FitsHaveTheDistributionOfTheirPlan) {
  const auto dataset = tests::dataset_of(table_of(five()));
  for (const char* score : {"rank", "loss"}) {
    const Plan plan =
        kMethod.plan(asked(loss::LossKind::absolute, 5, 3), {{"score", score}, {"choice", "exponential"}});
    const LocationGrid grid = LocationGrid::with(31, kOne);
    const auto runs = std::string(score) == "rank" ? rank_costs(five(), 5, grid) : loss_costs(five(), {1, 1}, grid);
    const double edges[] = {0, 1, 2, 4, 5, 6, 7, 9, 10.1};
    std::vector<testing::Cell> cells;
    for (std::size_t i = 0; i + 1 < std::size(edges); ++i) {
      cells.push_back({mass(runs, scale_of(plan.events[0].mechanism), edges[i], edges[i + 1]), 0});
    }
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      const double x = 5 * (seeded(plan, dataset, seed) + 1);
      ++cells[static_cast<std::size_t>(std::upper_bound(std::begin(edges), std::end(edges), x) - edges) - 1].observed;
    }
    const testing::Verdict verdict = testing::test_cells(cells);
    EXPECT_TRUE(verdict) << score << ": " << verdict.text;
  }
}

// Measured mean excess risk against the promise, on data that makes it hard: few values far apart, and spread values.
TEST(ExponentialLocation, ExcessRiskIsBelowThePromise) {
  const auto spread = tests::random_table(400, 0, {}, false, 3);
  tests::EncodedTable two = table_of(std::vector<std::int32_t>(400, -kOne));
  std::fill(two.targets.begin() + 190, two.targets.end(), kOne);
  for (const auto kind : {loss::LossKind::absolute, loss::LossKind::pinball, loss::LossKind::squared}) {
    for (const Options& options : {Options{}, Options{{"score", "loss"}}, Options{{"grid_bits", "8"}}}) {
      if (kind == loss::LossKind::squared && !options.empty()) continue;
      const Task task = asked(kind, 400, 0.5, 0, 0.25);
      const Plan plan = kMethod.plan(task, options);
      for (const tests::EncodedTable* table : {&spread, static_cast<const tests::EncodedTable*>(&two)}) {
        const auto dataset = tests::dataset_of(*table);
        double best = 10, mean = 0;
        for (int i = -1000; i <= 1000; ++i) {
          best = std::min(best, tests::plain_risk(*table, task.problem, {i / 1000.0}));
        }
        constexpr int kRuns = 300;
        for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
          mean += (tests::plain_risk(*table, task.problem, {seeded(plan, dataset, seed)}) - best) / kRuns;
        }
        EXPECT_LE(mean, plan.utility.excess_risk) << loss::name(kind) << " " << options.size();
      }
    }
  }
}

TEST(ExponentialLocation, AnswersStayInTheFeasibleSet) {
  const auto dataset = tests::dataset_of(tests::random_table(50, 0, {}, false, 4));
  for (const auto kind : {loss::LossKind::absolute, loss::LossKind::squared}) {
    Task task = asked(kind, 50, 0.05);
    task.problem.feasible_set = {loss::SetKind::box, 0.1};
    const Plan plan = kMethod.plan(task, {});
    for (std::uint64_t seed = 0; seed < 200; ++seed) EXPECT_LE(std::abs(seeded(plan, dataset, seed)), 0.1);
  }
}

TEST(ExponentialLocation, TheMeanTakesTheSmallerNoise) {
  const Plan pure = kMethod.plan(asked(loss::LossKind::squared, 1000, 1, 0), {});
  const auto& laplace = std::get<privacy::DiscreteLaplaceEvent>(pure.events[0].mechanism);
  EXPECT_EQ(laplace.l1_sensitivity, std::uint64_t{1} << 31);
  EXPECT_EQ(laplace.scale_numerator, (std::uint64_t{1} << 31) * laplace.scale_denominator);
  EXPECT_TRUE(std::holds_alternative<privacy::DiscreteLaplaceEvent>(
      kMethod.plan(asked(loss::LossKind::squared, 1000, 1, 1e-6), {}).events[0].mechanism));
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(
      kMethod.plan(asked(loss::LossKind::squared, 1000, 1, 0.3), {}).events[0].mechanism));
  const Plan forced = kMethod.plan(asked(loss::LossKind::squared, 1000, 1, 1e-6), {{"mean_noise", "gaussian"}});
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(forced.events[0].mechanism));
  EXPECT_GT(forced.utility.excess_risk, pure.utility.excess_risk);
}

TEST(ExponentialLocation, TheMeanIsTheMinimiserWithVanishingNoise) {
  const auto table = tests::random_table(1000, 0, {}, false, 5);
  double mean = 0;
  for (const std::int32_t target : table.targets) mean += static_cast<double>(target) / kOne / 1000;
  Task task = asked(loss::LossKind::squared, 1000, 1000);
  EXPECT_NEAR(seeded(kMethod.plan(task, {}), tests::dataset_of(table), 1), mean, 2e-5);
  task.problem.l2_penalty = 2;  // halves the answer
  EXPECT_NEAR(seeded(kMethod.plan(task, {}), tests::dataset_of(table), 1), mean / 2, 1e-5);
}

TEST(ExponentialLocation, QuantilesAreFoundWithVanishingNoise) {
  std::vector<std::int32_t> targets;
  for (int i = 0; i < 1001; ++i) targets.push_back((i - 500) * (kOne / 500));
  const auto dataset = tests::dataset_of(table_of(targets));
  for (const double quantile : {0.1, 0.5, 0.9, 0.999}) {
    for (const char* score : {"rank", "loss"}) {
      const Plan plan = kMethod.plan(asked(loss::LossKind::pinball, 1001, 1000, 0, quantile), {{"score", score}});
      EXPECT_NEAR(seeded(plan, dataset, 1), 2 * quantile - 1, std::string(score) == "rank" ? 0.003 : 0.1);
    }
  }
}

TEST(ExponentialLocation, RefusesWhatItsProofDoesNotCover) {
  const auto refuses = [](const Task& task, const Options& options, const std::string& part) {
    try {
      plan_for(task, options_from<ExponentialLocationOptions>(options));
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      return;
    }
    ADD_FAILURE() << "not refused: " << part;
  };
  Task columns = asked(loss::LossKind::absolute, 100, 1);
  columns.facts.dimension = columns.facts.columns = 3;
  refuses(columns, {}, "no feature columns");
  refuses(asked(loss::LossKind::logistic, 100, 1), {}, "squared");
  refuses(asked(loss::LossKind::huber, 100, 1), {}, "squared");
  Task penalised = asked(loss::LossKind::absolute, 100, 1);
  penalised.problem.l2_penalty = 0.1;
  refuses(penalised, {}, "l2_penalty");
  refuses(asked(loss::LossKind::squared, 100, 1), {{"score", "rank"}}, "score");
  refuses(asked(loss::LossKind::squared, 100, 1), {{"mean_noise", "gaussian"}}, "delta");
  refuses(asked(loss::LossKind::absolute, 100, 1), {{"mean_noise", "laplace"}}, "mean_noise");
  refuses(asked(loss::LossKind::absolute, 100, 1), {{"score", "loss"}, {"choice", "permute-and-flip"}}, "rank");
  refuses(asked(loss::LossKind::pinball, 100, 1, 0, 0.12345), {{"score", "loss"}}, "thousandths");
  refuses(asked(loss::LossKind::squared, std::size_t{1} << 32, 1), {}, "2^31 rows");
  refuses(asked(loss::LossKind::absolute, std::size_t{1} << 43, 1), {}, "2^42 rows");
  refuses(asked(loss::LossKind::absolute, std::size_t{1} << 31, 1), {{"score", "loss"}, {"grid_bits", "31"}},
          "grid_bits");
  // Otherwise a table of that many distinct targets would end the fit: refused by public facts.
  refuses(asked(loss::LossKind::absolute, std::size_t{1} << 27, 1), {{"choice", "permute-and-flip"}}, "2^27 rows");
  const auto choice = [](std::size_t rows, const Options& options) {
    const Plan plan =
        plan_for(asked(loss::LossKind::absolute, rows, 1), options_from<ExponentialLocationOptions>(options));
    return std::visit([](const auto& event) { return std::string(event.word); }, plan.events.at(0).mechanism);
  };
  EXPECT_EQ(choice((std::size_t{1} << 27) - 1, {}), "permute-and-flip");
  EXPECT_EQ(choice(std::size_t{1} << 27, {}), "exponential");
  EXPECT_EQ(choice(std::size_t{1} << 27, {{"grid_bits", "20"}}), "permute-and-flip");
}

TEST(ExponentialLocation, FindsTheMedianAgeOfTheCensusWithinAYear) {
  const std::string path = tests::public_data("adult/adult.data.gz");
  if (path.empty()) GTEST_SKIP() << tests::kNoPublicData;
  std::string text = R"(version = 1
[format]
header = false
column_names = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
  "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"]
[target]
column = "age"
kind = "real"
lower = 0
upper = 120
[[column]]
name = "workclass"
kind = "ignore"
)";
  const auto encoding = std::make_shared<const schema::Encoding>(schema::parse_schema(text, "schema"));
  const data::Dataset dataset = data::read_dataset({path}, encoding, {});
  ASSERT_EQ(encoding->dimension(), 1u);
  const Plan plan = kMethod.plan(asked(loss::LossKind::absolute, dataset.rows(), 0.1), {});
  int within = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    within += std::abs(60 + 60 * seeded(plan, dataset, seed) - 37) <= 1;  // the median age is 37
  }
  EXPECT_GE(within, 990);
}

}  // namespace
}  // namespace dperm::methods
