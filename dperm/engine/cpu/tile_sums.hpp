// SPDX-License-Identifier: Apache-2.0
// The sums over rows that lie in tiles on this machine, by threads and vector instructions.
#pragma once

#include <mutex>
#include <optional>

#include "dperm/data/rows/row_table.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/row_sums.hpp"

namespace dperm::engine {

class TileSums final : public RowSums {
 public:
  explicit TileSums(data::TileSet tiles);

  std::int64_t errors(const RowModel& model, Threads threads) const override;
  std::vector<std::int64_t> judged(const JudgeQuery& query, Threads threads) const override;
  std::vector<std::int64_t> rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const override;
  std::vector<std::int64_t> conjunction_errors(const ConjunctionQuery& query, Threads threads) const override;
  LabelCounts label_counts(const Cells& cells, Threads threads) const override;
  std::vector<std::int32_t> sorted_targets(Threads threads) const override;
  std::unique_ptr<BatchSums> batches(const loss::Loss& loss, double slope_bound, std::size_t most_rows) const override;
  std::vector<double> outputs(const RowModel& model, Threads threads) const override;
  RowAnswers answers(const RowModel& model, std::optional<std::size_t> group, Threads threads) const override;
  std::shared_ptr<const RowSums> select(std::span<const std::size_t> rows) const override;
  std::shared_ptr<const RowSums> read_as(const schema::Encoding& encoding) const override;

  std::vector<WideSum> gradient_total(const GradientQuery& query, Resolution resolution,
                                      Threads threads) const override;
  SoftmaxSums softmax_total(const SoftmaxQuery& query, double steps, Threads threads) const override;
  std::int64_t loss_total(const LossQuery& query, double steps, Threads threads) const override;
  GramSums second_moments_total(std::int64_t row_limit, Threads threads) const override;
  std::vector<std::int64_t> curvature_total(std::span<const double> weights, std::uint32_t largest,
                                            Threads threads) const override;
  std::int64_t targets_total(std::int32_t limit, Threads threads) const override;
  std::vector<std::int64_t> clipped_total(const network::ClippedQuery& query, const RowSample& sample,
                                          Threads threads) const override;

 private:
  const network::RowTable& row_table(Threads threads) const;

  data::TileSet tiles_;
  // Samples of a few rows are read row by row: a second copy, made when the first sample asks for it.
  mutable std::once_flag row_table_made_;
  mutable std::optional<network::RowTable> row_table_;
};

}  // namespace dperm::engine
