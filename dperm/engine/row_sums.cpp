// SPDX-License-Identifier: Apache-2.0
// What depends on the number of all rows: resolutions, limits, and the rounding of whole totals. Proof note:
// dperm/engine/cpu/sums.md.
#include "dperm/engine/row_sums.hpp"

#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::engine {

namespace {

constexpr std::size_t kMostRowsOfMoments = std::size_t{1} << 32;
constexpr std::size_t kMostRowsOfTargets = std::size_t{1} << 31;

}  // namespace

std::size_t outputs_per_row(const RowModel& model) {
  if (const auto* linear = std::get_if<LinearModel>(&model)) return linear->outputs;
  if (const auto* network = std::get_if<NetworkModel>(&model)) return network->shape.outputs;
  return 1;
}

std::size_t cell_count(const JudgedCells& cells) {
  if (const auto* scores = std::get_if<ScoreCells>(&cells)) return 2 * (scores->edges.size() + 1);
  if (const auto* answers = std::get_if<AnswerCells>(&cells)) {
    require(answers->classes >= 2 && answers->classes <= kMaximumClasses, "answers have between 2 and 65536 classes");
    return answers->classes * (answers->whole ? answers->classes : 2);
  }
  return kResidualMoments + 2 * std::get<ResidualCells>(cells).bins;
}

namespace {
constexpr const char* kNoPersons = "these rows do not say whose they are; read them with a schema that has a [unit]";
}  // namespace

std::size_t RowSums::persons() const { throw ArgumentError(kNoPersons); }

std::shared_ptr<const RowSums> RowSums::of_persons(const std::vector<bool>&, bool) const {
  throw ArgumentError(kNoPersons);
}

// [proof engine_sums.rounding]
std::vector<std::int64_t> RowSums::gradient(const GradientQuery& query, Resolution resolution, Threads threads) const {
  steps(resolution, rows_);  // refuses too many rows
  const int dropped = resolution == Resolution::release ? 0 : kSolverBits - solver_bits(rows_);
  std::vector<std::int64_t> out;
  out.reserve(dimension_);
  for (const WideSum total : gradient_total(query, resolution, threads)) {
    out.push_back(static_cast<std::int64_t>(total >> dropped));
  }
  return out;
}
// [/proof]

std::vector<std::int64_t> RowSums::clipped_gradient(const network::ClippedQuery& query, const RowSample& sample,
                                                    Threads threads) const {
  network::validate(query, dimension_, sample, rows_);
  return clipped_total(query, sample, threads);
}

std::vector<std::int64_t> RowSums::clipped_gradient(const network::ClippedQuery& query,
                                                    std::span<const std::size_t> rows, Threads threads) const {
  return clipped_gradient(query, ListedRows({rows.begin(), rows.end()}, rows_), threads);
}

SoftmaxSums RowSums::softmax(const SoftmaxQuery& query, Resolution resolution, Threads threads) const {
  return softmax_total(query, steps(resolution, rows_), threads);
}

std::int64_t RowSums::loss(const LossQuery& query, Threads threads) const {
  return loss_total(query, steps(Resolution::solver, rows_), threads);
}

GramSums RowSums::second_moments(std::int64_t row_limit, Threads threads) const {
  require(rows_ <= kMostRowsOfMoments, "too many rows: their second moments would not fit 62 bits");
  return second_moments_total(row_limit, threads);
}

std::vector<std::int64_t> RowSums::curvature_moments(std::span<const double> weights, Threads threads) const {
  return curvature_total(weights, largest_row_weight(rows_), threads);
}

std::int64_t RowSums::target_sum(std::int32_t limit, Threads threads) const {
  require(rows_ <= kMostRowsOfTargets, "a sum of targets takes at most 2^31 rows");
  return targets_total(limit, threads);
}

SharedSums::SharedSums(std::shared_ptr<const RowSums> sums) : sums_(std::move(sums)) {
  ensure(sums_ != nullptr, "a handle without sums");
}

}  // namespace dperm::engine
