// SPDX-License-Identifier: Apache-2.0
// Sums over rows that lie in several parts, as on several machines: each part is asked and the answers are added. Made
// of public functions of RowSums only, in the order of the parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::tests {

// The rows [first, first + count) of a table.
inline EncodedTable slice(const EncodedTable& table, std::size_t first, std::size_t count) {
  EncodedTable part = table;
  const auto cut = [&](auto& column) {
    column.erase(column.begin() + static_cast<std::ptrdiff_t>(first + count), column.end());
    column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(first));
  };
  for (auto& column : part.reals) cut(column);
  for (auto& column : part.codes) cut(column);
  cut(part.targets);
  return part;
}

class PartedSums final : public engine::RowSums {
 public:
  using Part = std::shared_ptr<const engine::RowSums>;

  // Rows in the order of the parts. At least one part; parts may be empty.
  explicit PartedSums(std::vector<Part> parts)
      : RowSums(rows_in(parts), parts.front()->dimension(), parts.front()->columns()), parts_(std::move(parts)) {}

  std::int64_t errors(const engine::RowModel& model, Threads threads) const override {
    return added<std::int64_t>([&](const RowSums& part) { return part.errors(model, threads); });
  }
  std::vector<std::int64_t> judged(const engine::JudgeQuery& query, Threads threads) const override {
    return added<std::vector<std::int64_t>>([&](const RowSums& part) { return part.judged(query, threads); });
  }
  engine::RowAnswers answers(const engine::RowModel& model, std::optional<std::size_t> group,
                             Threads threads) const override {
    engine::RowAnswers all;
    for_each_part([&](const Part& part, std::size_t) {
      const engine::RowAnswers more = part->answers(model, group, threads);
      all.outputs.insert(all.outputs.end(), more.outputs.begin(), more.outputs.end());
      all.targets.insert(all.targets.end(), more.targets.begin(), more.targets.end());
      all.groups.insert(all.groups.end(), more.groups.begin(), more.groups.end());
    });
    return all;
  }
  std::vector<std::int64_t> rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const override {
    return added<std::vector<std::int64_t>>([&](const RowSums& part) { return part.rule_errors(rules, threads); });
  }
  std::vector<std::int64_t> conjunction_errors(const engine::ConjunctionQuery& query, Threads threads) const override {
    return added<std::vector<std::int64_t>>(
        [&](const RowSums& part) { return part.conjunction_errors(query, threads); });
  }
  engine::LabelCounts label_counts(const engine::Cells& cells, Threads threads) const override {
    return added<engine::LabelCounts>([&](const RowSums& part) { return part.label_counts(cells, threads); });
  }
  std::vector<std::int32_t> sorted_targets(Threads threads) const override {
    std::vector<std::int32_t> all =
        joined<std::int32_t>([&](const RowSums& part) { return part.sorted_targets(threads); });
    std::sort(all.begin(), all.end());
    return all;
  }
  std::vector<double> outputs(const engine::RowModel& model, Threads threads) const override {
    return joined<double>([&](const RowSums& part) { return part.outputs(model, threads); });
  }
  std::vector<std::int64_t> clipped_total(const network::ClippedQuery& query, const RowSample& sample,
                                          Threads threads) const override {
    std::vector<std::int64_t> sum;
    for_each_part([&](const Part& part, std::size_t first) {
      add(sum, part->clipped_total(query, PartOfSample(sample, first, part->rows()), threads));
    });
    return sum;
  }
  std::unique_ptr<engine::BatchSums> batches(const loss::Loss& loss, double slope_bound,
                                             std::size_t most_rows) const override {
    auto all = std::make_unique<Batches>();
    for_each_part([&](const Part& part, std::size_t first) {
      all->parts.push_back({first, part->rows(), part->batches(loss, slope_bound, most_rows)});
    });
    return all;
  }
  std::shared_ptr<const RowSums> select(std::span<const std::size_t> rows) const override {
    std::vector<Part> chosen;
    for_each_part(
        [&](const Part& part, std::size_t first) { chosen.push_back(part->select(numbers_in(*part, first, rows))); });
    return std::make_shared<const PartedSums>(std::move(chosen));
  }
  std::shared_ptr<const RowSums> read_as(const schema::Encoding& encoding) const override {
    std::vector<Part> again;
    for_each_part([&](const Part& part, std::size_t) { again.push_back(part->read_as(encoding)); });
    return std::make_shared<const PartedSums>(std::move(again));
  }

  std::vector<engine::WideSum> gradient_total(const engine::GradientQuery& query, engine::Resolution resolution,
                                              Threads threads) const override {
    return added<std::vector<engine::WideSum>>(
        [&](const RowSums& part) { return part.gradient_total(query, resolution, threads); });
  }
  engine::SoftmaxSums softmax_total(const engine::SoftmaxQuery& query, double steps, Threads threads) const override {
    return added<engine::SoftmaxSums>([&](const RowSums& part) { return part.softmax_total(query, steps, threads); });
  }
  std::int64_t loss_total(const engine::LossQuery& query, double steps, Threads threads) const override {
    return added<std::int64_t>([&](const RowSums& part) { return part.loss_total(query, steps, threads); });
  }
  engine::GramSums second_moments_total(std::int64_t row_limit, Threads threads) const override {
    return added<engine::GramSums>([&](const RowSums& part) { return part.second_moments_total(row_limit, threads); });
  }
  std::vector<std::int64_t> curvature_total(std::span<const double> weights, std::uint32_t largest,
                                            Threads threads) const override {
    return added<std::vector<std::int64_t>>(
        [&](const RowSums& part) { return part.curvature_total(weights, largest, threads); });
  }
  std::int64_t targets_total(std::int32_t limit, Threads threads) const override {
    return added<std::int64_t>([&](const RowSums& part) { return part.targets_total(limit, threads); });
  }

 private:
  struct Batches final : engine::BatchSums {
    struct Of {
      std::size_t first, rows;
      std::unique_ptr<engine::BatchSums> sums;
    };
    std::vector<Of> parts;

    std::vector<std::int64_t> sum(std::span<const double> weights, std::span<const std::uint32_t> batch) override {
      std::vector<std::int64_t> total;
      for (const Of& part : parts) {
        std::vector<std::uint32_t> inside;
        for (const std::uint32_t row : batch) {
          if (row >= part.first && row < part.first + part.rows) {
            inside.push_back(row - static_cast<std::uint32_t>(part.first));
          }
        }
        add(total, part.sums->sum(weights, inside));
      }
      return total;
    }
  };

  static std::size_t rows_in(const std::vector<Part>& parts) {
    std::size_t rows = 0;
    for (const Part& part : parts) rows += part->rows();
    return rows;
  }

  static std::vector<std::size_t> numbers_in(const RowSums& part, std::size_t first,
                                             std::span<const std::size_t> rows) {
    std::vector<std::size_t> inside;
    for (const std::size_t row : rows) {
      if (row >= first && row < first + part.rows()) inside.push_back(row - first);
    }
    return inside;
  }

  static void add(std::int64_t& sum, std::int64_t more) { sum += more; }
  template <class T>
  static void add(std::vector<T>& sum, const std::vector<T>& more) {
    if (sum.empty()) sum.assign(more.size(), 0);
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
  }
  static void add(engine::LabelCounts& sum, const engine::LabelCounts& more) {
    add(sum.negative, more.negative);
    add(sum.positive, more.positive);
  }
  static void add(engine::SoftmaxSums& sum, const engine::SoftmaxSums& more) {
    add(sum.gradient, more.gradient);
    sum.loss += more.loss;
  }
  static void add(engine::GramSums& sum, const engine::GramSums& more) {
    add(sum.upper_triangle, more.upper_triangle);
    add(sum.target_products, more.target_products);
    sum.target_square += more.target_square;
  }

  // use(part, number of its first row)
  template <class Use>
  void for_each_part(Use&& use) const {
    std::size_t first = 0;
    for (const Part& part : parts_) {
      use(part, first);
      first += part->rows();
    }
  }
  template <class T, class Ask>
  T added(Ask&& ask) const {
    T sum{};
    for (const Part& part : parts_) add(sum, ask(*part));
    return sum;
  }
  template <class T, class Ask>
  std::vector<T> joined(Ask&& ask) const {
    std::vector<T> all;
    for (const Part& part : parts_) {
      const std::vector<T> more = ask(*part);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  std::vector<Part> parts_;
};

// The table in four parts of unequal sizes, one of them without rows, in tiles of different heights.
inline data::Dataset parted_dataset_of(const EncodedTable& table) {
  const std::size_t rows = table.rows(), cuts[] = {0, rows / 7, rows / 7, rows / 2 + 1, rows};
  const std::size_t heights[] = {64, 0, 128, 0};
  std::vector<PartedSums::Part> parts;
  for (std::size_t i = 0; i < 4; ++i) {
    parts.push_back(std::make_shared<const engine::TileSums>(
        build_tiles(slice(table, cuts[i], cuts[i + 1] - cuts[i]), heights[i])));
  }
  return {std::make_shared<const schema::Encoding>(encoding_for(table)),
          engine::SharedSums(std::make_shared<const PartedSums>(std::move(parts)))};
}

}  // namespace dperm::tests
