// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/finite_choice.hpp"

#include <cmath>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"

namespace dperm::methods {

namespace {

// [proof methods_finite_choice.oscillation]
constexpr std::uint64_t kErrorOscillation = 2;
// [/proof]

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

ClassPlan plan_choice(const FiniteClass& rules, std::size_t rows, double epsilon, ChoiceRule rule) {
  require(rows >= 1, "the data needs at least one row");
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(kErrorOscillation, epsilon);
  ClassPlan plan{};
  plan.rules = rules.size();
  plan.rows = rows;
  plan.event.what = "rule of class " + rules.name();
  if (rule == ChoiceRule::permute_and_flip) {
    plan.event.mechanism = privacy::PermuteAndFlipEvent{kErrorOscillation, scale.numerator, scale.denominator};
  } else {
    plan.event.mechanism = privacy::ExponentialEvent{kErrorOscillation, scale.numerator, scale.denominator};
  }
  plan.guarantee = privacy::account({&plan.event, 1}, 0);
  plan.expected_gap = rounded_up(std::log(static_cast<double>(plan.rules)) * static_cast<double>(scale.numerator) /
                                 static_cast<double>(scale.denominator));
  return plan;
}

ChosenRule choose_rule(const FiniteClass& rules, const ClassPlan& plan, const data::Dataset& dataset,
                       privacy::Curator& curator, engine::Threads threads) {
  require(plan.rules == rules.size() && plan.rows == dataset.rows(),
          "the plan was made for another class or other data; plan again");
  const auto errors = dataset.tiles().map([&](const data::TileSet& tiles) { return rules.costs(tiles, threads); });
  const auto choose = [&](const auto& event) -> privacy::Released<std::uint64_t> {
    if constexpr (requires { event.oscillation; }) {
      return curator.choose(errors, event, rules.size(), plan.event.what);
    } else {
      throw InternalError("a choice was planned with an event that is none");
    }
  };
  const auto number = std::visit(choose, plan.event.mechanism);
  ensure(curator.events() == std::vector{plan.event}, "recorded events differ from the planned one");
  return {number.map([&](std::uint64_t chosen) { return rules.hypothesis(chosen); }), curator.events(),
          curator.secure()};
}

double gap_bound(double rules, double epsilon, double beta) {
  check_promise(rules, epsilon, 0.5, beta);
  return static_cast<double>(kErrorOscillation) * (std::log(rules) - std::log(beta)) / epsilon;
}

std::size_t records_for_agnostic(double rules, double epsilon, double alpha, double beta) {
  check_promise(rules, epsilon, alpha, beta);
  const double all = std::log(3 / beta) + std::log(rules), one = std::log(3 / beta);
  const double a = std::sqrt(all / 2) + std::sqrt(one / 2);
  const double b = static_cast<double>(kErrorOscillation) * all / epsilon;
  const double root = (a + std::sqrt(a * a + 4 * alpha * b)) / (2 * alpha);
  return as_records(root * root);
}

std::size_t records_for_realisable(double rules, double epsilon, double alpha, double beta) {
  check_promise(rules, epsilon, alpha, beta);
  const double all = std::log(2 / beta) + std::log(rules);
  return as_records(std::max(8 * all / alpha, 2 * static_cast<double>(kErrorOscillation) * all / (epsilon * alpha)));
}

}  // namespace dperm::methods
