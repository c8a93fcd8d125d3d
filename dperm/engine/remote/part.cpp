// SPDX-License-Identifier: Apache-2.0
// Note: remote_sums.md.
#include "dperm/engine/remote/part.hpp"

#include <algorithm>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/engine/remote/answer_bytes.hpp"
#include "dperm/engine/remote/query_bytes.hpp"
#include "dperm/random/choice/coin_sample.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::engine::remote {

namespace {

using Body = decltype(Answer::body);

Totals flat(Totals first, const Totals& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// What a part is asked, of its own rows: row numbers count from `first`.
// [proof engine_remote.answer]
struct Answering {
  const RowSums& rows;
  std::size_t first;
  Threads threads;

  Body operator()(const AskGradient& ask) const {
    return rows.gradient_total({ask.loss, ask.slope_bound, ask.weights}, ask.resolution, threads);
  }
  Body operator()(const AskSoftmax& ask) const {
    const SoftmaxSums sums = rows.softmax_total({ask.classes, ask.value_bound, ask.weights}, ask.steps, threads);
    return flat(sums.gradient, {sums.loss});
  }
  Body operator()(const AskLoss& ask) const {
    return Totals{rows.loss_total({view(ask.model), ask.loss, ask.value_bound}, ask.steps, threads)};
  }
  Body operator()(const AskMoments& ask) const {
    const GramSums sums = rows.second_moments_total(ask.row_limit, threads);
    return flat(flat(sums.upper_triangle, sums.target_products), {sums.target_square});
  }
  Body operator()(const AskCurvature& ask) const { return rows.curvature_total(ask.weights, ask.largest, threads); }
  Body operator()(const AskTargets& ask) const { return Totals{rows.targets_total(ask.limit, threads)}; }
  Body operator()(const AskErrors& ask) const { return Totals{rows.errors(view(ask.model), threads)}; }
  Body operator()(const AskJudged& ask) const {
    JudgeQuery query{view(ask.model), {}, ask.group};
    if (const auto* scores = std::get_if<OwnScores>(&ask.cells)) query.cells = ScoreCells{scores->edges};
    if (const auto* answers = std::get_if<AnswerCells>(&ask.cells)) query.cells = *answers;
    if (const auto* residuals = std::get_if<ResidualCells>(&ask.cells)) query.cells = *residuals;
    return rows.judged(query, threads);
  }
  Body operator()(const AskRules& ask) const { return rows.rule_errors(ask.rules, threads); }
  Body operator()(const AskConjunctions& ask) const {
    return rows.conjunction_errors({ask.literals, ask.most}, threads);
  }
  Body operator()(const AskLabels& ask) const {
    const auto of = [&](const Cells& cells) {
      const LabelCounts counts = rows.label_counts(cells, threads);
      return flat(counts.negative, counts.positive);
    };
    const auto* projection = std::get_if<OwnProjection>(&ask.cells);
    if (projection != nullptr) return of(ProjectionCells{projection->coefficients, projection->parts});
    if (const auto* real = std::get_if<RealCells>(&ask.cells)) return of(*real);
    if (const auto* category = std::get_if<CategoryCells>(&ask.cells)) return of(*category);
    return of(std::get<PairCells>(ask.cells));
  }
  Body operator()(const AskSortedTargets&) const { return SortedTargets{rows.sorted_targets(threads)}; }
  Body operator()(const AskClipped& ask) const {
    const auto whole = random::sample_from(ask.sample);
    const PartOfSample own(*whole, first, rows.rows());
    return rows.clipped_total({ask.shape, ask.loss, ask.weights, ask.clip}, own, threads);
  }
  Body operator()(const AskBatch& ask) const {
    std::vector<std::uint32_t> own;
    for (const std::size_t row : ask.rows) {
      if (row >= first && row - first < rows.rows()) own.push_back(static_cast<std::uint32_t>(row - first));
    }
    return rows.batches(ask.loss, ask.slope_bound, ask.most_rows)->sum(ask.weights, own);
  }
};
// [/proof]

}  // namespace

Part::Part(std::shared_ptr<const RowSums> rows, std::shared_ptr<const schema::Encoding> encoding, std::size_t first)
    : rows_(std::move(rows)), encoding_(std::move(encoding)), first_(first) {
  ensure(rows_->dimension() == encoding_->dimension() && rows_->filled_rows() == rows_->rows(),
         "a part of other rows than its encoding says");
}

std::shared_ptr<const RowSums> Part::read_as(const std::string& schema) const {
  if (schema.empty()) return rows_;
  const std::lock_guard held(lock_);
  if (schema_ != schema) {
    const schema::Encoding encoding(schema::parse_schema(schema, "the question's schema"));
    ensure(schema::without_shapes(encoding.schema()) == schema::without_shapes(encoding_->schema()),
           "a question about rows of another schema");
    read_ = rows_->read_as(encoding);
    schema_ = schema;
  }
  return read_;
}

std::string Part::answer(std::string_view question, Threads threads) const {
  const Query query = query_from(question);
  const std::shared_ptr<const RowSums> rows = read_as(query.schema);
  Answer answer{query.serial, {}, std::visit(Answering{*rows, first_, threads}, query.ask)};
  if (rows->rows() > 0) answer.rows = {{first_, rows->rows()}};
  return to_bytes(std::move(answer));
}

std::string add(std::string_view a, std::string_view b) { return to_bytes(sum(answer_from(a), answer_from(b))); }

}  // namespace dperm::engine::remote
