// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/needed_epsilon.hpp"

#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::plan {

namespace {

constexpr double kLeast = 1e-4;
constexpr double kMost = 100;

}  // namespace

std::optional<double> needed_epsilon(const std::string& method, methods::Question question, const GivenOptions& given,
                                     double target_risk) {
  require_positive_finite("target_risk", target_risk);
  const methods::Method& planner = methods::method_named(method);
  // A penalty given for one epsilon may be too small for another: then the method promises nothing there.
  const auto enough = [&](double epsilon) {
    question.budget.epsilon = epsilon;
    try {
      return planner.plan(question, given).utility.excess_risk <= target_risk;
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

}  // namespace dperm::plan
