// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"

namespace dperm::planner {

namespace {

bool has_option(const methods::Method& method, const std::string& name) {
  const auto specs = method.options();
  return std::any_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
}

void check_options_exist(const GivenOptions& given) {
  const auto all = methods::all_methods();
  for (const auto& option : given) {
    const std::string& name = option.first;
    if (std::none_of(all.begin(), all.end(), [&](const auto* method) { return has_option(*method, name); })) {
      throw ArgumentError(fmt::format("no method has an option '{}'", name));
    }
  }
}

Alternative planned(const methods::Method& method, const methods::Task& task, const GivenOptions& given,
                    const Population& population) {
  Alternative result{std::string(method.name()), method.plan(task, given), std::nullopt, ""};
  result.predicted = forecast(*result.plan, population);
  return result;
}

Alternative alternative(const methods::Method& method, const methods::Task& task, const GivenOptions& given,
                        const Population& population) {
  Alternative result{std::string(method.name()), std::nullopt, std::nullopt, ""};
  try {
    return planned(method, task, given, population);
  } catch (const ArgumentError& error) {
    result.refusal = error.what();
  }
  return result;
}

// Of softmax regression nothing is predicted. Measured on covertype and on digits, sgd, of which nothing is proven,
// does better than a proven bound above one percent of the loss of zero weights: it clips gradients to the length they
// have.
constexpr double kConvincing = 0.01;

bool promises_little(const Alternative& each) {
  if (!each.plan || each.predicted || !std::isfinite(each.expected_risk())) return false;
  const methods::Task& task = each.plan->task;
  if (methods::model_form(task.problem) != methods::ModelForm::multiclass) return false;
  const double zero = loss::constants(task.problem.loss, 0, task.facts.classes).largest_value;
  return each.expected_risk() >= kConvincing * zero;
}

// Steps on samples hold a row-major copy of the encoded table; beyond this many cells auto leaves them out.
constexpr double kMostCells = 0x1p30;

bool clips(const Alternative& each) {
  return each.plan && each.plan->error_model && std::isfinite(each.plan->error_model->clip);
}

// A penalty or a set asks for one particular minimum, from which clipping would lead away; so does a mean or a quantile
// without features, for which there are exact methods.
bool clips_away(const Alternative& each) {
  if (!clips(each)) return false;
  const methods::Task& task = each.plan->task;
  const double cells = static_cast<double>(task.facts.rows) * static_cast<double>(task.facts.columns);
  return task.problem.l2_penalty > 0 || task.problem.feasible_set.kind != loss::SetKind::unconstrained ||
         task.facts.dimension == 1 || cells > kMostCells;
}

// With the smoothed hinge clipping fell behind its prediction, by up to half a point on two of four public tables
// (docs/prediction.md): it has to be well ahead.
constexpr double kDoubt = 4.0 / 3;

bool second_choice(const Alternative& each) { return promises_little(each) || clips_away(each); }

}  // namespace

double Alternative::expected_risk() const {
  if (!plan) return std::numeric_limits<double>::infinity();
  if (!predicted) return plan->utility.excess_risk;
  const bool doubtful = clips(*this) && plan->task.problem.loss.kind == loss::LossKind::smoothed_hinge;
  return predicted->ranked_by * (doubtful ? kDoubt : 1);
}

std::vector<Alternative> compare(const methods::Task& task, const GivenOptions& given, const Population& population) {
  methods::validate(task);
  check_options_exist(given);
  std::vector<Alternative> result;
  for (const methods::Method* method : methods::all_methods()) {
    result.push_back(alternative(*method, task, given, population));
  }
  std::stable_sort(result.begin(), result.end(), [](const Alternative& a, const Alternative& b) {
    if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
    if (second_choice(a) != second_choice(b)) return second_choice(b);
    return a.expected_risk() < b.expected_risk();
  });
  return result;
}

Alternative choose(const std::string& method, const methods::Task& task, const GivenOptions& given,
                   const Population& population) {
  if (method != "auto") return planned(methods::method_named(method), task, given, population);
  const std::vector<Alternative> alternatives = compare(task, given, population);
  if (alternatives.front().plan) return alternatives.front();
  std::string reasons;
  for (const Alternative& each : alternatives) reasons += fmt::format("\n  {}: {}", each.method, each.refusal);
  throw ArgumentError("no method answers this task:" + reasons);
}

}  // namespace dperm::planner
