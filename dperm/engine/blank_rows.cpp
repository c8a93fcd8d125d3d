// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/blank_rows.hpp"

#include <algorithm>
#include <utility>

#include "dperm/core/check.hpp"

namespace dperm::engine {

namespace {

class BlankBatches final : public BatchSums {
 public:
  BlankBatches(std::unique_ptr<BatchSums> stored, std::shared_ptr<const data::FilledRows> filled)
      : stored_(std::move(stored)), filled_(std::move(filled)) {}

  std::vector<std::int64_t> sum(std::span<const double> weights, std::span<const std::uint32_t> batch) override {
    std::vector<std::uint32_t> places;
    for (const std::uint32_t row : batch) {
      if (filled_->is_filled(row)) places.push_back(static_cast<std::uint32_t>(filled_->filled_before(row)));
    }
    return stored_->sum(weights, places);
  }

 private:
  std::unique_ptr<BatchSums> stored_;
  std::shared_ptr<const data::FilledRows> filled_;
};

// A sample of the table by the places of its filled rows.
class StoredSample final : public RowSample {
 public:
  StoredSample(const RowSample& all, const data::FilledRows& filled)
      : RowSample(filled.filled()), all_(all), filled_(filled) {}
  bool has_all() const override { return all_.has_all(); }

 private:
  void set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const override {
    if (count == 0) return;
    const std::size_t begin = filled_.row_of(first), end = filled_.row_of(first + count - 1) + 1;
    for_each_row(all_, begin, end - begin, [&](std::size_t row) {
      if (!filled_.is_filled(row)) return;
      const std::size_t place = filled_.filled_before(row) - first;
      words[place / kWordRows] |= std::uint64_t{1} << (place % kWordRows);
    });
  }

  const RowSample& all_;
  const data::FilledRows& filled_;
};

}  // namespace

BlankRows::BlankRows(std::shared_ptr<const RowSums> stored, std::shared_ptr<const data::FilledRows> filled)
    : RowSums(filled->rows(), stored->dimension(), stored->columns()),
      stored_(std::move(stored)),
      filled_(std::move(filled)) {
  ensure(stored_->rows() == filled_->filled(), "other rows are stored than those that are filled");
}

std::int64_t BlankRows::errors(const RowModel& model, Threads threads) const { return stored_->errors(model, threads); }

std::vector<std::int64_t> BlankRows::rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const {
  return stored_->rule_errors(rules, threads);
}

std::vector<std::int64_t> BlankRows::conjunction_errors(const ConjunctionQuery& query, Threads threads) const {
  return stored_->conjunction_errors(query, threads);
}

LabelCounts BlankRows::label_counts(const Cells& cells, Threads threads) const {
  return stored_->label_counts(cells, threads);
}

std::vector<std::int32_t> BlankRows::sorted_targets(Threads threads) const { return stored_->sorted_targets(threads); }

std::unique_ptr<BatchSums> BlankRows::batches(const loss::Loss& loss, double slope_bound, std::size_t most_rows) const {
  return std::make_unique<BlankBatches>(stored_->batches(loss, slope_bound, most_rows), filled_);
}

std::vector<double> BlankRows::outputs(const RowModel& model, Threads threads) const {
  const std::vector<double> of_stored = stored_->outputs(model, threads);
  const std::size_t width = outputs_per_row(model);
  std::vector<double> all(rows() * width, 0.0);
  auto next = of_stored.begin();
  for (std::size_t row = 0; row < rows(); ++row) {
    if (!filled_->is_filled(row)) continue;
    std::copy_n(next, width, all.begin() + static_cast<std::ptrdiff_t>(row * width));
    next += static_cast<std::ptrdiff_t>(width);
  }
  return all;
}

std::vector<std::int64_t> BlankRows::judged(const JudgeQuery& query, Threads threads) const {
  return stored_->judged(query, threads);
}

RowAnswers BlankRows::answers(const RowModel& model, std::optional<std::size_t> group, Threads threads) const {
  return stored_->answers(model, group, threads);
}

std::shared_ptr<const RowSums> BlankRows::select(std::span<const std::size_t> rows) const {
  return std::make_shared<const BlankRows>(stored_->select(filled_->stored(rows)),
                                           std::make_shared<const data::FilledRows>(filled_->selected(rows)));
}

std::shared_ptr<const RowSums> BlankRows::of_persons(const std::vector<bool>& of, bool wanted) const {
  return std::make_shared<const BlankRows>(stored_->select(filled_->stored_of(of, wanted)),
                                           std::make_shared<const data::FilledRows>(filled_->only(of, wanted)));
}

std::shared_ptr<const RowSums> BlankRows::read_as(const schema::Encoding& encoding) const {
  return std::make_shared<const BlankRows>(stored_->read_as(encoding), filled_);
}

std::vector<WideSum> BlankRows::gradient_total(const GradientQuery& query, Resolution resolution,
                                               Threads threads) const {
  return stored_->gradient_total(query, resolution, threads);
}

SoftmaxSums BlankRows::softmax_total(const SoftmaxQuery& query, double steps, Threads threads) const {
  return stored_->softmax_total(query, steps, threads);
}

std::int64_t BlankRows::loss_total(const LossQuery& query, double steps, Threads threads) const {
  return stored_->loss_total(query, steps, threads);
}

GramSums BlankRows::second_moments_total(std::int64_t row_limit, Threads threads) const {
  return stored_->second_moments_total(row_limit, threads);
}

std::vector<std::int64_t> BlankRows::curvature_total(std::span<const double> weights, std::uint32_t largest,
                                                     Threads threads) const {
  return stored_->curvature_total(weights, largest, threads);
}

std::int64_t BlankRows::targets_total(std::int32_t limit, Threads threads) const {
  return stored_->targets_total(limit, threads);
}

std::vector<std::int64_t> BlankRows::clipped_total(const network::ClippedQuery& query, const RowSample& sample,
                                                   Threads threads) const {
  return stored_->clipped_total(query, StoredSample(sample, *filled_), threads);
}

}  // namespace dperm::engine
