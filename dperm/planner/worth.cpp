// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/worth.hpp"

#include <cmath>

#include "dperm/methods/sgd/linear_pace.hpp"

namespace dperm::planner {

namespace {

// Below this signal a model was worse than a constant more often than not.
constexpr double kWorthSignal = 5, kClassesWorthSignal = 2, kNetworkWorthSignal = 4, kRealNetworkWorthSignal = 60;
constexpr double kLargestEpsilon = 10;  // beyond it hardly anything is protected

// From here on a network of 32 units was 0.3 points behind curves to 3.1 ahead, and for real targets ahead more often
// than not (docs/guides/networks.md).
constexpr double kNetworkPaysSignal = 3000;

double worth_signal(const methods::Problem& problem) {
  switch (methods::model_form(problem)) {
    case methods::ModelForm::multiclass:
      return kClassesWorthSignal;
    case methods::ModelForm::network:
      return loss::is_classification(problem.loss.kind) ? kNetworkWorthSignal : kRealNetworkWorthSignal;
    case methods::ModelForm::linear:
    case methods::ModelForm::rule:
      break;
  }
  return kWorthSignal;
}

bool has_signal(const methods::Task& task) {
  return task.budget.delta > 0 && task.facts.dimension > 1 &&
         methods::model_form(task.problem) != methods::ModelForm::rule && task.problem.l2_penalty == 0 &&
         task.problem.feasible_set.kind == loss::SetKind::unconstrained;
}

double signal(const methods::Task& task) { return methods::class_signal(task, privacy::Neighbours::replace_one); }

// To one percent, from above.
std::optional<double> epsilon_for(methods::Task task) {
  const auto enough = [&](double epsilon) {
    task.budget.epsilon = epsilon;
    return signal(task) >= worth_signal(task.problem);
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
  const double here = signal(task), needed = worth_signal(task.problem);
  if (here >= needed) return std::nullopt;
  const double rows = std::ceil(static_cast<double>(task.facts.rows) * needed / here);
  return WorthFrom{static_cast<std::size_t>(rows), epsilon_for(task)};
}

bool network_may_pay(const methods::Task& task) {
  const methods::ModelForm form = methods::model_form(task.problem);
  const bool sums = form == methods::ModelForm::linear || form == methods::ModelForm::multiclass;
  return sums && has_signal(task) && signal(task) >= kNetworkPaysSignal;
}

}  // namespace dperm::planner
