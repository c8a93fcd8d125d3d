// SPDX-License-Identifier: Apache-2.0
// Public API: what is to be learned, in public facts alone.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/methods/task.hpp"
#include "dperm/schema.hpp"

namespace dperm {

using loss::FeasibleSet;  // {SetKind::ball, radius}, {SetKind::box, radius} or, by default, unconstrained
using loss::Loss;         // kind, and the parameters of kinds that have some
using loss::LossKind;
using loss::SetKind;
using methods::Budget;      // epsilon and delta; delta 0 asks for pure epsilon. Neither has a default that would pass
using methods::kNoPrivacy;  // what NonPrivateOptions take instead of a budget
using methods::Problem;     // loss, l2_penalty, feasible set, hidden layers, class of rules
using network::Activation;

// How long a fit may take once the rows are read, by prediction from public facts: what would take longer is refused
// when it is planned (ArgumentError says how long), and where methods are compared the others are taken. A fit is never
// cut short: its budget would be spent.
struct TimeLimit {
  double seconds;
  double cores = 0;          // that it will run on; 0: those of this machine
  double pass_overhead = 0;  // seconds of a pass besides the rows' own, where they lie on other machines
};

struct Task {
  Schema schema;
  std::size_t rows = 0;  // n, public
  Problem problem = {};
  Budget budget = {};
  std::optional<TimeLimit> time_limit = {};
};

// A loss by its name, "logistic" or "smoothed-hinge", with the parameters that it has by theirs. Throws ArgumentError
// for an unknown name and for a parameter of another loss.
Loss loss_named(std::string_view name, const std::map<std::string, double>& parameters = {});

// The loss to take for this schema's target where none is asked for: logistic, squared or softmax.
Loss default_loss(const Schema& schema);

// What is unwise about the budget, in words; empty when nothing is.
std::vector<std::string> budget_warnings(const Budget& budget, std::size_t rows);

}  // namespace dperm
