// SPDX-License-Identifier: Apache-2.0
// The methods as the command line names them: a word for one algorithm, or for several among which options and task
// choose. The text edge of planning: everything below works with typed options.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/methods/algorithms.hpp"

namespace dperm::methods {

class Method {
 public:
  virtual ~Method() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::span<const OptionSpec> options() const = 0;  // of all its algorithms, and those that choose among them
  // The algorithm that takes on the task, with its options. Throws ArgumentError for an option that the method, or the
  // algorithm, does not have.
  virtual AlgorithmOptions resolve(const Task& task, const Texts& given) const = 0;
  virtual Plan plan(const Task& task, const Texts& given) const { return plan_for(task, resolve(task, given)); }
  // Noise of methods that clip gradients does not grow with the number of features of a row: curves pay there.
  virtual bool takes_curves() const { return false; }
};

std::span<const Method* const> all_methods();       // that protect: non-private is known by its name alone
const Method& method_named(std::string_view name);  // ArgumentError listing the names

// What is to be planned, for any task.
using Planner = std::function<Plan(const Task&)>;
struct NamedPlanner {
  std::string method;
  Planner plan;
  bool takes_curves = false;  // columns whose shape is left open enter as curves
};
// One entry per method, or the one named ("auto": all), each with the given options. Throws
// ArgumentError for an option that no method has.
std::vector<NamedPlanner> planners(std::string_view method, const Texts& given);

}  // namespace dperm::methods
