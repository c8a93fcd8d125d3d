// SPDX-License-Identifier: Apache-2.0
// Methods see rows through engine::RowSums alone: rows in several parts give the same bits as rows in one place, in
// every algorithm and in evaluation.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "dperm/core/interrupt.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/open_sensitive.hpp"
#include "tests/support/parted_sums.hpp"
#include "tests/support/remote_sums.hpp"

namespace dperm::methods {
namespace {

tests::EncodedTable binary_table() { return tests::learnable_table(700, 2, {3, 2}, true, 5); }
tests::EncodedTable real_table() { return tests::learnable_table(700, 2, {3}, false, 6); }
tests::EncodedTable class_table() { return tests::class_table(700, 2, {3}, 3, 7); }
tests::EncodedTable targets_alone() { return {{}, {}, {}, real_table().targets}; }

Task task_about(const tests::EncodedTable& table, loss::LossKind kind, Budget budget = {2, 1e-5}) {
  Task task;
  task.problem.loss.kind = kind;
  task.facts = tests::facts_of(table);
  task.budget = budget;
  return task;
}

struct Case {
  std::string what;
  tests::EncodedTable table;
  Task task;
  AlgorithmOptions options = {};
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.what; }

Case with_rules(const std::string& what, const std::string& rules) {
  const tests::EncodedTable table = binary_table();
  Task task = task_about(table, loss::LossKind::zero_one, {1, 0});
  task.problem.rules = rules;
  task.facts = facts_of(tests::encoding_for(table), task.problem, table.rows());
  return {"rules_" + what, table, task, ExponentialRulesOptions{}};
}

Case network(const tests::EncodedTable& table, loss::LossKind kind) {
  Task task = task_about(table, kind);
  task.problem.hidden = {4, 3};
  return {"network_" + std::to_string(task.facts.classes), table, task, SgdOptions{.batch = 60, .steps = 8}};
}

// Each with a task that it applies to.
std::vector<Case> every_algorithm() {
  std::vector<Case> cases;
  for (const AlgorithmOptions& options : all_algorithms()) {
    std::string what(algorithm_name(options));
    std::replace(what.begin(), what.end(), '-', '_');
    tests::Example example = tests::example_for(options, 700, 4);
    cases.push_back({"default_" + what, std::move(example.table), example.task, options});
  }
  return cases;
}

std::vector<Case> linear_cases() {
  const auto binary = binary_table(), real = real_table(), classes = class_table(), alone = targets_alone();
  const Task logistic = task_about(binary, loss::LossKind::logistic),
             pure = task_about(binary, loss::LossKind::logistic, {2, 0});
  const Task squared = task_about(real, loss::LossKind::squared),
             softmax = task_about(classes, loss::LossKind::softmax);
  const Task mean = task_about(alone, loss::LossKind::squared), median = task_about(alone, loss::LossKind::absolute);
  const Task rich = task_about(binary, loss::LossKind::logistic, {8, 1e-5});
  const SgdOptions few{.batch = 60, .steps = 8},
      fixed{.batch = 60, .steps = 8, .sampling = privacy::Sampling::fixed_size};
  return {
      {"descent_squared", real, squared, GradientDescentOptions{.steps = 4}},
      {"descent_softmax", classes, softmax, GradientDescentOptions{.steps = 4}},
      {"output_certified_softmax", classes, softmax, OutputCertifiedOptions{}},
      {"output_sgd_batch", binary, logistic, OutputSgdOptions{.passes = 3, .batch = 24}},
      {"objective_pure", binary, pure, ObjectivePerturbationOptions{}},
      {"objective_softmax", classes, softmax, ObjectivePerturbationOptions{}},
      {"sgd_softmax", classes, softmax, few},
      {"sgd_fixed_size", binary, logistic, fixed},
      {"statistics_row_norm", real, squared, SufficientStatisticsOptions{.row_norm = 1.2}},
      {"location_mean", alone, mean, ExponentialLocationOptions{}},
      {"location_mean_gaussian", alone, mean, ExponentialLocationOptions{.mean_noise = MeanNoise::gaussian}},
      {"location_loss_score", alone, median, ExponentialLocationOptions{.score = LocationScore::loss}},
      {"constant_softmax", classes, softmax, ConstantOptions{}},
      {"constant_squared", real, squared, ConstantOptions{}},
      {"tuned_descent", binary, rich,
       options_named("tuned", {{"method", "gradient-descent"}, {"grid", "steps=2,3"}, {"repetitions", "3"}})},
      {"tuned_sgd", binary, rich,
       options_named("tuned", {{"method", "sgd"}, {"grid", "clip=0.5,1;steps=5;batch=60"}, {"repetitions", "3"}})},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = every_algorithm();
  for (Case& each : linear_cases()) cases.push_back(std::move(each));
  cases.push_back(network(binary_table(), loss::LossKind::logistic));
  cases.push_back(network(class_table(), loss::LossKind::softmax));
  for (const auto& [what, rules] :
       std::map<std::string, std::string>{{"stumps", "stumps"},
                                          {"thresholds", "thresholds(0 real, parts=100)"},
                                          {"intervals", "intervals(0 real, parts=12)"},
                                          {"conjunctions", "conjunctions(literals=2)"},
                                          {"rectangles", "rectangles(0 real, 1 real, parts=4)"},
                                          {"halfspaces", "halfspaces(parts=6)"},
                                          {"listed", "rules\nnever\n\"0 real\" >= 0\n\"0 category\" = 1\nalways\n"}}) {
    cases.push_back(with_rules(what, rules));
  }
  return cases;
}

class RowSumsInParts : public testing::TestWithParam<Case> {
 protected:
  static std::vector<double> fitted(const Plan& plan, const data::Dataset& dataset, int threads) {
    random::SeededBits bits(11);
    privacy::Curator curator(bits, plan.guarantee.neighbours);
    return fit(plan, dataset, curator, {{threads}, {}}).weights.get();
  }
};

TEST_P(RowSumsInParts, GiveTheSameBits) {
  const Case& each = GetParam();
  const Plan plan = plan_for(each.task, each.options);
  const data::Dataset whole = tests::dataset_of(each.table), parts = tests::parted_dataset_of(each.table);
  const std::vector<double> weights = fitted(plan, whole, 1);
  EXPECT_EQ(fitted(plan, parts, 2), weights);
  // What the model is worth: with noise and without, and its answers row by row.
  const FittedModel model{plan.task, weights};
  const auto answers = [&](const data::Dataset& dataset) {
    return SensitiveTestAccess::open(
        dataset.sums().map([&](const engine::RowSums& sums) { return outputs(sums, dataset.encoding(), model, {2}); }));
  };
  EXPECT_EQ(answers(parts), answers(whole));
  for (const Metric metric : {Metric::accuracy, Metric::loss}) {
    const bool classification = loss::is_classification(plan.task.problem.loss.kind);
    if (metric == Metric::accuracy && !classification) continue;
    if (metric == Metric::loss && model_form(plan.task.problem) == ModelForm::rule) continue;
    const EvaluationQuery query{metric, model, {2}};
    EXPECT_EQ(SensitiveTestAccess::open(metric_sum(parts, query)), SensitiveTestAccess::open(metric_sum(whole, query)));
  }
}

// Rows on other machines, which are asked in bytes. Tuning keeps rows out by their numbers, and rows do not travel.
TEST_P(RowSumsInParts, GiveTheSameBitsFromOtherMachines) {
  const Case& each = GetParam();
  const Plan plan = plan_for(each.task, each.options);
  const data::Dataset remote = tests::remote_dataset_of(each.table, 3);
  if (each.what.find("tuned") != std::string::npos) {
    EXPECT_THROW(fitted(plan, remote, 1), ArgumentError);
    return;
  }
  const data::Dataset whole = tests::dataset_of(each.table);
  const std::vector<double> weights = fitted(plan, whole, 1);
  EXPECT_EQ(fitted(plan, remote, 1), weights);
  if (!loss::is_classification(plan.task.problem.loss.kind)) return;
  const EvaluationQuery query{Metric::accuracy, {plan.task, weights}, {1}};
  EXPECT_EQ(SensitiveTestAccess::open(metric_sum(remote, query)), SensitiveTestAccess::open(metric_sum(whole, query)));
}

// A caller that wants to stop is asked in the passes themselves, not between steps alone.
TEST_P(RowSumsInParts, CanBeEndedInAPass) {
  struct Enough : std::exception {};
  const Case& each = GetParam();
  const Plan plan = plan_for(each.task, each.options);
  const data::Dataset whole = tests::dataset_of(each.table);
  int looks = 0;
  const InterruptScope scope([&] {
    ++looks;
    throw Enough();
  });
  EXPECT_THROW(fitted(plan, whole, 2), Enough);
  EXPECT_EQ(looks, 1);
}

INSTANTIATE_TEST_SUITE_P(All, RowSumsInParts, testing::ValuesIn(all_cases()),
                         [](const auto& each) { return each.param.what; });

}  // namespace
}  // namespace dperm::methods
