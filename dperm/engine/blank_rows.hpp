// SPDX-License-Identifier: Apache-2.0
// Sums over a table some of whose rows are blank: they have their numbers and their share in the number of rows, and
// add nothing to any sum. Only the others are stored.
#pragma once

#include <memory>
#include <optional>

#include "dperm/data/filled_rows.hpp"
#include "dperm/engine/row_sums.hpp"

namespace dperm::engine {

class BlankRows final : public RowSums {
 public:
  // `stored` has filled->filled() rows, in their order (InternalError).
  BlankRows(std::shared_ptr<const RowSums> stored, std::shared_ptr<const data::FilledRows> filled);

  std::size_t filled_rows() const override { return filled_->filled(); }
  std::size_t persons() const override { return filled_->persons(); }
  std::shared_ptr<const RowSums> of_persons(const std::vector<bool>& of, bool wanted) const override;
  std::int64_t errors(const RowModel& model, Threads threads) const override;
  std::vector<std::int64_t> rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const override;
  std::vector<std::int64_t> conjunction_errors(const ConjunctionQuery& query, Threads threads) const override;
  LabelCounts label_counts(const Cells& cells, Threads threads) const override;
  std::vector<std::int32_t> sorted_targets(Threads threads) const override;
  std::unique_ptr<BatchSums> batches(const loss::Loss& loss, double slope_bound, std::size_t most_rows) const override;
  std::vector<double> outputs(const RowModel& model, Threads threads) const override;  // 0 for blank rows
  std::vector<std::int64_t> judged(const JudgeQuery& query, Threads threads) const override;
  // Of the filled rows alone: a blank one has no target to answer for.
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
  std::shared_ptr<const RowSums> stored_;
  std::shared_ptr<const data::FilledRows> filled_;
};

}  // namespace dperm::engine
