// SPDX-License-Identifier: Apache-2.0
// Methods see rows through engine::RowSums alone: rows in several parts give the same bits as rows in one place, in
// every method and in evaluation.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/method.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"
#include "tests/support/parted_sums.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::methods {
namespace {

using Options = std::map<std::string, std::string>;

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
  std::string method;
  tests::EncodedTable table;
  Task task;
  Options options = {};
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.what; }

Case with_rules(const std::string& what, const std::string& rules) {
  const tests::EncodedTable table = binary_table();
  Task task = task_about(table, loss::LossKind::zero_one, {1, 0});
  task.problem.rules = rules;
  task.facts = facts_of(tests::encoding_for(table), task.problem, table.rows());
  return {"rules_" + what, "exponential", table, task};
}

Case network(const tests::EncodedTable& table, loss::LossKind kind) {
  Task task = task_about(table, kind);
  task.problem.hidden = {4, 3};
  return {"network_" + std::to_string(task.facts.classes), "sgd", table, task, {{"steps", "8"}, {"batch", "60"}}};
}

std::vector<Case> every_method() {
  std::vector<Case> cases;
  for (const Method* method : all_methods()) {
    const bool location = method->name() == "exponential", real = location || method->name() == "sufficient-statistics";
    const tests::EncodedTable table = location ? targets_alone() : real ? real_table() : binary_table();
    const loss::LossKind kind = location ? loss::LossKind::absolute
                                : real   ? loss::LossKind::squared
                                         : loss::LossKind::logistic;
    std::string what(method->name());
    std::replace(what.begin(), what.end(), '-', '_');
    cases.push_back({what, std::string(method->name()), table, task_about(table, kind)});
  }
  return cases;
}

std::vector<Case> linear_cases() {
  const auto binary = binary_table(), real = real_table(), classes = class_table(), alone = targets_alone();
  const Task logistic = task_about(binary, loss::LossKind::logistic),
             squared = task_about(real, loss::LossKind::squared);
  const Task softmax = task_about(classes, loss::LossKind::softmax), mean = task_about(alone, loss::LossKind::squared);
  const Task pure = task_about(binary, loss::LossKind::logistic, {2, 0});
  Task ball = pure, regularised = logistic;
  regularised.problem.l2_penalty = 1;
  const auto narrow = tests::learnable_table(300, 1, {}, true, 8);
  ball.facts = tests::facts_of(narrow);
  return {
      {"descent_squared", "gradient-descent", real, squared, {{"steps", "4"}}},
      {"descent_softmax", "gradient-descent", classes, softmax, {{"steps", "4"}}},
      {"newton", "gradient-descent", binary, logistic, {{"order", "second"}}},
      {"output_certified", "output-perturbation", binary, logistic, {{"solver", "certified"}}},
      {"output_certified_softmax", "output-perturbation", classes, softmax, {{"solver", "certified"}}},
      {"output_descent", "output-perturbation", binary, logistic, {{"solver", "gradient-descent"}}},
      {"output_permutation_sgd", "output-perturbation", binary, logistic, {{"solver", "permutation-sgd"}}},
      {"output_permutation_sgd_batch",
       "output-perturbation",
       binary,
       logistic,
       {{"solver", "permutation-sgd"}, {"batch", "24"}, {"passes", "3"}}},
      {"objective_pure", "objective-perturbation", binary, pure},
      {"objective_softmax", "objective-perturbation", classes, softmax},
      {"one_vs_rest", "objective-perturbation", classes, softmax, {{"classes", "one-vs-rest"}}},
      {"sgd_softmax", "sgd", classes, softmax, {{"steps", "8"}, {"batch", "60"}}},
      {"sgd_fixed_size", "sgd", binary, logistic, {{"steps", "8"}, {"batch", "60"}, {"sampling", "fixed-size"}}},
      {"statistics_row_norm", "sufficient-statistics", real, squared, {{"row_norm", "1.2"}}},
      {"location_mean", "exponential", alone, mean},
      {"location_mean_gaussian", "exponential", alone, mean, {{"mean_noise", "gaussian"}}},
      {"location_loss_score", "exponential", alone, task_about(alone, loss::LossKind::absolute), {{"score", "loss"}}},
      {"ball", "exponential", narrow, ball, {{"grid_bits", "6"}}},
      {"regularised", "exponential", binary, regularised, {{"regularised", "yes"}}},
      {"tuned_descent",
       "tuned",
       binary,
       task_about(binary, loss::LossKind::logistic, {5, 1e-5}),
       {{"method", "gradient-descent"}, {"grid", "steps=2,3"}, {"repetitions", "3"}}},
      {"tuned_sgd",
       "tuned",
       binary,
       task_about(binary, loss::LossKind::logistic, {8, 1e-5}),
       {{"method", "sgd"}, {"grid", "clip=0.5,1;steps=5;batch=60"}, {"repetitions", "3"}}},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = every_method();
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
    privacy::Curator curator(bits);
    return method_named(GetParam().method).fit(plan, dataset, curator, {{threads}, {}}).weights.get();
  }
};

TEST_P(RowSumsInParts, GiveTheSameBits) {
  const Case& each = GetParam();
  const Plan plan = method_named(each.method).plan(each.task, each.options);
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

INSTANTIATE_TEST_SUITE_P(All, RowSumsInParts, testing::ValuesIn(all_cases()),
                         [](const auto& each) { return each.param.what; });

}  // namespace
}  // namespace dperm::methods
