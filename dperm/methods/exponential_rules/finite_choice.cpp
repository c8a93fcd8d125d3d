// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_rules/finite_choice.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::methods {

namespace {

void check_promise(double rules, double epsilon, double alpha, double beta) {
  require(rules >= 1 && std::isfinite(rules), "a class needs at least one rule");
  privacy::require_meaningful_epsilon(epsilon);
  require_in_open_range("alpha", alpha, 0, 1);
  require_in_open_range("beta", beta, 0, 1);
}

std::size_t as_records(double records) {
  require(records <= 0x1p60, "this promise takes more than 2^60 records");
  return static_cast<std::size_t>(std::ceil(records));
}

}  // namespace

// [proof methods_finite_choice.plan]
ClassPlan plan_choice(std::uint64_t rules, std::size_t rows, double epsilon, ChoiceRule rule) {
  require(rules >= 1, "a class needs at least one rule");
  require(rows >= 1, "the data needs at least one row");
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(kErrorRange, epsilon);
  ClassPlan plan{};
  plan.rules = rules;
  plan.rows = rows;
  plan.event.what = "rule";
  if (rule == ChoiceRule::permute_and_flip) {
    plan.event.mechanism = privacy::PermuteAndFlipEvent{kErrorRange, scale.numerator, scale.denominator};
  } else {
    plan.event.mechanism = privacy::ExponentialEvent{kErrorRange, scale.numerator, scale.denominator};
  }
  plan.guarantee = privacy::account({&plan.event, 1}, 0);
  plan.scale = rounded_up(static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator));
  plan.expected_gap = rounded_up(std::log(static_cast<double>(plan.rules)) * plan.scale);
  return plan;
}

privacy::Released<std::uint64_t> choose_rule(const rules::FiniteClass& rules, const ClassPlan& plan,
                                             const data::Dataset& dataset, privacy::Curator& curator, Threads threads) {
  require(plan.rules == rules.size() && plan.rows == dataset.rows(),
          "the plan was made for another class or other data; plan again");
  const auto errors = dataset.sums().map([&](const engine::RowSums& sums) { return rules.costs(sums, threads); });
  const auto choose = [&](const auto& event) -> privacy::Released<std::uint64_t> {
    if constexpr (requires { event.range; }) {
      return curator.choose(errors, event, rules.size(), plan.event.what);
    } else {
      throw InternalError("a choice was planned with an event that is none");
    }
  };
  return std::visit(choose, plan.event.mechanism);
}
// [/proof]

double gap_bound(double rules, double epsilon, double beta) {
  check_promise(rules, epsilon, 0.5, beta);
  return static_cast<double>(kErrorRange) * (std::log(rules) - std::log(beta)) / epsilon;
}

std::size_t records_for_agnostic(double rules, double epsilon, double alpha, double beta) {
  check_promise(rules, epsilon, alpha, beta);
  const double all = std::log(3 / beta) + std::log(rules), one = std::log(3 / beta);
  const double a = std::sqrt(all / 2) + std::sqrt(one / 2);
  const double b = static_cast<double>(kErrorRange) * all / epsilon;
  const double root = (a + std::sqrt(a * a + 4 * alpha * b)) / (2 * alpha);
  return as_records(root * root);
}

std::size_t records_for_realisable(double rules, double epsilon, double alpha, double beta) {
  check_promise(rules, epsilon, alpha, beta);
  const double all = std::log(2 / beta) + std::log(rules);
  return as_records(std::max(8 * all / alpha, 2 * static_cast<double>(kErrorRange) * all / (epsilon * alpha)));
}

double agnostic_error(double rules, double records, double epsilon, double beta) {
  check_promise(rules, epsilon, 0.5, beta);
  const double all = std::log(3 / beta) + std::log(rules), one = std::log(3 / beta);
  const double sampling = (std::sqrt(all / 2) + std::sqrt(one / 2)) / std::sqrt(records);
  return std::min(1.0, sampling + static_cast<double>(kErrorRange) * all / (epsilon * records));
}

double realisable_error(double rules, double records, double epsilon, double beta) {
  check_promise(rules, epsilon, 0.5, beta);
  const double all = std::log(2 / beta) + std::log(rules);
  return std::min(1.0, std::max(8.0, 2 * static_cast<double>(kErrorRange) / epsilon) * all / records);
}

}  // namespace dperm::methods
