// SPDX-License-Identifier: Apache-2.0
// Forecast and proven risk of every method as rows or epsilon vary around a task: what pictures show.
#pragma once

#include <string>
#include <vector>

#include "dperm/planner/compare.hpp"

namespace dperm::planner {

struct CurvePoint {
  double x;
  double proven;                      // infinity: nothing is proved
  std::optional<Forecast> predicted;  // nothing where none is known
};

struct Curve {
  std::string method;
  std::vector<CurvePoint> points;  // those at which the method answers; something is known at one of them at least
};

struct Curves {
  std::vector<Curve> methods;
  std::vector<CurvePoint> floor;  // of the theory, as proven; those above 0
  double marked;                  // the task's own x
};

// A tenth to ten times the task's rows or epsilon. Throws ArgumentError for an invalid task or when nothing is
// known about any method.
Curves curves_over_rows(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                        const Population& population);
Curves curves_over_epsilon(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                           const Population& population);

}  // namespace dperm::planner
