// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/cost.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/planner/compare.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::planner {
namespace {

methods::Task census(std::size_t rows) {
  methods::Task task;
  task.facts = {.rows = rows, .dimension = 109, .columns = 15};
  task.budget = {1, 1e-9};
  return task;
}

Cost cost(const methods::Task& task, const std::string& method, const methods::Texts& options = {}) {
  return choose(task, methods::planners(method, options), population_of(task.facts)).cost;
}

// bench/clipped_pass and bench/scaling.py on the machine that the model was measured on: within a factor of two.
TEST(Cost, IsAboutWhatWasMeasured) {
  const auto near = [](double seconds, double measured) { return seconds > measured / 2 && seconds < measured * 2; };
  const methods::Task task = census(8'000'000);
  const Cost all = cost(task, "sgd", {{"steps", "100"}, {"batch", "8000000"}});
  EXPECT_TRUE(near(all.seconds, 8e8 / 239e6)) << all.seconds;
  EXPECT_EQ(all.passes, 100);
  const Cost tenth = cost(task, "sgd", {{"steps", "100"}, {"batch", "800000"}});
  EXPECT_TRUE(near(tenth.seconds, 8e8 / 307e6)) << tenth.seconds;
  EXPECT_NEAR(tenth.passes, 10, 1e-6);
  EXPECT_EQ(tenth.rounds, 100) << "every sample is asked of all rows";
  const Cost few = cost(task, "sgd", {{"steps", "100"}, {"batch", "8000"}});
  EXPECT_TRUE(near(few.seconds, 8e8 / 833e6)) << few.seconds;
  methods::Task curves = task;
  curves.facts.knots = true;
  const Cost curved = cost(curves, "sgd", {{"steps", "100"}, {"batch", "8000000"}});
  EXPECT_TRUE(near(curved.seconds, 8e8 / 111e6)) << curved.seconds;
  EXPECT_TRUE(near(all.bytes, 8e6 * 25.5 + 25e6)) << all.bytes;
}

TEST(Cost, GrowsWithRowsAndSteps) {
  const double one = cost(census(10'000'000), "gradient-descent", {{"steps", "50"}}).seconds;
  EXPECT_NEAR(cost(census(20'000'000), "gradient-descent", {{"steps", "50"}}).seconds / one, 2, 0.1);
  EXPECT_NEAR(cost(census(10'000'000), "gradient-descent", {{"steps", "100"}}).seconds / one, 2, 0.1);
}

TEST(SamplingErrorOfRisk, FallsWithTheRootOfTheRows) {
  EXPECT_DOUBLE_EQ(sampling_error_of_risk(census(10000)), 0.004);
  EXPECT_DOUBLE_EQ(sampling_error_of_risk(census(1'000'000)), 0.0004);
}

Question question(std::size_t rows, std::optional<double> limit) {
  Question asked;
  asked.schema = schema::parse_schema(
      "version = 1\n[target]\ncolumn = \"y\"\nkind = \"binary\"\npositive = \"1\"\n"
      "[[column]]\nnames = [\"a\", \"b\", \"c\"]\nkind = \"real\"\nlower = 0\nupper = 1\n",
      "test");
  asked.rows = rows;
  asked.budget = {1, 1e-9};
  asked.time_limit = limit;
  return asked;
}

TEST(TimeLimit, TakesWhatKeepsToItOrSaysHowLongItWouldTake) {
  const auto all = methods::planners("auto", {});
  const Alternative free = choose(question(50'000'000, {}), all);
  ASSERT_GT(free.cost.seconds, 5);
  const Alternative bounded = choose(question(50'000'000, 0.8 * free.cost.seconds), all);
  EXPECT_LE(bounded.cost.seconds, 0.8 * free.cost.seconds);
  EXPECT_NE(bounded.method, free.method);
  EXPECT_THROW(choose(question(50'000'000, 1e-3), all), ArgumentError);
  EXPECT_THROW(choose(question(50'000'000, 1e-3), methods::planners(free.method, {})), ArgumentError);
  EXPECT_EQ(choose(question(50'000'000, 1e6), all).method, free.method);
}

// 100 jobs of half a second are 50 s, however many cores there are.
TEST(TimeLimit, CountsJobsWhereRowsLieOnOtherMachines) {
  const auto steps = methods::planners("sgd", {{"steps", "100"}});
  Question asked = question(1'000'000, 40);
  asked.cores = 1000;
  EXPECT_LT(choose(asked, steps).cost.seconds, 40);
  asked.pass_overhead = 0.5;
  EXPECT_THROW(choose(asked, steps), ArgumentError);
  asked.time_limit = 60;
  EXPECT_EQ(choose(asked, steps).cost.rounds, 100);
}

}  // namespace
}  // namespace dperm::planner
