// SPDX-License-Identifier: Apache-2.0
// Every method's plan for one task, side by side, and the choice among them. Public facts only, so it is free.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dperm/methods/method.hpp"
#include "dperm/planner/cost.hpp"
#include "dperm/planner/forecast.hpp"
#include "dperm/planner/question.hpp"
#include "dperm/planner/worth.hpp"

namespace dperm::planner {

struct Alternative {
  std::string method;
  methods::Planner planner;  // the same for another task
  std::optional<methods::Plan> plan;
  std::optional<Forecast> predicted;                  // nothing where no forecast is known
  std::string refusal;                                // why there is no plan
  std::shared_ptr<const ShapedTask> asked = nullptr;  // with the shapes it was planned for; set by questions
  std::optional<WorthFrom> worth_from = {};           // of a constant that is taken: where a model would be worth it

  Cost cost = {};            // where there is a plan
  double straight_cost = 0;  // what a line instead of a curve is expected to add to the risk

  // What methods are compared by: the forecast excess risk above the best model that any of them could find, or the
  // proven one where there is no forecast.
  double expected_risk() const;
};

// One entry per planner, smallest expected risk first, refusals last. Second choices come after the others: with
// softmax bounds that promise little; methods that clip gradients where a penalty or a set asks for one particular
// minimum. Among several the constant is first where the table is too small for a model, else it is left out. Where the
// first would take long, a faster one whose expected risk is larger by less than a tenth of what the sampling of the
// rows themselves costs stands before it. Throws ArgumentError for an invalid task.
std::vector<Alternative> compare(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                                 const Population& population);

// The first of them. It has a plan: throws ArgumentError with the reason of every method when none applies.
Alternative choose(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                   const Population& population);

// The same where shapes are still open: every method is asked with those that suit it. Where the question has a time
// limit, methods that would take longer come last, as refusals; if none is left, or the one that was asked for would
// take longer, ArgumentError says how long.
std::vector<Alternative> compare(const Question& question, const std::vector<methods::NamedPlanner>& planners);
Alternative choose(const Question& question, const std::vector<methods::NamedPlanner>& planners);

}  // namespace dperm::planner
