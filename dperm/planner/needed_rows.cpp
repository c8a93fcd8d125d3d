// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/needed_rows.hpp"

#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::planner {

std::optional<std::size_t> needed_rows(const methods::Planner& planner, methods::Task task, double target,
                                       const Measure& measure) {
  require_positive_finite("target", target);
  // Throws for a task that the method does not take at any size; an infinite value is infinite at every size.
  if (std::isinf(measure(planner(task)))) return std::nullopt;
  // A number of rows beyond the method's arithmetic is refused: then it promises nothing there.
  const auto enough = [&](double rows) {
    task.facts.rows = static_cast<std::size_t>(std::ceil(rows));
    try {
      return measure(planner(task)) <= target;
    } catch (const ArgumentError&) {
      return false;
    }
  };
  double high = 1;
  while (!enough(high)) {
    high *= 4;
    if (high > static_cast<double>(kMostRows)) return std::nullopt;
  }
  double low = high / 4;
  while (high > 1 && high / low > 1.01) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return static_cast<std::size_t>(std::ceil(high));
}

}  // namespace dperm::planner
