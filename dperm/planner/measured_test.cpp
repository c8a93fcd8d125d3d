// SPDX-License-Identifier: Apache-2.0
// The forecast against stored measurements.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dperm/planner/compare.hpp"
#include "tests/support/measured_cells.hpp"

namespace dperm::planner {
namespace {

methods::Task task_of(const tests::MeasuredCell& cell) {
  methods::Task task;
  task.problem.loss.kind = cell.real_target ? loss::LossKind::squared : loss::LossKind::logistic;
  task.facts = {.rows = cell.rows, .dimension = cell.dimension, .columns = cell.columns, .row_square = cell.row_square};
  task.budget = {cell.epsilon, 1e-6};
  return task;
}

struct Check {
  int cells = 0, within = 0;
  std::vector<double> ratios;  // of the ends; a lower end of 0 counts as the least that a test can tell

  double coverage() const { return static_cast<double>(within) / cells; }
  double median_ratio() {
    std::sort(ratios.begin(), ratios.end());
    return ratios[ratios.size() / 2];
  }
};

Check check(bool chose_constants) {
  Check result;
  for (const tests::MeasuredCell& cell : tests::kMeasuredCells) {
    if (cell.chose_constants != chose_constants) continue;
    const methods::Task task = task_of(cell);
    const auto predicted = choose(task, methods::planners("sgd", {}), population_of(task.facts)).predicted;
    const Range& told = predicted->told;
    ++result.cells;
    result.within += (told.lower == 0 || cell.lost >= told.lower) && cell.lost <= told.upper ? 1 : 0;
    const double least = cell.real_target ? least_told_move(cell.rows) : least_told_share(cell.rows);
    result.ratios.push_back(told.upper / std::max(told.lower, least));
  }
  return result;
}

TEST(Measured, IntervalsHoldOnTablesThatChoseNoConstant) {
  Check unseen = check(false);
  EXPECT_GE(unseen.cells, 70);
  EXPECT_GE(unseen.coverage(), 0.85);
  EXPECT_LE(unseen.median_ratio(), 6);
}

TEST(Measured, IntervalsHoldOnTheTablesThatChoseTheConstants) {
  Check seen = check(true);
  EXPECT_GE(seen.cells, 50);
  EXPECT_GE(seen.coverage(), 0.85);
  EXPECT_LE(seen.median_ratio(), 6);
}

}  // namespace
}  // namespace dperm::planner
