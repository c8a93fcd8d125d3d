// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/question.hpp"

#include "dperm/schema/shapes.hpp"

namespace dperm::planner {

namespace {

constexpr std::uint32_t kPieces = 8;
constexpr std::uint32_t kPairPieces = 7;

// Rules and networks find the shape of an effect themselves; a score per class has no curves unless asked for.
bool may_curve(const methods::Problem& problem) { return methods::model_form(problem) == methods::ModelForm::linear; }

}  // namespace

ShapedTask shaped(const Question& question, OpenShapes open) {
  const bool curves = open == OpenShapes::curves && may_curve(question.problem);
  const auto encoding = std::make_shared<const schema::Encoding>(schema::with_shapes(
      question.schema, curves ? schema::ColumnShape::curve : schema::ColumnShape::linear, kPieces, kPairPieces));
  methods::Task task{question.problem, methods::facts_of(*encoding, question.problem, question.rows), question.budget};
  methods::validate(task);
  return {encoding, std::move(task), population_of(*encoding)};
}

}  // namespace dperm::planner
