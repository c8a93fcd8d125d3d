// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/needed_epsilon.hpp"

#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::planner {

namespace {

constexpr double kLeast = 1e-4;
constexpr double kMost = 100;

}  // namespace

std::optional<double> needed_epsilon(const methods::Planner& planner, methods::Task task, double target,
                                     const Measure& measure) {
  require_positive_finite("target", target);
  if (std::isinf(measure(planner(task)))) return std::nullopt;  // nothing is known at any epsilon
  // A penalty given for one epsilon may be too small for another: then the method promises nothing there.
  const auto enough = [&](double epsilon) {
    task.budget.epsilon = epsilon;
    try {
      return measure(planner(task)) <= target;
    } catch (const ArgumentError&) {
      return false;
    }
  };
  if (!enough(kMost)) return std::nullopt;
  double low = kLeast, high = kMost;
  while (high / low > 1.01) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace dperm::planner
