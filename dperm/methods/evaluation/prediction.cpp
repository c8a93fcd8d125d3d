// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/engine/network/predict.hpp"
#include "dperm/rules/class_spec.hpp"

namespace dperm::methods {

namespace {

void check_fits(const schema::Encoding& encoding, const FittedModel& model) {
  require(model.task.facts.dimension == encoding.dimension() && model.weights.size() == weight_count(model.task),
          "the model has another number of weights than the data");
}

std::vector<double> multiclass_outputs(const data::TileSet& tiles, const FittedModel& model, Threads threads) {
  const std::size_t classes = model.task.facts.classes, dimension = model.task.facts.dimension;
  std::vector<double> result(tiles.rows() * classes);
  for (std::size_t k = 0; k < classes; ++k) {
    const auto scores = engine::scores(tiles, std::span(model.weights).subspan(k * dimension, dimension), threads);
    for (std::size_t row = 0; row < scores.size(); ++row) result[row * classes + k] = scores[row];
  }
  return result;
}

std::vector<double> rule_outputs(const data::TileSet& tiles, const schema::Encoding& encoding,
                                 const FittedModel& model) {
  const auto rules = rules::make_class(encoding, rules::parse_class(model.task.problem.rules));
  const rules::Hypothesis rule = rules->hypothesis(rule_number(model, rules->size()));
  std::vector<double> result;
  result.reserve(tiles.rows());
  rules::for_each_row(tiles,
                      [&](const rules::EncodedRow& row) { result.push_back(rules::predict(rule, row) ? 1 : -1); });
  return result;
}

std::vector<std::int32_t> targets(const data::TileSet& tiles) {
  std::vector<std::int32_t> result;
  result.reserve(tiles.rows());
  for (std::size_t i = 0; i < tiles.tile_count(); ++i) {
    const data::TileView tile = tiles.tile(i);
    const std::int32_t* values = tile.target(tiles.layout());
    result.insert(result.end(), values, values + tile.rows);
  }
  return result;
}

// The loss of one row from its outputs, and whether it is answered wrongly.
double row_loss(const Task& task, std::span<const double> output, std::int32_t target) {
  const loss::Loss& loss = task.problem.loss;
  if (loss.kind == loss::LossKind::softmax) {
    // A target of another list of classes is answered wrongly, whatever the outputs.
    if (target < 0 || static_cast<std::size_t>(target) >= output.size()) return std::numeric_limits<double>::infinity();
    const double largest = *std::max_element(output.begin(), output.end());
    double total = 0;
    for (const double each : output) total += std::exp(each - largest);
    return largest + std::log(total) - output[static_cast<std::size_t>(target)];
  }
  const double y = loss::is_classification(loss.kind) ? (target > 0 ? 1 : -1) : target / double{schema::kTargetOne};
  return loss::value(loss, output[0], y);
}

bool is_wrong(std::span<const double> output, std::int32_t target) {
  if (output.size() == 1) return (output[0] > 0) != (target > 0);
  return predicted_class(output) != static_cast<std::size_t>(target);
}

// Adds up an integer a row.
template <class PerRow>
std::int64_t sum_rows(const data::TileSet& tiles, const schema::Encoding& encoding, const FittedModel& model,
                      Threads threads, PerRow&& per_row) {
  const std::vector<double> all = outputs(tiles, encoding, model, threads);
  const std::vector<std::int32_t> labels = targets(tiles);
  const std::size_t width = outputs_per_row(model.task);
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    sum += per_row(std::span(all).subspan(row * width, width), labels[row]);
  }
  return sum;
}

}  // namespace

std::size_t outputs_per_row(const Task& task) {
  return task.problem.loss.kind == loss::LossKind::softmax ? task.facts.classes : 1;
}

std::vector<double> outputs(const data::TileSet& tiles, const schema::Encoding& encoding, const FittedModel& model,
                            Threads threads) {
  check_fits(encoding, model);
  switch (model_form(model.task.problem)) {
    case ModelForm::linear:
      return engine::scores(tiles, model.weights, threads);
    case ModelForm::multiclass:
      return multiclass_outputs(tiles, model, threads);
    case ModelForm::network:
      return network::scores(tiles, network_shape(model.task), model.weights, threads);
    case ModelForm::rule:
      return rule_outputs(tiles, encoding, model);
  }
  throw InternalError("a model form without outputs");
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

// [proof methods_evaluation.rows]
std::int64_t error_count(const data::TileSet& tiles, const schema::Encoding& encoding, const FittedModel& model,
                         Threads threads) {
  check_fits(encoding, model);
  if (model_form(model.task.problem) == ModelForm::linear) {
    return engine::error_count(tiles, model.weights, threads);
  }
  return sum_rows(tiles, encoding, model, threads, [](std::span<const double> output, std::int32_t target) {
    return std::int64_t{is_wrong(output, target)};
  });
}

std::int64_t loss_sum(const data::TileSet& tiles, const schema::Encoding& encoding, const FittedModel& model,
                      double bound, Threads threads) {
  check_fits(encoding, model);
  const Task& task = model.task;
  if (model_form(task.problem) == ModelForm::linear) {
    return engine::loss_sum(tiles, task.problem.loss, bound, model.weights, threads);
  }
  const double steps = engine::steps(engine::Resolution::solver, tiles.rows());
  return sum_rows(tiles, encoding, model, threads, [&](std::span<const double> output, std::int32_t target) {
    const double share = row_loss(task, output, target) / bound;
    // A share that is not a number counts as 1, so that every row has an integer between 0 and steps.
    return static_cast<std::int64_t>(steps * (share < 1 ? std::fmax(share, 0) : 1));
  });
}
// [/proof]

}  // namespace dperm::methods
