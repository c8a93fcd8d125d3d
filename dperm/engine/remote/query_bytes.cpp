// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/remote/query_bytes.hpp"

#include "dperm/engine/remote/bytes.hpp"

namespace dperm {

// The members of each type, found beside the type.
namespace loss {
template <class Archive>
void members(Archive& archive, Loss& loss) {
  archive(loss.kind, loss.smoothing, loss.margin, loss.quantile, loss.threshold, loss.positive);
}
}  // namespace loss

namespace network {
template <class Archive>
void members(Archive& archive, Shape& shape) {
  archive(shape.inputs, shape.hidden, shape.outputs, shape.activation);
}
}  // namespace network

namespace rules {
template <class Archive>
void members(Archive& archive, RangeRule& rule) {
  archive(rule.real, rule.lower, rule.upper);
}
template <class Archive>
void members(Archive& archive, LevelRule& rule) {
  archive(rule.category, rule.code, rule.negated);
}
template <class Archive>
void members(Archive& archive, HalfspaceRule& rule) {
  archive(rule.coefficients, rule.cut);
}
template <class Archive>
void members(Archive& archive, LinearRule& rule) {
  archive(rule.intercept, rule.reals, rule.levels);
}
template <class Archive>
void members(Archive& archive, Hypothesis& rule) {
  archive(rule.parts, rule.opposite);
}
}  // namespace rules

namespace engine {
template <class Archive>
void members(Archive& archive, AnswerCells& cells) {
  archive(cells.classes, cells.whole);
}
template <class Archive>
void members(Archive& archive, ResidualCells& cells) {
  archive(cells.bins);
}
template <class Archive>
void members(Archive& archive, RealCells& cells) {
  archive(cells.real);
}
template <class Archive>
void members(Archive& archive, CategoryCells& cells) {
  archive(cells.category);
}
template <class Archive>
void members(Archive& archive, PairCells& cells) {
  archive(cells.first, cells.second, cells.parts);
}
}  // namespace engine

namespace engine::remote {

namespace {

constexpr std::uint64_t kQueryMark = 0x3151'4d52'4550'4444;  // "DDPERMQ1"

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace

template <class Archive>
void members(Archive& archive, OwnLinear& model) {
  archive(model.weights, model.outputs);
}
template <class Archive>
void members(Archive& archive, OwnNetwork& model) {
  archive(model.shape, model.weights);
}
template <class Archive>
void members(Archive& archive, OwnScores& cells) {
  archive(cells.edges);
}
template <class Archive>
void members(Archive& archive, OwnProjection& cells) {
  archive(cells.coefficients, cells.parts);
}
template <class Archive>
void members(Archive& archive, AskGradient& ask) {
  archive(ask.loss, ask.slope_bound, ask.weights, ask.resolution);
}
template <class Archive>
void members(Archive& archive, AskSoftmax& ask) {
  archive(ask.classes, ask.value_bound, ask.weights, ask.steps);
}
template <class Archive>
void members(Archive& archive, AskLoss& ask) {
  archive(ask.model, ask.loss, ask.value_bound, ask.steps);
}
template <class Archive>
void members(Archive& archive, AskMoments& ask) {
  archive(ask.row_limit);
}
template <class Archive>
void members(Archive& archive, AskCurvature& ask) {
  archive(ask.weights, ask.largest);
}
template <class Archive>
void members(Archive& archive, AskTargets& ask) {
  archive(ask.limit);
}
template <class Archive>
void members(Archive& archive, AskErrors& ask) {
  archive(ask.model);
}
template <class Archive>
void members(Archive& archive, AskJudged& ask) {
  archive(ask.model, ask.cells, ask.group);
}
template <class Archive>
void members(Archive& archive, AskRules& ask) {
  archive(ask.rules);
}
template <class Archive>
void members(Archive& archive, AskConjunctions& ask) {
  archive(ask.literals, ask.most);
}
template <class Archive>
void members(Archive& archive, AskLabels& ask) {
  archive(ask.cells);
}
template <class Archive>
void members(Archive&, AskSortedTargets&) {}
template <class Archive>
void members(Archive& archive, AskClipped& ask) {
  archive(ask.shape, ask.loss, ask.weights, ask.clip, ask.sample);
}
template <class Archive>
void members(Archive& archive, AskBatch& ask) {
  archive(ask.loss, ask.slope_bound, ask.most_rows, ask.weights, ask.rows);
}
template <class Archive>
void members(Archive& archive, Query& query) {
  archive(query.serial, query.schema, query.ask);
}

OwnModel own(const RowModel& model) {
  const auto copied = [](std::span<const double> weights) { return Numbers(weights.begin(), weights.end()); };
  return std::visit(
      Overloaded{
          [&](const LinearModel& linear) -> OwnModel { return OwnLinear{copied(linear.weights), linear.outputs}; },
          [&](const NetworkModel& network) -> OwnModel { return OwnNetwork{network.shape, copied(network.weights)}; },
          [](const rules::Hypothesis& rule) -> OwnModel { return rule; }},
      model);
}

RowModel view(const OwnModel& model) {
  return std::visit(
      Overloaded{[](const OwnLinear& linear) -> RowModel { return LinearModel{linear.weights, linear.outputs}; },
                 [](const OwnNetwork& network) -> RowModel { return NetworkModel{network.shape, network.weights}; },
                 [](const rules::Hypothesis& rule) -> RowModel { return rule; }},
      model);
}

std::string to_bytes(Query query) {
  ByteWriter writer;
  std::uint64_t mark = kQueryMark;
  writer(mark, query);
  return writer.take();
}

Query query_from(std::string_view bytes) {
  ByteReader reader(bytes);
  std::uint64_t mark = 0;
  Query query;
  reader(mark);
  ensure(mark == kQueryMark, "bytes from another machine are not a question of this version");
  reader(query);
  reader.end();
  return query;
}

}  // namespace engine::remote
}  // namespace dperm
