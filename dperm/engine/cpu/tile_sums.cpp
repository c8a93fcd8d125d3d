// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/tile_sums.hpp"

#include <utility>

#include "dperm/data/tiles/select.hpp"
#include "dperm/engine/cpu/batch_gradient.hpp"
#include "dperm/engine/cpu/counts.hpp"
#include "dperm/engine/cpu/judged.hpp"
#include "dperm/engine/cpu/model_sums.hpp"
#include "dperm/engine/cpu/rule_errors.hpp"
#include "dperm/engine/cpu/softmax/softmax.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "dperm/engine/cpu/weighted_gram.hpp"
#include "dperm/engine/network/clipped_sum.hpp"

namespace dperm::engine {

TileSums::TileSums(data::TileSet tiles)
    : RowSums(tiles.rows(), tiles.layout().dimension(), tiles.layout().columns()), tiles_(std::move(tiles)) {}

std::int64_t TileSums::errors(const RowModel& model, Threads threads) const {
  return model_errors(tiles_, model, threads);
}

std::vector<std::int64_t> TileSums::judged(const JudgeQuery& query, Threads threads) const {
  return judged_rows(tiles_, query, threads);
}

RowAnswers TileSums::answers(const RowModel& model, std::optional<std::size_t> group, Threads threads) const {
  return row_answers(tiles_, model, group, threads);
}

std::vector<std::int64_t> TileSums::rule_errors(std::span<const rules::Hypothesis> rules, Threads threads) const {
  return engine::rule_errors(tiles_, rules, threads);
}

std::vector<std::int64_t> TileSums::conjunction_errors(const ConjunctionQuery& query, Threads threads) const {
  return engine::conjunction_errors(tiles_, query, threads);
}

LabelCounts TileSums::label_counts(const Cells& cells, Threads threads) const {
  return engine::label_counts(tiles_, cells, threads);
}

std::vector<std::int32_t> TileSums::sorted_targets(Threads threads) const {
  return engine::sorted_targets(tiles_, threads);
}

std::unique_ptr<BatchSums> TileSums::batches(const loss::Loss& loss, double slope_bound, std::size_t most_rows) const {
  return std::make_unique<BatchGradient>(tiles_, loss, slope_bound, most_rows);
}

std::vector<double> TileSums::outputs(const RowModel& model, Threads threads) const {
  return model_outputs(tiles_, model, threads);
}

std::shared_ptr<const RowSums> TileSums::select(std::span<const std::size_t> rows) const {
  return std::make_shared<const TileSums>(data::select_rows(tiles_, rows));
}

std::shared_ptr<const RowSums> TileSums::read_as(const schema::Encoding& encoding) const {
  return std::make_shared<const TileSums>(tiles_.read_as(encoding));
}

std::vector<WideSum> TileSums::gradient_total(const GradientQuery& query, Resolution resolution,
                                              Threads threads) const {
  return engine::gradient_total(tiles_, query, resolution, threads);
}

SoftmaxSums TileSums::softmax_total(const SoftmaxQuery& query, double steps, Threads threads) const {
  return engine::softmax_total(tiles_, query, steps, threads);
}

std::int64_t TileSums::loss_total(const LossQuery& query, double steps, Threads threads) const {
  return model_loss(tiles_, query, steps, threads);
}

GramSums TileSums::second_moments_total(std::int64_t row_limit, Threads threads) const {
  return gram_sums(tiles_, threads, row_limit);
}

std::vector<std::int64_t> TileSums::curvature_total(std::span<const double> weights, std::uint32_t largest,
                                                    Threads threads) const {
  return curvature_gram(tiles_, weights, largest, threads);
}

std::int64_t TileSums::targets_total(std::int32_t limit, Threads threads) const {
  return engine::target_sum(tiles_, limit, threads);
}

std::vector<std::int64_t> TileSums::clipped_total(const network::ClippedQuery& query, const RowSample& sample,
                                                  Threads threads) const {
  if (query.has_one_linear_score()) return clipped_linear_sum(tiles_, query, sample, threads);
  return network::clipped_gradient_sum(row_table(threads), sample, query, threads);
}

const network::RowTable& TileSums::row_table(Threads threads) const {
  std::call_once(row_table_made_, [&] { row_table_.emplace(tiles_, threads); });
  return *row_table_;
}

}  // namespace dperm::engine
