// SPDX-License-Identifier: Apache-2.0
// The gradient sum of a few rows at a time. The rows are copied into a tile of their own and go through the same pass,
// so what a row adds is what sums.md proves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/row_sums.hpp"

namespace dperm::engine {

class BatchGradient final : public BatchSums {
 public:
  // `tiles` must outlive this. No batch has more than `most_rows` rows, at most kMostBatchRows. Throws ArgumentError as
  // gradient_total does.
  BatchGradient(const data::TileSet& tiles, const loss::Loss& loss, double slope_bound, std::size_t most_rows);
  ~BatchGradient() override;
  BatchGradient(const BatchGradient&) = delete;
  BatchGradient& operator=(const BatchGradient&) = delete;

  std::vector<std::int64_t> sum(std::span<const double> weights, std::span<const std::uint32_t> batch) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dperm::engine
