// SPDX-License-Identifier: Apache-2.0
// Exact integer sums over the rows of a dataset: all that a method can ask of records. Everything returned is computed
// from records: it is used inside Sensitive::map only.
//
// Rows on the CPU of this machine are engine/cpu/tile_sums.hpp. Other implementations (rows on several machines, on a
// GPU) owe five things, on which every proof of a method rests:
//   - The same integers. The sums do not depend on how the rows are divided or in which order they are added. Per-row
//     arithmetic is the IEEE operations that the notes of engine/cpu describe, bit for bit: floats that are merely
//     close change sensitivities.
//   - Total in the records. An exception, a log line or the kind of an answer may depend on the query and on public
//     facts (rows, dimension, columns), never on what a row holds.
//   - Nothing leaves. Answers go to the caller and nowhere else; no progress, no timing report, no cache that others
//     can read.
//   - Blank rows add nothing. Where the schema has a unit, rows beyond the first few of a person and rows without an
//     identifier (data/unit_rule.md) count in rows() alone; filled_rows() is the number of the others.
//   - Rows keep their numbers. Row i is the i-th record read, in every call: samples and batches name rows by number,
//     and who is in a sample (core/row_sample.hpp) is a function of the number, wherever the row lies.
// Sums over parts of the rows add up to the sum over all: the virtual functions return totals before any rounding of
// the whole and take the resolution of the whole as an argument, so an implementation in parts asks each part for the
// same and adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dperm/core/row_sample.hpp"
#include "dperm/core/threads.hpp"
#include "dperm/engine/network/clipped_query.hpp"
#include "dperm/engine/queries.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {

// Gradient sums of a few rows at a time, for solvers that step through the data in batches.
class BatchSums {
 public:
  virtual ~BatchSums() = default;
  // The gradient sum over these rows (strictly increasing row numbers), one unit of a summand being row_steps(solver).
  virtual std::vector<std::int64_t> sum(std::span<const double> weights, std::span<const std::uint32_t> batch) = 0;
};

class RowSums {
 public:
  virtual ~RowSums() = default;
  RowSums(const RowSums&) = delete;
  RowSums& operator=(const RowSums&) = delete;

  std::size_t rows() const { return rows_; }            // public
  std::size_t dimension() const { return dimension_; }  // of the encoding
  std::size_t columns() const { return columns_; }      // with the intercept
  // Rows that are not blank (engine/blank_rows.hpp): computed from records where the schema has a unit.
  virtual std::size_t filled_rows() const { return rows_; }
  // Where the schema has a unit: persons are numbered below this, and of_persons() has those persons' rows alone for
  // whom `of` has `wanted`; the rows of all others are blank, and rows() stays. Without one: ArgumentError.
  virtual std::size_t persons() const;
  virtual std::shared_ptr<const RowSums> of_persons(const std::vector<bool>& of, bool wanted) const;

  // What methods call. Every function throws ArgumentError for queries that queries.hpp excludes.
  std::vector<std::int64_t> gradient(const GradientQuery& query, Resolution resolution, Threads threads) const;
  SoftmaxSums softmax(const SoftmaxQuery& query, Resolution resolution, Threads threads) const;
  std::int64_t loss(const LossQuery& query, Threads threads) const;
  GramSums second_moments(std::int64_t row_limit, Threads threads) const;
  // sum_i k_i v_ia v_ib for a <= b, indexed like GramSums::upper_triangle, where k_i = trunc(K min(1, 2 tanh(z/2)/z))
  // for the row's score z and K = largest_row_weight(rows): four times the curvature of the quadratic that bounds the
  // logistic loss at z, in units of 1/K.
  std::vector<std::int64_t> curvature_moments(std::span<const double> weights, Threads threads) const;
  // The sum of all encoded targets, each clamped to [-limit, limit]; 0 <= limit < 2^31, at most 2^31 rows.
  std::int64_t target_sum(std::int32_t limit, Threads threads) const;

  // The sum of the clipped gradients of the rows of a sample. Gradients are with respect to the flat weights, of the
  // loss of the network's outputs at the unscaled features u (a row has ||u|| <= sqrt(columns)). A row's gradient g
  // enters as about g min(1, clip / ||g||) kClipSteps / clip, rounded to integers; a row whose gradient is not finite
  // enters as zero.
  std::vector<std::int64_t> clipped_gradient(const network::ClippedQuery& query, const RowSample& sample,
                                             Threads threads) const;
  // Of these rows: strictly increasing row numbers, possibly none.
  std::vector<std::int64_t> clipped_gradient(const network::ClippedQuery& query, std::span<const std::size_t> rows,
                                             Threads threads) const;

  // Totals that are what they are whatever the number of all rows: the same functions for methods and for parts.

  // Rows whose predicted class (or sign: a score above 0 is +1, else -1) is not their target's.
  virtual std::int64_t errors(const RowModel& model, Threads threads) const = 0;
  virtual std::vector<std::int64_t> judged(const JudgeQuery& query, Threads threads) const = 0;
  virtual std::vector<std::int64_t> rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const = 0;
  virtual std::vector<std::int64_t> conjunction_errors(const ConjunctionQuery& query, Threads threads) const = 0;
  virtual LabelCounts label_counts(const Cells& cells, Threads threads) const = 0;
  // All encoded targets in increasing order.
  virtual std::vector<std::int32_t> sorted_targets(Threads threads) const = 0;
  // This object must outlive what it returns. No batch has more than `most_rows` rows, at most kMostBatchRows.
  virtual std::unique_ptr<BatchSums> batches(const loss::Loss& loss, double slope_bound,
                                             std::size_t most_rows) const = 0;
  // What a model says to every row, in order: outputs_per_row(model) numbers per row.
  virtual std::vector<double> outputs(const RowModel& model, Threads threads) const = 0;
  virtual RowAnswers answers(const RowModel& model, std::optional<std::size_t> group, Threads threads) const = 0;
  // These rows alone (strictly increasing row numbers), in their order.
  virtual std::shared_ptr<const RowSums> select(std::span<const std::size_t> rows) const = 0;
  // The same rows, their cells read as features by another encoding of the same columns: shapes and pairs may differ.
  virtual std::shared_ptr<const RowSums> read_as(const schema::Encoding& encoding) const = 0;

  // What an implementation provides besides, and what is asked of parts: totals of the functions above, exact, with
  // what depends on the number of all rows as an argument.
  virtual std::vector<WideSum> gradient_total(const GradientQuery& query, Resolution resolution,
                                              Threads threads) const = 0;  // row_steps(resolution) per unit
  virtual SoftmaxSums softmax_total(const SoftmaxQuery& query, double steps, Threads threads) const = 0;
  virtual std::int64_t loss_total(const LossQuery& query, double steps, Threads threads) const = 0;
  virtual GramSums second_moments_total(std::int64_t row_limit, Threads threads) const = 0;
  virtual std::vector<std::int64_t> curvature_total(std::span<const double> weights, std::uint32_t largest,
                                                    Threads threads) const = 0;
  virtual std::int64_t targets_total(std::int32_t limit, Threads threads) const = 0;
  // The sample is one of this object's own rows: a part of a table whose first row is `first` is asked with
  // PartOfSample(sample, first, part.rows()).
  virtual std::vector<std::int64_t> clipped_total(const network::ClippedQuery& query, const RowSample& sample,
                                                  Threads threads) const = 0;

 protected:
  RowSums(std::size_t rows, std::size_t dimension, std::size_t columns)
      : rows_(rows), dimension_(dimension), columns_(columns) {}

 private:
  std::size_t rows_, dimension_, columns_;
};

// A copyable handle that is a RowSums wherever one is asked for, so that Sensitive can hold it:
//     dataset.sums().map([&](const engine::RowSums& sums) { return sums.gradient(...); })
class SharedSums {
 public:
  // Not null (InternalError).
  SharedSums(std::shared_ptr<const RowSums> sums);
  operator const RowSums&() const { return *sums_; }

 private:
  std::shared_ptr<const RowSums> sums_;
};

}  // namespace dperm::engine
