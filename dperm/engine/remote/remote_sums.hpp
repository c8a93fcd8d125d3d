// SPDX-License-Identifier: Apache-2.0
// The sums over rows that lie on other machines, in parts. A question goes out as bytes; what comes back are exact
// totals, added up on their way in any order, with the rows that they count. Note: remote_sums.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dperm/engine/remote/query_bytes.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine::remote {

// Takes the question to every part (Part::answer) and returns the sum of their answers (add). What it throws ends the
// question. It tells nobody: answers are as sensitive as records, and a question about a sample is secret.
using Channel = std::function<std::string(const std::string& question)>;

class RemoteSums final : public RowSums {
 public:
  // The parts hold rows 0 to rows - 1, each in one of them. Answers that are not of exactly these rows, or malformed,
  // are an InternalError.
  RemoteSums(std::shared_ptr<const schema::Encoding> encoding, std::size_t rows, Channel channel);

  std::int64_t errors(const RowModel& model, Threads threads) const override;
  std::vector<std::int64_t> judged(const JudgeQuery& query, Threads threads) const override;
  std::vector<std::int64_t> rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const override;
  std::vector<std::int64_t> conjunction_errors(const ConjunctionQuery& query, Threads threads) const override;
  LabelCounts label_counts(const Cells& cells, Threads threads) const override;
  // Four bytes a row: the one answer that grows with the table.
  std::vector<std::int32_t> sorted_targets(Threads threads) const override;
  std::unique_ptr<BatchSums> batches(const loss::Loss& loss, double slope_bound, std::size_t most_rows) const override;
  // Rows are not sent one by one: these three throw ArgumentError.
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
  using Serial = std::shared_ptr<std::atomic<std::uint64_t>>;
  RemoteSums(const schema::Encoding& encoding, std::size_t rows, Channel channel, std::string schema, Serial serial);

  template <class Body>
  Body ask(Ask what) const;
  std::vector<std::int64_t> totals(Ask what, std::size_t count) const;
  std::size_t codes_of(std::size_t category) const;

  Channel channel_;
  std::string schema_;  // TOML, where rows are read otherwise than they were encoded
  std::size_t triangle_;
  std::vector<std::size_t> codes_;  // of every category, that of rows without one too
  Serial serial_;
};

}  // namespace dperm::engine::remote
