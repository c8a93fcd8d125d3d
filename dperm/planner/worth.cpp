// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/worth.hpp"

#include <cmath>

#include "dperm/methods/sgd/linear_pace.hpp"

namespace dperm::planner {

namespace {

// Below this signal a model was worse than a constant more often than not.
constexpr double kWorthSignal = 5;
constexpr double kLargestEpsilon = 10;  // beyond it hardly anything is protected

bool has_signal(const methods::Task& task) {
  return task.budget.delta > 0 && task.facts.dimension > 1 &&
         methods::model_form(task.problem) == methods::ModelForm::linear && task.problem.l2_penalty == 0 &&
         task.problem.feasible_set.kind == loss::SetKind::unconstrained;
}

double signal(const methods::Task& task) { return methods::table_signal(task, privacy::Neighbours::replace_one); }

// To one percent, from above.
std::optional<double> epsilon_for(methods::Task task) {
  const auto enough = [&](double epsilon) {
    task.budget.epsilon = epsilon;
    return signal(task) >= kWorthSignal;
  };
  double low = task.budget.epsilon, high = kLargestEpsilon;
  if (low >= high || !enough(high)) return std::nullopt;
  while (high / low > 1.01) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::optional<WorthFrom> too_small(const methods::Task& task) {
  if (!has_signal(task)) return std::nullopt;
  const double here = signal(task);
  if (here >= kWorthSignal) return std::nullopt;
  const double rows = std::ceil(static_cast<double>(task.facts.rows) * kWorthSignal / here);
  return WorthFrom{static_cast<std::size_t>(rows), epsilon_for(task)};
}

}  // namespace dperm::planner
