// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/curves.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/planner/lower_bound.hpp"

namespace dperm::planner {

namespace {

constexpr int kPoints = 13;  // a tenth to ten times, in steps of 10^(1/6)

double factor(int k) { return std::pow(10.0, (k - kPoints / 2) / 6.0); }

template <class Vary>
Curves curves(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
              const Population& population, Vary vary) {
  methods::validate(task);
  Curves result;
  for (const methods::NamedPlanner& each : planners) result.methods.push_back({each.method, {}});
  for (int k = 0; k < kPoints; ++k) {
    methods::Task varied = task;
    const double x = vary(varied, factor(k));
    for (std::size_t i = 0; i < planners.size(); ++i) {
      Curve& curve = result.methods[i];
      try {
        const methods::Plan plan = planners[i].plan(varied);
        curve.points.push_back({x, plan.utility.excess_risk, forecast(plan, population)});
      } catch (const ArgumentError&) {
      }  // the method does not take this task: its curve has a gap
    }
    const double least = excess_risk_floor(varied);
    if (least > 0) result.floor.push_back({x, least, std::nullopt});
  }
  const auto unknown = [](const CurvePoint& point) { return !point.predicted && !std::isfinite(point.proven); };
  std::erase_if(result.methods,
                [&](const Curve& curve) { return std::all_of(curve.points.begin(), curve.points.end(), unknown); });
  if (result.methods.empty()) {
    throw ArgumentError("nothing is proven or predicted for this task, so there is nothing to draw");
  }
  return result;
}

}  // namespace

Curves curves_over_rows(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                        const Population& population) {
  Curves result = curves(task, planners, population, [](methods::Task& varied, double by) {
    const double rows = std::max(1.0, std::round(static_cast<double>(varied.facts.rows) * by));
    varied.facts.rows = static_cast<std::size_t>(rows);
    return rows;
  });
  result.marked = static_cast<double>(task.facts.rows);
  return result;
}

Curves curves_over_epsilon(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                           const Population& population) {
  Curves result =
      curves(task, planners, population, [](methods::Task& varied, double by) { return varied.budget.epsilon *= by; });
  result.marked = task.budget.epsilon;
  return result;
}

}  // namespace dperm::planner
