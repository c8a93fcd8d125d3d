// SPDX-License-Identifier: Apache-2.0
// Tasks and plans. What a plan holds crosses as the JSON text that model files and `dperm plan --json` have.
#include "dperm/plan.hpp"

#include "python/src/core.hpp"

namespace dperm::python {

namespace {

using Texts = std::map<std::string, std::string>;

using Limit = std::tuple<double, double, double>;  // seconds, cores, seconds of a pass besides

Task task_of(const Schema& schema, std::size_t rows, double epsilon, double delta, const std::string& loss,
             const std::map<std::string, double>& loss_parameters, double l2_penalty, std::optional<double> radius,
             std::optional<double> box, const std::vector<std::size_t>& hidden, const std::string& activation,
             const std::string& rules, const std::optional<Limit>& limit) {
  Task task{.schema = schema, .rows = rows, .problem = {}, .budget = {.epsilon = epsilon, .delta = delta}};
  if (limit) task.time_limit = std::make_from_tuple<TimeLimit>(*limit);
  task.problem.loss = loss.empty() ? default_loss(schema) : loss_named(loss, loss_parameters);
  task.problem.l2_penalty = l2_penalty;
  if (radius && box) throw ArgumentError("box", "and `radius` are two feasible sets; give one of them");
  if (radius) task.problem.feasible_set = {SetKind::ball, *radius};
  if (box) task.problem.feasible_set = {SetKind::box, *box};
  task.problem.hidden = hidden;
  task.problem.activation = network::activation_from_name(activation);
  task.problem.rules = rules;
  return task;
}

Plan planned(const Task& task, const std::string& method, const Texts& options, double holdout,
             const std::string& holdout_groups, double holdout_threshold) {
  if (holdout == 0) return plan(task, NamedMethod{method, options});
  return with_holdout(task, NamedMethod{method, options}, Holdout{holdout, holdout_groups, holdout_threshold});
}

Plan planned_tuned(const Task& task, const std::string& method, const std::string& grid) {
  return plan(task, tuned(method, grid));
}

std::vector<std::tuple<std::string, std::optional<Plan>, std::string>> compared(const Task& task,
                                                                                const Texts& options) {
  std::vector<std::tuple<std::string, std::optional<Plan>, std::string>> result;
  for (Alternative& each : compare(task, NamedMethod{"auto", options})) {
    result.emplace_back(std::move(each.method), std::move(each.plan), std::move(each.refusal));
  }
  return result;
}

// (excess risk, lower, upper, accuracy lost, its lower, its upper)
using ForecastTuple = std::tuple<double, double, double, std::optional<double>, double, double>;
std::optional<ForecastTuple> forecast_of(const Plan& self) {
  const auto& told = self.forecast();
  if (!told) return std::nullopt;
  return ForecastTuple{
      told->excess_risk,        told->lower, told->upper, told->accuracy_lost, told->accuracy_lost_lower,
      told->accuracy_lost_upper};
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<Task>(module, "Task", "What is to be learned, in public facts alone.");
  module.def(
      "budget_warnings",
      [](std::size_t rows, double epsilon, double delta) { return budget_warnings({epsilon, delta}, rows); },
      nb::arg("rows"), nb::arg("epsilon"), nb::arg("delta"));
  module.def("make_task", &task_of, nb::arg("schema"), nb::arg("rows"), nb::arg("epsilon"), nb::arg("delta"),
             nb::arg("loss"), nb::arg("loss_parameters"), nb::arg("l2_penalty"), nb::arg("radius").none(),
             nb::arg("box").none(), nb::arg("hidden"), nb::arg("activation"), nb::arg("rules"),
             nb::arg("time_limit").none());
  nb::class_<Plan>(module, "Plan", "Everything decided before a record is read; can be run.")
      .def_prop_ro("algorithm", [](const Plan& self) { return std::string(self.algorithm()); })
      .def_prop_ro("method", [](const Plan& self) { return std::string(self.method()); })
      .def_prop_ro("rows", &Plan::rows)
      .def_prop_ro("schema", &Plan::schema, nb::rv_policy::copy)
      .def_prop_ro("forecast", &forecast_of)
      .def_prop_ro("cost",
                   [](const Plan& self) {
                     const Cost& told = self.cost();
                     return std::make_tuple(told.core_seconds, told.bytes, told.passes, told.rounds);
                   })
      .def("to_json", &Plan::to_json);
  module.def("plan", &planned, nb::arg("task"), nb::arg("method"), nb::arg("options"), nb::arg("holdout"),
             nb::arg("holdout_groups"), nb::arg("holdout_threshold"), Unlocked());
  module.def("plan_tuned", &planned_tuned, nb::arg("task"), nb::arg("method"), nb::arg("grid"), Unlocked());
  module.def("compare", &compared, nb::arg("task"), nb::arg("options"), Unlocked());
}

}  // namespace dperm::python
