// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/question.hpp"

#include <limits>
#include <optional>

#include "dperm/methods/sgd/linear_pace.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::planner {

namespace {

constexpr std::uint32_t kFewPieces = 4, kPieces = 8, kManyPieces = 12;
constexpr std::uint32_t kPairPieces = 7;

// From which signal on curves pay, and finer ones. Scores of a real target suffer from all noise, those of a
// classification from what crosses zero.
struct CurveSignals {
  double from, pieces, many;
};
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr CurveSignals kOneScore{30, 30, 1000}, kRealScore{350, 350, 1000};
// A network bends lines itself; curves spare it that for little noise, but where a real target is concerned.
constexpr CurveSignals kClasses{50, 150, kNever}, kNetwork{50, 50, kNever}, kRealNetwork{3000, 3000, kNever};
// With a score per class, and in a first layer, every knot is many weights: images stay as they are.
constexpr std::size_t kMostKnots = 1000;

CurveSignals curve_signals(const methods::Problem& problem) {
  const bool margin = loss::is_classification(problem.loss.kind);
  switch (methods::model_form(problem)) {
    case methods::ModelForm::linear:
      return margin ? kOneScore : kRealScore;
    case methods::ModelForm::multiclass:
      return kClasses;
    case methods::ModelForm::network:
      return margin ? kNetwork : kRealNetwork;
    case methods::ModelForm::rule:
      break;  // finds the shape of an effect itself
  }
  return {kNever, kNever, kNever};
}

// How many pieces a curve gets; none where it would cost more than it brings.
std::optional<std::uint32_t> pieces_of(const methods::Task& linear) {
  const CurveSignals signals = curve_signals(linear.problem);
  const double signal = methods::class_signal(linear, privacy::Neighbours::replace_one);
  if (signal < signals.from) return std::nullopt;
  if (signal < signals.pieces) return kFewPieces;
  return signal < signals.many ? kPieces : kManyPieces;
}

ShapedTask with_shape(const Question& question, schema::ColumnShape shape, std::uint32_t pieces) {
  const auto encoding =
      std::make_shared<const schema::Encoding>(schema::with_shapes(question.schema, shape, pieces, kPairPieces));
  methods::Task task{question.problem, methods::facts_of(*encoding, question.problem, question.rows), question.budget};
  methods::validate_asked(task);
  return {encoding, std::move(task), population_of(*encoding)};
}

}  // namespace

ShapedTask shaped(const Question& question, OpenShapes open) {
  ShapedTask linear = with_shape(question, schema::ColumnShape::linear, kPieces);
  if (open != OpenShapes::curves || question.budget.delta <= 0) return linear;
  const std::optional<std::uint32_t> pieces = pieces_of(linear.task);
  if (!pieces) return linear;
  ShapedTask curves = with_shape(question, schema::ColumnShape::curve, *pieces);
  const bool one_score = methods::model_form(question.problem) == methods::ModelForm::linear;
  return one_score || curves.task.facts.dimension <= kMostKnots ? curves : linear;
}

}  // namespace dperm::planner
