// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/subjects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dperm/core/error.hpp"

namespace dperm::audit {

namespace {

using methods::AlgorithmOptions;
using schema::TargetKind;

struct Case {
  std::string_view name;
  TargetKind target;
  std::size_t columns;
  loss::LossKind loss;
  double l2_penalty, radius;  // 0: the algorithm's own
  double delta;
  AlgorithmOptions options;
  bool tight = false, slow = false;
  std::size_t rows = 20, most_runs = 0, unit_rows = 0;
};

constexpr std::size_t kLevels = 48;  // so many that few rules say otherwise than most about one row

std::shared_ptr<const schema::Encoding> encoding_of(TargetKind target, std::size_t columns, bool level) {
  schema::Schema schema;
  if (level) {  // one column of levels
    schema::Column column{.name = "x1", .kind = schema::ColumnKind::category};
    column.missing = schema::MissingRule::none;
    for (std::size_t i = 0; i < kLevels; ++i) column.values.push_back(fmt::format("v{}", i));
    schema.columns.push_back(column);
    columns = 0;
  }
  for (std::size_t j = 0; j < columns; ++j) {
    schema::Column column{.name = fmt::format("x{}", j + 1), .lower = -1, .upper = 1};
    column.shape = schema::ColumnShape::linear;
    schema.columns.push_back(column);
  }
  schema.target = {.kind = target, .name = "y"};
  if (target == TargetKind::binary) schema.target.positive = {"1"};
  if (target == TargetKind::classes) schema.target.values = {"a", "b", "c"};
  if (target == TargetKind::real) {
    schema.target.lower = -1;
    schema.target.upper = 1;
  }
  return std::make_shared<const schema::Encoding>(schema);
}

// Absolute and Huber losses have slope 1 or -1 at targets far from every score: two opposite targets then differ by the
// whole declared sensitivity, whatever the weights.
std::vector<Case> cases() {
  using enum loss::LossKind;
  using enum TargetKind;
  const double d = kAuditDelta;
  constexpr std::size_t few = 20000, many = 2000000;
  const AlgorithmOptions tuned =
      methods::options_named("tuned", {{"method", "gradient-descent"}, {"grid", "steps=2,3"}, {"repetitions", "2"}});
  return {
      {"gradient-descent", real, 2, absolute, 0, 0.5, d, methods::GradientDescentOptions{.steps = 20}, true},
      {"gradient-descent-logistic", binary, 2, logistic, 0, 0, d, methods::GradientDescentOptions{.steps = 20}},
      {"output-certified", real, 2, huber, 1, 0, d, methods::OutputCertifiedOptions{}, true},
      {"output-certified-pure", real, 2, huber, 1, 0, 0, methods::OutputCertifiedOptions{}, true},
      {"output-certified-logistic", binary, 2, logistic, 1, 0, d, methods::OutputCertifiedOptions{}},
      {"output-descent", real, 2, huber, 1, 0, d, methods::OutputDescentOptions{}, true},
      {"output-sgd", real, 2, huber, 1, 0, d, methods::OutputSgdOptions{}, true},
      {"objective-perturbation", real, 2, huber, 10, 0, d, methods::ObjectivePerturbationOptions{}, true},
      {"objective-perturbation-pure", real, 2, huber, 10, 0, 0, methods::ObjectivePerturbationOptions{}, true},
      {"objective-perturbation-logistic", binary, 2, logistic, 1, 0, d, methods::ObjectivePerturbationOptions{}},
      {"one-vs-rest", classes, 2, softmax, 1, 0, d, methods::OneVsRestOptions{}, false, true},
      {"sufficient-statistics", real, 2, squared, 0, 0, d, methods::SufficientStatisticsOptions{}, false, false, 20,
       many},
      {"exponential-location", real, 0, absolute, 0, 0, 0,
       methods::ExponentialLocationOptions{.choice = methods::ChoiceRule::exponential}},
      {"exponential-location-mean", real, 0, squared, 0, 0, 0, methods::ExponentialLocationOptions{}, true},
      {"exponential-rules", binary, 1, zero_one, 0, 0, 0,
       methods::ExponentialRulesOptions{.choice = methods::ChoiceRule::exponential}, true},
      {"permute-and-flip", binary, 1, zero_one, 0, 0, 0, methods::ExponentialRulesOptions{}, true},
      {"exponential-ball", binary, 1, hinge, 0, 1, 0, methods::ExponentialBallOptions{.grid_bits = 10}, false, true, 20,
       few},
      {"exponential-regularised", binary, 1, logistic, 1, 0, d, methods::ExponentialRegularisedOptions{}, false, true,
       20, few},
      {"newton", binary, 2, logistic, 0, 0, d, methods::NewtonOptions{.steps = 3}},
      {"sgd", real, 2, absolute, 0, 0, d, methods::SgdOptions{.batch = 5, .steps = 10}, true},
      {"sgd-logistic", binary, 2, logistic, 0, 0, d, methods::SgdOptions{.batch = 5, .steps = 10}, true},
      {"constant", binary, 2, logistic, 0, 0, d, methods::ConstantOptions{}, true},
      {"tuned", binary, 2, logistic, 0, 0, d, tuned, false, true, 4000, 1000},
      // A person with three rows.
      {"gradient-descent-unit", real, 2, absolute, 0, 0.5, d, methods::GradientDescentOptions{.steps = 20}, true, false,
       20, 0, 3},
      {"output-certified-unit", real, 2, huber, 1, 0, d, methods::OutputCertifiedOptions{}, true, false, 20, 0, 3},
      {"objective-perturbation-pure-unit", real, 2, huber, 10, 0, 0, methods::ObjectivePerturbationOptions{}, true,
       false, 20, 0, 3},
      {"sgd-unit", real, 2, absolute, 0, 0, d, methods::SgdOptions{.batch = 5, .steps = 10}, true, false, 20, 0, 3},
  };
}

}  // namespace

std::vector<std::string> subject_names() {
  std::vector<std::string> names;
  for (const Case& each : cases()) names.emplace_back(each.name);
  return names;
}

Subject subject(std::string_view name, double epsilon) {
  const std::vector<Case> all = cases();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Case& each) { return each.name == name; });
  if (found == all.end()) {
    throw ArgumentError(
        fmt::format("there is no case '{}' to audit; choose one of: {}", name, fmt::join(subject_names(), ", ")));
  }
  const auto encoding = encoding_of(found->target, found->columns, found->loss == loss::LossKind::zero_one);
  methods::Task task;
  task.problem.loss.kind = found->loss;
  task.problem.loss.threshold = 0.05;  // Huber: straight but for targets near the score
  task.problem.l2_penalty = found->l2_penalty;
  if (found->radius > 0) task.problem.feasible_set = {loss::SetKind::ball, found->radius};
  if (found->loss == loss::LossKind::zero_one) task.problem.rules = "stumps";
  task.facts = methods::facts_of(*encoding, task.problem, found->rows);
  task.facts.unit_rows = found->unit_rows;
  task.budget = {epsilon, found->delta};
  return {.name = std::string(name),
          .encoding = encoding,
          .plan = methods::plan_for(task, found->options),
          .tight = found->tight,
          .rows = found->rows,
          .slow = found->slow,
          .most_runs = found->most_runs};
}

}  // namespace dperm::audit
