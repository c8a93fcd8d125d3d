// SPDX-License-Identifier: Apache-2.0
// What is expected of one number, and between which ends it lies on most tables.
#pragma once

#include <cstddef>

namespace dperm::planner {

struct Range {
  double expected = 0, lower = 0, upper = 0;
};

// The least share of answers, and the least root mean square move of scores of a real target in [-1, 1], that a test on
// a quarter of the rows tells from nothing.
double least_told_share(std::size_t rows);
double least_told_move(std::size_t rows);

// The same with the lower end 0 where it is below the least that can be told, and the upper end no lower than that.
Range told(Range range, double least);

}  // namespace dperm::planner
