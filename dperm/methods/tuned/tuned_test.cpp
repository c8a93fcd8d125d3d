// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/engine/split.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::methods {
namespace {

using Options = Texts;
using privacy::SelectionEvent;

const Options kDescent = {{"method", "gradient-descent"}, {"grid", "l2_penalty=0,0.01;steps=3,10"}};
const Options kSgd = {{"method", "sgd"}, {"grid", "batch=200;steps=5,20"}};
const Options kPure = {{"method", "output-perturbation"}, {"grid", "l2_penalty=0.01,0.1"}};

Options with(Options options, const Options& more) {
  for (const auto& [name, value] : more) options[name] = value;
  return options;
}

tests::EncodedTable table(std::size_t rows = 2000, bool binary = true) {
  return tests::learnable_table(rows, 2, {3}, binary, 1);
}

Task task(const tests::EncodedTable& rows, Budget budget = {1, 1e-6}) { return {{}, tests::facts_of(rows), budget}; }

Plan plan_tuned(const Task& asked, const Options& options) { return plan_for(asked, options_named("tuned", options)); }

SelectionEvent event_of(const Plan& plan) { return std::get<SelectionEvent>(plan.events.at(0).mechanism); }

FitResult seeded_fit(const Plan& plan, const tests::EncodedTable& rows, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, tests::dataset_of(rows), curator, {});
}

TEST(Tuned, OneEventIsPlannedAndRecordedAndItsGuaranteeIsTheBudget) {
  const auto rows = table();
  for (const auto& [options, budget] :
       {std::pair{kDescent, Budget{1, 1e-6}},
        {with(kDescent, {{"distribution", "geometric"}}), Budget{3, 1e-5}},
        {with(kDescent, {{"distribution", "logarithmic"}, {"repetitions", "4"}}), Budget{0.5, 1e-6}},
        {kSgd, Budget{2, 1e-6}},
        {with(kSgd, {{"distribution", "geometric"}}), Budget{3, 1e-5}},
        {kPure, Budget{1, 0}},
        {with(kPure, {{"distribution", "geometric"}}), Budget{2, 0}}}) {
    const Plan plan = plan_tuned(task(rows, budget), options);
    const FitResult result = seeded_fit(plan, rows, 3);
    ASSERT_EQ(plan.events.size(), 1u);
    EXPECT_EQ(result.events, plan.events);
    EXPECT_EQ(privacy::account(result.events, budget.delta), plan.guarantee);
    EXPECT_LE(plan.guarantee.epsilon, budget.epsilon);
    const bool sampled = options.at("method") == "sgd";
    EXPECT_GT(plan.guarantee.epsilon, (sampled ? 0.98 : 0.999) * budget.epsilon) << "budget is wasted";
    EXPECT_EQ(plan.guarantee.pure, budget.delta == 0);
    EXPECT_EQ(result.weights.get().size(), rows.dimension());
    EXPECT_FALSE(result.secure);
  }
}

TEST(Tuned, PlanningAgainFromThePlanChangesNothing) {
  const Plan plan = plan_tuned(task(table()), kDescent);
  const Plan again = plan_for(plan.task, options_named("tuned", option_texts(plan.options)));
  EXPECT_EQ(again.events, plan.events);
  EXPECT_EQ(option_texts(again.options), option_texts(plan.options));
}

TEST(Tuned, ARunCostsAboutHalfOfEpsilon) {
  const Plan gaussian = plan_tuned(task(table()), kDescent);
  const double alone = privacy::epsilon_gaussian(event_of(gaussian).base_mu, 1e-6);
  EXPECT_GT(alone, 0.3);
  EXPECT_LT(alone, 0.6);
  const Plan pure = plan_tuned(task(table(), {1, 0}), kPure);
  EXPECT_NEAR(event_of(pure).base_epsilon, 0.5, 1e-6);
  EXPECT_EQ(event_of(pure).shape, 0);
}

// One alternative a different list of releases, and one for the score: a learning rate releases nothing.
TEST(Tuned, SampledRunsAreToldByTheirReleases) {
  const Plan planned =
      plan_tuned(task(table(), {2, 1e-6}), with(kSgd, {{"grid", "batch=200;steps=5,20;learning_rate=0.03,0.1"}}));
  const SelectionEvent event = event_of(planned);
  EXPECT_EQ(event.base_mu, 0);
  EXPECT_EQ(event.base_epsilon, 0);
  ASSERT_EQ(event.alternatives.size(), 3u);
  ASSERT_EQ(planned.tuning->candidates.size(), 4u);
  EXPECT_EQ(planned.tuning->candidates[0].label, "batch=200;steps=5;learning_rate=0.03");
  for (const TuningPlan::Candidate& run : planned.tuning->candidates) {
    EXPECT_NE(std::ranges::find(event.alternatives, run.plan.events), event.alternatives.end());
    EXPECT_EQ(run.plan.task.facts.rows, 1600u);
    EXPECT_LT(run.plan.guarantee.epsilon, 1.4) << "a run has a part of the budget";
    EXPECT_GT(run.plan.guarantee.epsilon, 0.6);
  }
  EXPECT_EQ(event.alternatives[0].at(0).repetitions, 5);
  EXPECT_EQ(event.alternatives[1].at(0).repetitions, 20);
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(event.alternatives[2].at(0).mechanism));
}

// With much noise and a large batch a run of samples is all but Gaussian, and so is the price of choosing among some.
TEST(Tuned, SampledRunsGetAboutWhatGaussianOnesDo) {
  const Task asked = task(table(20'000), {1, 1e-6});
  const double gaussian = plan_tuned(asked, kDescent).tuning->candidates.at(0).plan.guarantee.epsilon;
  const Plan sampled = plan_tuned(asked, {{"method", "sgd"}, {"grid", "batch=4000;steps=50;clip=0.5,1"}});
  EXPECT_NEAR(sampled.tuning->candidates.at(0).plan.guarantee.epsilon, gaussian, 0.02 * gaussian);
}

// A run with small batches costs more at the orders that count; it does not take from the others.
TEST(Tuned, CandidatesHaveEpsilonsOfTheirOwn) {
  const Plan both = plan_tuned(task(table(20'000), {1, 1e-6}), {{"method", "sgd"}, {"grid", "steps=50;batch=50,4000"}});
  const double small = both.tuning->candidates.at(0).plan.guarantee.epsilon,
               large = both.tuning->candidates.at(1).plan.guarantee.epsilon;
  EXPECT_LT(small, 0.9 * large);
  EXPECT_GT(large, 0.45);
  EXPECT_LE(both.guarantee.epsilon, 1);
}

TEST(Tuned, ASampledMethodIsFittedAndScored) {
  const auto rows = table(4000);
  const Plan plan = plan_tuned(task(rows, {6, 1e-6}), {{"method", "sgd"}, {"grid", "batch=400;steps=20,40"}});
  const FitResult result = seeded_fit(plan, rows, 2);
  ASSERT_TRUE(result.tuning);
  EXPECT_GT(result.tuning->score, 0.7);
  EXPECT_EQ(result.events, plan.events);
}

TEST(Tuned, TheMeanNumberOfRunsIsTheOneAskedFor) {
  const auto event = [](const char* distribution) {
    return event_of(plan_tuned(task(table()), with(kDescent, {{"distribution", distribution}, {"repetitions", "20"}})));
  };
  EXPECT_EQ(event("poisson").parameter, 20);
  EXPECT_EQ(event("geometric").parameter, 0.05);
  const double g = event("logarithmic").parameter;
  EXPECT_NEAR((1 / g - 1) / std::log(1 / g), 20, 1e-9);
}

TEST(Tuned, TheNoiseOfAScoreIsTheBaseOnHeldOutRowsAlone) {
  const Plan plan = plan_tuned(task(table()), kDescent);
  const FitResult result = seeded_fit(plan, table(), 1);
  ASSERT_TRUE(result.tuning);
  EXPECT_NEAR(result.tuning->noise, 1 / (event_of(plan).base_mu * 400), 1e-9);
  const Plan pure = plan_tuned(task(table(), {2, 0}), kPure);
  EXPECT_NEAR(seeded_fit(pure, table(), 1).tuning->noise, std::sqrt(2.0) / 400, 1e-6);
}

// Neighbours share the distribution of the split, so a replaced record trains in both tables or scores in both.
TEST(Tuned, AReplacedRecordChangesExactlyOneRowOfOnePart) {
  const auto rows = table(100);
  auto neighbour = rows;
  neighbour.targets[41] = -neighbour.targets[41];
  std::int64_t in_chosen = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto parts = [&](const tests::EncodedTable& each) {
      random::SeededBits bits(seed);
      privacy::Curator curator(bits);
      return data::split(tests::dataset_of(each), curator.draw_subset(100, 20), 20);
    };
    const auto differences = [](const data::Dataset& a, const data::Dataset& b) {
      const auto sum = [](const data::Dataset& part) {
        return SensitiveTestAccess::open(
            part.sums().map([](const engine::RowSums& sums) { return sums.target_sum(1, {1}); }));
      };
      return std::abs(sum(a) - sum(b)) / 2;  // labels are -1 and 1
    };
    const data::Split one = parts(rows), other = parts(neighbour);
    const std::int64_t chosen = differences(one.chosen, other.chosen), rest = differences(one.rest, other.rest);
    EXPECT_EQ(chosen + rest, 1);
    in_chosen += chosen;
  }
  EXPECT_GT(in_chosen, 0);
  EXPECT_LT(in_chosen, 30);
}

TEST(Tuned, TheScoreIsTheHeldOutAccuracyUpToItsNoise) {
  const auto rows = table(20'000);
  const Plan plan = plan_tuned(task(rows, {4, 1e-6}), kDescent);
  const FitResult result = seeded_fit(plan, rows, 1);
  double right = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    right += (tests::dot(result.weights.get(), tests::encoded_row(rows, i)) > 0) == (rows.targets[i] > 0) ? 1 : 0;
  }
  ASSERT_TRUE(result.tuning);
  EXPECT_LT(result.tuning->noise, 0.001);
  // Six standard errors of 4000 held-out rows, and the noise.
  EXPECT_NEAR(result.tuning->score, right / static_cast<double>(rows.rows()), 6 * 0.5 / std::sqrt(4000.0) + 0.006);
}

// Regression is scored by its loss; a penalty of 10 keeps the weights at nothing. Of ten runs on average the bad
// candidate is chosen only if all drew it.
TEST(Tuned, TheBetterCandidateIsChosen) {
  const auto rows = table(5000, false);
  Task asked = task(rows, {4, 1e-6});
  asked.problem.loss.kind = loss::LossKind::squared;
  const Plan plan = plan_tuned(asked, {{"method", "sufficient-statistics"}, {"grid", "l2_penalty=0.001,10"}});
  int better = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const FitResult result = seeded_fit(plan, rows, seed);
    ASSERT_TRUE(result.tuning);
    if (result.tuning->candidate != "l2_penalty=0.001") continue;
    ++better;
    EXPECT_LT(result.tuning->score, 0.1);
  }
  EXPECT_GE(better, 9);
}

TEST(Tuned, NoRunReleasesTheDefaultAndSaysSo) {
  const auto rows = table();
  const Plan plan = plan_tuned(task(rows), with(kDescent, {{"repetitions", "2"}}));
  bool seen = false;
  for (std::uint64_t seed = 0; seed < 200 && !seen; ++seed) {  // no run has probability e^-2
    const FitResult result = seeded_fit(plan, rows, seed);
    ASSERT_TRUE(result.tuning);
    if (!result.tuning->candidate.empty()) continue;
    seen = true;
    EXPECT_EQ(result.weights.get(), std::vector<double>(rows.dimension(), 0.0));
    EXPECT_EQ(result.events, plan.events);
  }
  EXPECT_TRUE(seen);
}

TEST(Tuned, RefusalsSayWhatToDo) {
  const auto refusal = [](const Options& options, Budget budget = {1, 1e-6}, std::size_t rows = 2000) -> std::string {
    try {
      plan_tuned(task(table(rows), budget), options);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect(refusal({{"grid", "steps=2,3"}}), "name of the method");
  expect(refusal({{"method", "auto"}, {"grid", "steps=2,3"}}), "not 'auto'");
  expect(refusal({{"method", "tuned"}, {"grid", "steps=2,3"}}), "not 'tuned'");
  expect(refusal({{"method", "gradient-descent"}}), "needs a grid");
  expect(refusal(with(kDescent, {{"grid", "steps=2,x"}})), "candidate steps=x: `steps` must be a number");
  expect(refusal(with(kDescent, {{"grid", "steps=2,0"}})), "candidate steps=0");
  expect(refusal(with(kDescent, {{"budget", "2"}})), "no option `budget`");
  expect(refusal(with(kDescent, {{"repetitions", "1"}})), "repetitions");
  expect(refusal(with(kDescent, {{"holdout", "0.9"}})), "holdout");
  expect(refusal(kDescent, {1, 1e-6}, 200), "held-out rows are too few");
  expect(refusal(kDescent, {1, 1e-6}, 3), "hold out");
  expect(refusal(kDescent, {1e-4, 1e-6}), "too small for a choice");
  expect(refusal(kDescent, {1, 0}), "needs delta > 0");
  expect(refusal(with(kPure, {{"distribution", "poisson"}}), {1, 0}), "no pure epsilon");
  const char* noise = "releases all have Gaussian noise";
  expect(refusal({{"method", "objective-perturbation"}, {"grid", "l2_penalty=0.01,0.1"}}), noise);
  expect(refusal({{"method", "sgd"}, {"grid", "sampling=fixed-size;steps=2,3"}}), noise);
  expect(refusal({{"method", "sgd"}, {"grid", "neighbours=add-remove;steps=2,3"}}), "replace-one");
  expect(refusal({{"method", "sgd"}, {"grid", "steps=2,3"}}, {1, 0}), "delta > 0");
}

}  // namespace
}  // namespace dperm::methods
