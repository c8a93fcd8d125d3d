// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan.hpp"

#include "dperm/api/internal_task.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/planner/compare.hpp"
#include "dperm/planner/needed_epsilon.hpp"
#include "dperm/planner/needed_rows.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm {

namespace {

std::optional<Forecast> told(const std::optional<planner::Forecast>& forecast) {
  if (!forecast) return std::nullopt;
  Forecast result{forecast->excess_risk, forecast->lower, forecast->upper, forecast->accuracy_lost};
  if (result.accuracy_lost) {
    result.accuracy_lost_lower = forecast->told.lower;
    result.accuracy_lost_upper = forecast->told.upper;
  }
  return result;
}

Cost told(const planner::Cost& cost) { return {cost.seconds, cost.bytes, cost.passes, cost.rounds}; }

methods::Planner planner_of(const AlgorithmOptions& options) {
  return [&options](const methods::Task& task) { return methods::plan_for(task, options); };
}

methods::NamedPlanner named_planner(const AlgorithmOptions& options) {
  const auto* tuned = std::get_if<methods::TunedOptions>(&options);
  const std::string_view method = tuned != nullptr ? tuned->method : methods::method_name(options);
  return {std::string(method), planner_of(options), methods::method_named(method).takes_curves()};
}

planner::ShapedTask shaped(const Task& task, const AlgorithmOptions& options) {
  const bool curves = named_planner(options).takes_curves;
  return planner::shaped(api::question(task), curves ? planner::OpenShapes::curves : planner::OpenShapes::linear);
}

Plan made(planner::Alternative&& planned) {
  const Cost cost = told(planned.cost);
  return Plan(planned.asked->encoding->schema(), std::make_shared<const methods::Plan>(std::move(*planned.plan)),
              told(planned.predicted), cost);
}

}  // namespace

std::string_view Plan::algorithm() const { return methods::algorithm_name(plan_->options); }
std::string_view Plan::method() const { return methods::method_name(plan_->options); }
const Problem& Plan::problem() const { return plan_->task.problem; }
std::size_t Plan::rows() const { return plan_->task.facts.rows; }
const std::vector<PrivacyEvent>& Plan::events() const { return plan_->events; }
const Guarantee& Plan::guarantee() const { return plan_->guarantee; }
const UtilityBound& Plan::utility() const { return plan_->utility; }
const std::vector<DerivationStep>& Plan::derivation() const { return plan_->derivation; }

std::string Plan::to_json() const { return model::plan_to_json(*plan_); }

Plan plan(const Task& task, const AlgorithmOptions& options) {
  return made(planner::choose(api::question(task), {named_planner(options)}));
}

Plan plan(const Task& task) { return plan(task, NamedMethod{}); }

Plan plan(const Task& task, const NamedMethod& method) {
  return made(planner::choose(api::question(task), methods::planners(method.name, method.options)));
}

namespace {

planner::Question without_held_out(const Task& task, const Holdout& holdout) {
  Task fewer = task;
  fewer.rows = methods::training_rows(task.rows, holdout.share, task.schema);
  planner::Question question = api::question(fewer);
  question.teaching_rows = methods::teaching_rows(task.rows, holdout.share);
  return question;
}

Plan kept_out(const Plan& training, std::size_t rows, const Holdout& holdout) {
  methods::Plan whole =
      methods::with_holdout(training.details(), rows, {holdout.share, {holdout.groups, holdout.threshold}},
                            schema::Encoding(training.schema()));
  return Plan(training.schema(), std::make_shared<const methods::Plan>(std::move(whole)), training.forecast(),
              training.cost());
}

}  // namespace

Plan with_holdout(const Task& task, const Holdout& holdout) { return with_holdout(task, NamedMethod{}, holdout); }

Plan with_holdout(const Task& task, const AlgorithmOptions& options, const Holdout& holdout) {
  return kept_out(made(planner::choose(without_held_out(task, holdout), {named_planner(options)})), task.rows, holdout);
}

Plan with_holdout(const Task& task, const NamedMethod& method, const Holdout& holdout) {
  return kept_out(
      made(planner::choose(without_held_out(task, holdout), methods::planners(method.name, method.options))), task.rows,
      holdout);
}

AlgorithmOptions tuned(std::string_view method, std::string_view grid) {
  return methods::options_named("tuned", {{"method", std::string(method)}, {"grid", std::string(grid)}});
}

std::vector<Alternative> compare(const Task& task, const NamedMethod& method) {
  std::vector<Alternative> result;
  const auto planners = methods::planners(method.name, method.options);
  for (planner::Alternative& each : planner::compare(api::question(task), planners)) {
    Alternative& told_of = result.emplace_back(Alternative{each.method, std::nullopt, each.refusal});
    if (each.plan) told_of.plan = made(std::move(each));
  }
  return result;
}

std::optional<std::size_t> rows_needed(const Task& task, const AlgorithmOptions& options, double excess_risk) {
  return planner::needed_rows(planner_of(options), shaped(task, options).task, excess_risk);
}

std::optional<double> epsilon_needed(const Task& task, const AlgorithmOptions& options, double excess_risk) {
  return planner::needed_epsilon(planner_of(options), shaped(task, options).task, excess_risk);
}

}  // namespace dperm
