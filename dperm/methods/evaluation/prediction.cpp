// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/rules/class_spec.hpp"

namespace dperm::methods {

namespace {

void check_fits(const schema::Encoding& encoding, const FittedModel& model) {
  require(model.task.facts.dimension == encoding.dimension() && model.weights.size() == weight_count(model.task),
          "the model has another number of weights than the data");
}

engine::RowModel row_model(const schema::Encoding& encoding, const FittedModel& model) {
  check_fits(encoding, model);
  switch (model_form(model.task.problem)) {
    case ModelForm::linear:
      return engine::LinearModel{model.weights};
    case ModelForm::multiclass:
      return engine::LinearModel{model.weights, model.task.facts.classes};
    case ModelForm::network:
      return engine::NetworkModel{network_shape(model.task), model.weights};
    case ModelForm::rule: {
      const auto rules = rules::make_class(encoding, rules::parse_class(model.task.problem.rules));
      return rules->hypothesis(rule_number(model, rules->size()));
    }
  }
  throw InternalError("a model form without outputs");
}

}  // namespace

std::size_t outputs_per_row(const Task& task) {
  return task.problem.loss.kind == loss::LossKind::softmax ? task.facts.classes : 1;
}

std::vector<double> outputs(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                            Threads threads) {
  return sums.outputs(row_model(encoding, model), threads);
}

std::uint64_t rule_number(const FittedModel& model, std::uint64_t rules) {
  const double number = model.weights.at(0);
  require(number >= 0 && number < static_cast<double>(rules) && number == std::floor(number),
          "the model names a rule that its class does not have");
  return static_cast<std::uint64_t>(number);
}

std::size_t predicted_class(std::span<const double> outputs) {
  return static_cast<std::size_t>(std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
}

std::int64_t error_count(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                         Threads threads) {
  return sums.errors(row_model(encoding, model), threads);
}

std::int64_t loss_sum(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                      double bound, Threads threads) {
  return sums.loss({row_model(encoding, model), model.task.problem.loss, bound}, threads);
}

std::vector<std::int64_t> judged(const engine::RowSums& sums, const schema::Encoding& encoding,
                                 const FittedModel& model, const engine::JudgedCells& cells,
                                 std::optional<std::size_t> group, Threads threads) {
  return sums.judged({row_model(encoding, model), cells, group}, threads);
}

engine::RowAnswers answers(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                           std::optional<std::size_t> group, Threads threads) {
  return sums.answers(row_model(encoding, model), group, threads);
}

}  // namespace dperm::methods
