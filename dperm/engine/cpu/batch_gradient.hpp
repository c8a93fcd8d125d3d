// SPDX-License-Identifier: Apache-2.0
// The gradient sum of a few rows at a time, for solvers that step through the data in batches. The rows are copied into
// a tile of their own and go through the same pass, so what a row adds is what sums.md proves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dperm/engine/cpu/sums.hpp"

namespace dperm::engine {

inline constexpr std::size_t kMostBatchRows = std::size_t{1} << (kTotalBits - kSolverBits);  // whose totals fit

class BatchGradient {
 public:
  // Rows first, first + 1, ..., first + count - 1.
  struct Run {
    std::size_t first;
    std::size_t count;
  };

  // `tiles` must outlive this. No batch has more than `most_rows` rows, at most kMostBatchRows; one unit of a summand
  // is row_steps(Resolution::solver). Throws ArgumentError as gradient_sum does.
  BatchGradient(const data::TileSet& tiles, const loss::Loss& loss, double slope_bound, std::size_t most_rows);
  ~BatchGradient();
  BatchGradient(const BatchGradient&) = delete;
  BatchGradient& operator=(const BatchGradient&) = delete;

  // gradient_sum over the rows of the batch, at solver resolution, on this thread. Rows beyond the data are left out.
  std::vector<std::int64_t> sum(std::span<const double> weights, std::span<const Run> batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dperm::engine
