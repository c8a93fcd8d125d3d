// SPDX-License-Identifier: Apache-2.0
// From counts, noisy or exact, to measures with error bars. Internal to this folder; note: judgement.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dperm/methods/evaluation/measures.hpp"
#include "dperm/methods/evaluation/noise_model.hpp"

namespace dperm::methods {

// Counts by class and bin of scores.
struct ScoreCounts {
  std::span<const double> negative, positive;
  std::span<const double> edges;  // one fewer
  bool probabilities = false;     // scores are log-odds
  double threshold = 0;           // an edge
  double rows = 0;                // of the whole table: tells which bins of a calibration curve have enough
};
Measures score_measures(const ScoreCounts& counts, const NoiseModel& noise);

// Counts by class and answer, row by row; not whole: wrong and right answers of every class.
struct AnswerCounts {
  std::span<const double> counts;
  std::vector<std::string> labels;
  bool whole = true;
};
Measures answer_measures(const AnswerCounts& counts, const NoiseModel& noise);

// Sums over rows of a real target, encoded to [-1, 1], as engine::ResidualCells says.
struct ResidualSums {
  double rows = 0;
  double rows_spread = 0;  // number of noisy counts that `rows` is the sum of; 0: public
  double targets = 0, squares = 0, squared_errors = 0, errors = 0, clipped = 0;
  std::span<const double> counts, residuals;  // by bin of predictions
  double whole_rows = 0;                      // of the table: a tenth of it is wanted in a bin
  double middle = 0, half_width = 1;          // the target's own unit
};
Measures residual_measures(const ResidualSums& sums, const NoiseModel& noise);

// A share a / (a + b) of rows, a and b being sums of that many counts; not a number where they drown in noise.
Measure share_measure(std::string name, double a, double a_cells, double b, double b_cells, const NoiseModel& noise,
                      double level = kLevel);
// Whether a sum of this many counts stands out from its noise.
bool stands_out(double sum, double cells, const NoiseModel& noise);

}  // namespace dperm::methods
