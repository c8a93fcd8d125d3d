// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/question.hpp"

#include "dperm/methods/sgd/linear_pace.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::planner {

namespace {

constexpr std::uint32_t kPieces = 8, kManyPieces = 12;
constexpr std::uint32_t kPairPieces = 7;

// Rules and networks find the shape of an effect themselves; a score per class has no curves unless asked for.
bool may_curve(const methods::Problem& problem) { return methods::model_form(problem) == methods::ModelForm::linear; }

// Below this signal curves cost more than they bring; scores of a real target suffer from all noise, those of a
// classification from what crosses zero.
constexpr double kCurveSignal = 30, kRealCurveSignal = 350;
constexpr double kManyPiecesSignal = 1000;

bool curves_pay(const methods::Task& linear) {
  const double signal = methods::table_signal(linear, privacy::Neighbours::replace_one);
  return signal >= (loss::is_classification(linear.problem.loss.kind) ? kCurveSignal : kRealCurveSignal);
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
  const bool may = open == OpenShapes::curves && may_curve(question.problem) && question.budget.delta > 0;
  if (!may || !curves_pay(linear.task)) return linear;
  const bool many = methods::table_signal(linear.task, privacy::Neighbours::replace_one) >= kManyPiecesSignal;
  return with_shape(question, schema::ColumnShape::curve, many ? kManyPieces : kPieces);
}

}  // namespace dperm::planner
