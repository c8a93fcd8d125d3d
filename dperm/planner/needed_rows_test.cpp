// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/needed_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/planner/needed_epsilon.hpp"

namespace dperm::planner {
namespace {

methods::Task task() {
  methods::Task q;
  q.facts = {1, 20, 10};
  q.budget = {1, 1e-6};
  return q;
}

methods::Planner planner_of(std::string_view method, const methods::Texts& given = {}) {
  return methods::planners(method, given).front().plan;
}

TEST(NeededRows, ForwardAndInverseAgree) {
  for (const methods::Method* method : methods::all_methods()) {
    methods::Task q = task();
    if (method->name() == "sufficient-statistics") q.problem.loss.kind = loss::LossKind::squared;
    if (method->name() == "exponential") {
      q.facts = {1, 1, 1};
      q.problem.loss.kind = loss::LossKind::absolute;
    }
    if (std::isinf(method->plan(q, {}).utility.excess_risk)) continue;  // no bound is proved for it
    const auto rows = needed_rows(planner_of(method->name()), q, 0.5);
    ASSERT_TRUE(rows.has_value()) << method->name();
    q.facts.rows = *rows;
    EXPECT_LE(method->plan(q, {}).utility.excess_risk, 0.5);
    q.facts.rows = static_cast<std::size_t>(0.97 * static_cast<double>(*rows));
    EXPECT_GT(method->plan(q, {}).utility.excess_risk, 0.5);
  }
}

TEST(NeededRows, SaysSoWhenNoNumberOfRowsIsEnough) {
  // A thousand steps of plain descent leave an optimisation error that no amount of data removes.
  EXPECT_FALSE(needed_rows(planner_of("gradient-descent", {}), task(), 1e-9).has_value());
  // The other methods refuse the largest tables; that is an answer too, not a failure.
  EXPECT_FALSE(needed_rows(planner_of("objective-perturbation", {}), task(), 1e-12).has_value());
  EXPECT_FALSE(needed_rows(planner_of("output-perturbation", {}), task(), 1e-12).has_value());
  // With momentum nothing is proved at any size.
  EXPECT_FALSE(needed_rows(planner_of("gradient-descent", {{"momentum", "0.5"}}), task(), 0.5).has_value());
  EXPECT_FALSE(needed_epsilon(planner_of("gradient-descent", {{"momentum", "0.5"}}), task(), 0.5).has_value());
}

TEST(NeededEpsilon, ForwardAndInverseAgree) {
  methods::Task q = task();
  q.facts.rows = 20000;
  for (const char* method : {"gradient-descent", "output-perturbation", "objective-perturbation"}) {
    const methods::Method& planner = methods::method_named(method);
    const double target = planner.plan(q, {}).utility.excess_risk;  // what epsilon 1 promises
    const auto epsilon = needed_epsilon(planner_of(method), q, target);
    ASSERT_TRUE(epsilon.has_value()) << method;
    EXPECT_NEAR(*epsilon, 1, 0.02) << method;
    EXPECT_FALSE(needed_epsilon(planner_of(method), q, 1e-12).has_value());
  }
}

TEST(NeededRows, RefusesAMeaninglessTarget) {
  EXPECT_THROW(needed_rows(planner_of("gradient-descent", {}), task(), 0), ArgumentError);
  EXPECT_THROW(needed_rows(planner_of("gradient-descent", {}), task(), std::nan("")), ArgumentError);
}

}  // namespace
}  // namespace dperm::planner
