// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/remote/remote_sums.hpp"

#include <algorithm>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/engine/remote/answer_bytes.hpp"
#include "dperm/random/choice/coin_sample.hpp"

namespace dperm::engine::remote {

namespace {

constexpr std::size_t kRealValues = 2 * 32767 + 1;

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

// The next `count` of the totals from `begin` on.
Totals taken(const Totals& totals, std::size_t begin, std::size_t count) {
  const auto first = totals.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

class RemoteBatches final : public BatchSums {
 public:
  using Totalled = std::function<Totals(Ask)>;
  RemoteBatches(AskBatch ask, Totalled totalled) : ask_(std::move(ask)), totalled_(std::move(totalled)) {}

  std::vector<std::int64_t> sum(std::span<const double> weights, std::span<const std::uint32_t> batch) override {
    ask_.weights = copied(weights);
    ask_.rows = copied(batch);
    return totalled_(ask_);
  }

 private:
  AskBatch ask_;
  Totalled totalled_;
};

// Conjunctions of at most `most` of so many literals. The class has been counted by whoever asks, so this fits.
std::size_t conjunctions(std::size_t literals, std::size_t most) {
  std::size_t sum = 0, of_size = 1;
  for (std::size_t size = 0; size <= std::min(most, literals); ++size) {
    sum += of_size;
    of_size = of_size * (literals - size) / (size + 1);
  }
  return sum;
}

[[noreturn]] void not_row_by_row(const char* instead) {
  throw ArgumentError(std::string("these rows lie on other machines and are not sent one by one; ") + instead);
}

}  // namespace

RemoteSums::RemoteSums(std::shared_ptr<const schema::Encoding> encoding, std::size_t rows, Channel channel)
    : RemoteSums(*encoding, rows, std::move(channel), "", std::make_shared<std::atomic<std::uint64_t>>(0)) {}

RemoteSums::RemoteSums(const schema::Encoding& encoding, std::size_t rows, Channel channel, std::string schema,
                       Serial serial)
    : RowSums(rows, encoding.dimension(), encoding.columns()),
      channel_(std::move(channel)),
      schema_(std::move(schema)),
      triangle_(encoding.dimension() * (encoding.dimension() + 1) / 2),
      serial_(std::move(serial)) {
  for (const schema::CategoryCode& category : encoding.categories()) codes_.push_back(std::size_t{category.levels} + 1);
  require(rows > 0, "there is no row");
  ensure(channel_ != nullptr, "rows elsewhere without a way to them");
}

// [proof engine_remote.ask]
template <class Body>
Body RemoteSums::ask(Ask what) const {
  const std::uint64_t serial = ++*serial_;
  Answer answer = answer_from(channel_(to_bytes({serial, schema_, std::move(what)})));
  ensure(answer.serial == serial, "an answer to another question");
  ensure(answer.rows.size() == 1 && answer.rows[0].first == 0 && answer.rows[0].count == rows(),
         "an answer that does not count every row once");
  auto* body = std::get_if<Body>(&answer.body);
  ensure(body != nullptr, "an answer of another kind");
  return std::move(*body);
}

Totals RemoteSums::totals(Ask what, std::size_t count) const {
  Totals found = ask<Totals>(std::move(what));
  ensure(found.size() == count, "an answer with another number of totals");
  return found;
}
// [/proof]

std::size_t RemoteSums::codes_of(std::size_t category) const {
  require(category < codes_.size(), "no such category column");
  return codes_[category];
}

std::int64_t RemoteSums::errors(const RowModel& model, Threads) const { return totals(AskErrors{own(model)}, 1)[0]; }

std::vector<std::int64_t> RemoteSums::judged(const JudgeQuery& query, Threads) const {
  AskJudged what{own(query.model), {}, query.group};
  if (const auto* scores = std::get_if<ScoreCells>(&query.cells)) what.cells = OwnScores{copied(scores->edges)};
  if (const auto* answers = std::get_if<AnswerCells>(&query.cells)) what.cells = *answers;
  if (const auto* residuals = std::get_if<ResidualCells>(&query.cells)) what.cells = *residuals;
  return totals(std::move(what), cell_count(query.cells) * (query.group ? codes_of(*query.group) : 1));
}

std::vector<std::int64_t> RemoteSums::rule_errors(std::span<const rules::Hypothesis> rules, Threads) const {
  return totals(AskRules{copied(rules)}, rules.size());
}

std::vector<std::int64_t> RemoteSums::conjunction_errors(const ConjunctionQuery& query, Threads) const {
  return totals(AskConjunctions{copied(query.literals), query.most}, conjunctions(query.literals.size(), query.most));
}

LabelCounts RemoteSums::label_counts(const Cells& cells, Threads) const {
  AskLabels what;
  std::size_t count = kRealValues;
  if (const auto* real = std::get_if<RealCells>(&cells)) what.cells = *real;
  if (const auto* category = std::get_if<CategoryCells>(&cells)) {
    what.cells = *category;
    count = codes_of(category->category);
  }
  if (const auto* pair = std::get_if<PairCells>(&cells)) {
    what.cells = *pair;
    count = pair->parts * pair->parts;
  }
  if (const auto* projection = std::get_if<ProjectionCells>(&cells)) {
    what.cells = OwnProjection{copied(projection->coefficients), projection->parts};
    count = projection->parts;
  }
  const Totals found = totals(std::move(what), 2 * count);
  return {taken(found, 0, count), taken(found, count, count)};
}

std::vector<std::int32_t> RemoteSums::sorted_targets(Threads) const {
  std::vector<std::int32_t> found = ask<SortedTargets>(AskSortedTargets{}).targets;
  ensure(found.size() == rows(), "an answer with another number of targets");
  return found;
}

std::unique_ptr<BatchSums> RemoteSums::batches(const loss::Loss& loss, double slope_bound,
                                               std::size_t most_rows) const {
  return std::make_unique<RemoteBatches>(AskBatch{loss, slope_bound, most_rows, {}, {}},
                                         [this](Ask what) { return totals(std::move(what), dimension()); });
}

std::vector<double> RemoteSums::outputs(const RowModel&, Threads) const { not_row_by_row("predict where they lie"); }

RowAnswers RemoteSums::answers(const RowModel&, std::optional<std::size_t>, Threads) const {
  not_row_by_row("public rows can be read on one machine");
}

std::shared_ptr<const RowSums> RemoteSums::select(std::span<const std::size_t>) const {
  not_row_by_row("keep rows out (holdout, tune) by a table of their own");
}

std::shared_ptr<const RowSums> RemoteSums::read_as(const schema::Encoding& encoding) const {
  return std::shared_ptr<const RowSums>(
      new RemoteSums(encoding, rows(), channel_, schema::to_toml(encoding.schema()), serial_));
}

std::vector<WideSum> RemoteSums::gradient_total(const GradientQuery& query, Resolution resolution, Threads) const {
  WideTotals found = ask<WideTotals>(AskGradient{query.loss, query.slope_bound, copied(query.weights), resolution});
  ensure(found.size() == dimension(), "an answer with another number of totals");
  return found;
}

SoftmaxSums RemoteSums::softmax_total(const SoftmaxQuery& query, double steps, Threads) const {
  const std::size_t weights = query.classes * dimension();
  const Totals found = totals(AskSoftmax{query.classes, query.value_bound, copied(query.weights), steps}, weights + 1);
  return {taken(found, 0, weights), found.back()};
}

std::int64_t RemoteSums::loss_total(const LossQuery& query, double steps, Threads) const {
  return totals(AskLoss{own(query.model), query.loss, query.value_bound, steps}, 1)[0];
}

GramSums RemoteSums::second_moments_total(std::int64_t row_limit, Threads) const {
  const Totals found = totals(AskMoments{row_limit}, triangle_ + dimension() + 1);
  return {taken(found, 0, triangle_), taken(found, triangle_, dimension()), found.back()};
}

std::vector<std::int64_t> RemoteSums::curvature_total(std::span<const double> weights, std::uint32_t largest,
                                                      Threads) const {
  return totals(AskCurvature{copied(weights), largest}, triangle_);
}

std::int64_t RemoteSums::targets_total(std::int32_t limit, Threads) const { return totals(AskTargets{limit}, 1)[0]; }

std::vector<std::int64_t> RemoteSums::clipped_total(const network::ClippedQuery& query, const RowSample& sample,
                                                    Threads) const {
  return totals(AskClipped{query.shape, query.loss, copied(query.weights), query.clip, random::bytes_of(sample)},
                query.weights.size());
}

}  // namespace dperm::engine::remote
