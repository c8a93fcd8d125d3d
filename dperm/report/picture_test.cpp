// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"

namespace dperm::planner {
namespace {

methods::Task task() {
  methods::Task q;
  q.facts = {30000, 50, 12};
  q.budget = {1, 1e-6};
  return q;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Picture, ShowsEveryMethodThatAppliesInBothPanels) {
  const std::string svg = plan_picture(task(), methods::planners("auto", {}), population_of(task().facts));
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char* method : {"objective-perturbation", "gradient-descent", "output-perturbation"}) {
    EXPECT_EQ(count(svg, method), 1u) << "once in the legend";
  }
  EXPECT_EQ(count(svg, "sufficient-statistics"), 0u) << "it does not apply to this task";
  std::size_t lines = 2;  // the floor, in both panels
  for (const Alternative& each : compare(task(), methods::planners("auto", {}), population_of(task().facts))) {
    if (each.predicted) lines += 2;
    if (each.plan && std::isfinite(each.plan->utility.excess_risk)) lines += 2;
  }
  EXPECT_GE(lines, 14u) << "three methods at least";
  // A method that does not apply to the task itself may apply with fewer rows or a smaller epsilon.
  EXPECT_GE(count(svg, "<polyline"), lines) << "predicted and proven";
  EXPECT_EQ(count(svg, "<polyline") % 2, 0u) << "every line is in both panels";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Picture, RefusesAnInvalidTask) {
  methods::Task bad = task();
  bad.budget.epsilon = 0;
  EXPECT_THROW(plan_picture(bad, methods::planners("auto", {}), population_of(bad.facts)), ArgumentError);
}

}  // namespace
}  // namespace dperm::planner
