// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"

namespace dperm::planner {

namespace {

// What to expect of it where some rows stay blank: what a table without them gives, since noise is that of sums.
std::optional<Forecast> forecast_for(const methods::Plan& plan, const methods::Planner& planner,
                                     const Population& population, std::size_t teaching_rows) {
  if (teaching_rows == 0 || teaching_rows == plan.task.facts.rows) return forecast(plan, population);
  methods::Task fewer = plan.task;
  fewer.facts.rows = teaching_rows;
  try {
    return forecast(planner(fewer), population);
  } catch (const ArgumentError&) {
    return forecast(plan, population);  // options for all rows, such as a batch, may not suit so few
  }
}

Alternative planned(const methods::NamedPlanner& planner, const methods::Task& task, const Population& population,
                    std::size_t teaching_rows) {
  Alternative result{planner.method, planner.plan, planner.plan(task), std::nullopt, ""};
  result.predicted = forecast_for(*result.plan, planner.plan, population, teaching_rows);
  result.cost = cost_of(*result.plan);
  return result;
}

Alternative alternative(const methods::NamedPlanner& planner, const methods::Task& task, const Population& population,
                        std::size_t teaching_rows = 0) {
  try {
    return planned(planner, task, population, teaching_rows);
  } catch (const ArgumentError& error) {
    return {planner.method, planner.plan, std::nullopt, std::nullopt, error.what()};
  }
}

// For softmax regression sgd alone is forecast. Measured on covertype and on digits, sgd, of which nothing is proven,
// does better than a proven bound above one percent of the loss of zero weights: it clips gradients to the length they
// have.
constexpr double kConvincing = 0.01;

// A difference of expected risks below this share of the sampling error of the risk is none.
constexpr double kUnseen = 0.1;

bool promises_little(const Alternative& each) {
  if (!each.plan || !std::isfinite(each.expected_risk())) return false;
  const methods::Task& task = each.plan->task;
  if (methods::model_form(task.problem) != methods::ModelForm::multiclass) return false;
  const double zero = loss::constants(task.problem.loss, 0, task.facts.classes).largest_value;
  return each.expected_risk() >= kConvincing * zero;
}

bool clips(const Alternative& each) {
  return each.plan && each.plan->error_model && std::isfinite(each.plan->error_model->clip);
}

// A penalty or a set asks for one particular minimum, from which clipping would lead away; so does a mean or a quantile
// without features, for which there are exact methods.
bool clips_away(const Alternative& each) {
  if (!clips(each)) return false;
  const methods::Task& task = each.plan->task;
  return task.problem.l2_penalty > 0 || task.problem.feasible_set.kind != loss::SetKind::unconstrained ||
         task.facts.dimension == 1;
}

// Steps paced by what the table can teach: on 33 public tables they were best or nearly so at every epsilon, and the
// forecasts of the others are rougher.
bool is_paced(const Alternative& each) {
  return clips(each) && !clips_away(each) && methods::model_form(each.plan->task.problem) == methods::ModelForm::linear;
}

bool second_choice(const Alternative& each) { return promises_little(each) || clips_away(each); }

}  // namespace

double Alternative::expected_risk() const {
  if (!plan) return std::numeric_limits<double>::infinity();
  // With several classes only one method is forecast: there bounds decide, and promises_little.
  const bool comparable = methods::model_form(plan->task.problem) != methods::ModelForm::multiclass;
  return straight_cost + (predicted && comparable ? predicted->excess_risk : plan->utility.excess_risk);
}

namespace {

void sort_by_risk(std::vector<Alternative>& alternatives) {
  std::stable_sort(alternatives.begin(), alternatives.end(), [](const Alternative& a, const Alternative& b) {
    if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
    if (second_choice(a) != second_choice(b)) return second_choice(b);
    if (is_paced(a) != is_paced(b)) return is_paced(a);
    return a.expected_risk() < b.expected_risk();
  });
}

// Below this nobody waits, and the order is that of risks alone.
constexpr double kNoWait = 1;

// Rounder forecasts are not told apart by less than what the rows themselves leave open.
void prefer_fast(std::vector<Alternative>& alternatives) {
  const Alternative& first = alternatives.front();
  if (!first.plan || second_choice(first) || first.cost.seconds <= kNoWait) return;
  const double enough = first.expected_risk() + kUnseen * sampling_error_of_risk(first.plan->task);
  auto fastest = alternatives.begin();
  for (auto each = alternatives.begin(); each != alternatives.end(); ++each) {
    if (!each->plan || !each->predicted || second_choice(*each) || !(each->expected_risk() <= enough)) continue;
    if (each->cost.seconds < fastest->cost.seconds) fastest = each;
  }
  std::rotate(alternatives.begin(), fastest, fastest + 1);
}

// What looks at no feature is never taken for its risk, which nothing public tells, but where no model is worth it.
void place_constant(std::vector<Alternative>& alternatives, const methods::Task& linear) {
  if (alternatives.size() <= 1) return;  // asked for by name
  const auto constant = std::find_if(alternatives.begin(), alternatives.end(), [](const Alternative& each) {
    return each.method == methods::method_name(methods::ConstantOptions{});
  });
  if (constant == alternatives.end()) return;
  if (constant->plan) constant->worth_from = too_small(linear);
  if (constant->worth_from) {
    std::rotate(alternatives.begin(), constant, constant + 1);
  } else {
    alternatives.erase(constant);
  }
}

double seconds_for(const Alternative& each, const Question& question) {
  return seconds_on(each.cost, question.cores, question.pass_overhead);
}

bool takes_too_long(const Alternative& each, const Question& question) {
  return each.plan && question.time_limit && seconds_for(each, question) > *question.time_limit;
}

std::string too_long_text(const Alternative& each, const Question& question) {
  const bool steps = std::holds_alternative<methods::SgdOptions>(each.plan->options) ||
                     std::holds_alternative<methods::GradientDescentOptions>(each.plan->options);
  return fmt::format("{} would take about {:.2g} s once the rows are read, {:g} are allowed{}", each.method,
                     seconds_for(each, question), *question.time_limit,
                     steps ? "; `steps` or more time would help" : "");
}

// By public facts: a run is never cut short, because when it was would tell about the machine, and the budget is spent.
void refuse_slow(std::vector<Alternative>& alternatives, const Question& question) {
  for (Alternative& each : alternatives) {
    if (!takes_too_long(each, question)) continue;
    each.refusal = too_long_text(each, question);
    each.plan.reset();
  }
  std::stable_partition(alternatives.begin(), alternatives.end(),
                        [](const Alternative& each) { return each.plan.has_value(); });
}

Alternative first_of(std::vector<Alternative> alternatives) {
  if (!alternatives.empty() && alternatives.front().plan) return std::move(alternatives.front());
  std::string reasons;
  for (const Alternative& each : alternatives) reasons += fmt::format("\n  {}: {}", each.method, each.refusal);
  throw ArgumentError("no method applies to this task:" + reasons);
}

// Without privacy lines lose this much to curves, typically: 0.001 to 0.04 on adult, bank, credit and covertype
// (logistic loss), 0.001 and 0.01 on power and california (squared, the target in [-1, 1]).
constexpr double kStraightMargin = 0.01, kStraightReal = 0.003;
constexpr double kStraightClasses = 0.03;  // census tables and covertype, 3 to 14 classes

double straight_cost(const ShapedTask& asked, const ShapedTask& curves) {
  if (asked.task.facts.dimension == curves.task.facts.dimension) return 0;
  const loss::LossKind kind = asked.task.problem.loss.kind;
  if (kind == loss::LossKind::softmax) return kStraightClasses;
  return loss::is_classification(kind) ? kStraightMargin : kStraightReal;
}

OpenShapes open_shapes(const methods::NamedPlanner& planner) {
  return planner.takes_curves ? OpenShapes::curves : OpenShapes::linear;
}

}  // namespace

std::vector<Alternative> compare(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                                 const Population& population) {
  methods::validate(task);
  std::vector<Alternative> result;
  for (const methods::NamedPlanner& each : planners) result.push_back(alternative(each, task, population));
  sort_by_risk(result);
  prefer_fast(result);
  place_constant(result, task);
  return result;
}

Alternative choose(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                   const Population& population) {
  if (planners.size() == 1) return planned(planners.front(), task, population, 0);
  return first_of(compare(task, planners, population));
}

std::vector<Alternative> compare(const Question& question, const std::vector<methods::NamedPlanner>& planners) {
  const auto linear = std::make_shared<const ShapedTask>(shaped(question, OpenShapes::linear));
  const auto curves = std::make_shared<const ShapedTask>(shaped(question, OpenShapes::curves));
  std::vector<Alternative> result;
  for (const methods::NamedPlanner& each : planners) {
    const auto& asked = open_shapes(each) == OpenShapes::curves ? curves : linear;
    result.push_back(alternative(each, asked->task, asked->population, question.teaching_rows));
    result.back().asked = asked;
    result.back().straight_cost = straight_cost(*asked, *curves);
  }
  sort_by_risk(result);
  prefer_fast(result);
  place_constant(result, linear->task);
  refuse_slow(result, question);
  return result;
}

Alternative choose(const Question& question, const std::vector<methods::NamedPlanner>& planners) {
  if (planners.size() != 1) return first_of(compare(question, planners));
  const auto asked = std::make_shared<const ShapedTask>(shaped(question, open_shapes(planners.front())));
  Alternative only = planned(planners.front(), asked->task, asked->population, question.teaching_rows);
  only.asked = asked;
  if (takes_too_long(only, question)) throw ArgumentError(too_long_text(only, question));
  return only;
}

}  // namespace dperm::planner
