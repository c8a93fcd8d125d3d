// SPDX-License-Identifier: Apache-2.0
// Note: dperm/methods/evaluation/evaluation.md.
#include "dperm/engine/cpu/model_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/engine/cpu/rule_errors.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "dperm/engine/network/predict.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {

namespace {

struct Outputs {
  const data::TileSet& tiles;
  Threads threads;

  std::vector<double> operator()(const LinearModel& model) const {
    if (model.outputs == 1) return scores(tiles, model.weights, threads);
    const std::size_t dimension = tiles.layout().dimension();
    require(model.weights.size() == model.outputs * dimension, "a linear model needs dimension weights per output");
    std::vector<double> result(tiles.rows() * model.outputs);
    for (std::size_t k = 0; k < model.outputs; ++k) {
      const auto of_class = scores(tiles, model.weights.subspan(k * dimension, dimension), threads);
      for (std::size_t row = 0; row < of_class.size(); ++row) result[row * model.outputs + k] = of_class[row];
    }
    return result;
  }
  std::vector<double> operator()(const NetworkModel& model) const {
    return network::scores(tiles, model.shape, model.weights, threads);
  }
  std::vector<double> operator()(const rules::Hypothesis& rule) const { return rule_outputs(tiles, rule, threads); }
};

const LinearModel* one_score(const RowModel& model) {
  const auto* linear = std::get_if<LinearModel>(&model);
  return linear != nullptr && linear->outputs == 1 ? linear : nullptr;
}

double row_loss(const loss::Loss& loss, std::span<const double> output, std::int32_t target) {
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
  const auto best = std::max_element(output.begin(), output.end()) - output.begin();
  return static_cast<std::size_t>(best) != static_cast<std::size_t>(target);
}

// Adds up an integer per row.
template <class PerRow>
std::int64_t sum_rows(const data::TileSet& tiles, const RowModel& model, Threads threads, PerRow&& per_row) {
  const std::vector<double> all = model_outputs(tiles, model, threads);
  const std::size_t width = outputs_per_row(model);
  std::int64_t sum = 0;
  std::size_t number = 0;
  for (std::size_t i = 0; i < tiles.tile_count(); ++i) {
    const data::TileView tile = tiles.tile(i);
    const std::int32_t* targets = tile.target(tiles.layout());
    for (std::size_t r = 0; r < tile.rows; ++r, ++number) {
      sum += per_row(std::span(all).subspan(number * width, width), targets[r]);
    }
  }
  return sum;
}

}  // namespace

std::vector<double> model_outputs(const data::TileSet& tiles, const RowModel& model, Threads threads) {
  return std::visit(Outputs{tiles, threads}, model);
}

// [proof methods_evaluation.rows]
std::int64_t model_errors(const data::TileSet& tiles, const RowModel& model, Threads threads) {
  if (const LinearModel* linear = one_score(model)) return error_count(tiles, linear->weights, threads);
  return sum_rows(tiles, model, threads, [](std::span<const double> output, std::int32_t target) {
    return std::int64_t{is_wrong(output, target)};
  });
}

std::int64_t model_loss(const data::TileSet& tiles, const LossQuery& query, double steps, Threads threads) {
  if (const LinearModel* linear = one_score(query.model)) {
    return loss_total(tiles, query.loss, query.value_bound, linear->weights, steps, threads);
  }
  return sum_rows(tiles, query.model, threads, [&](std::span<const double> output, std::int32_t target) {
    const double share = row_loss(query.loss, output, target) / query.value_bound;
    // A share that is not a number counts as 1, so that every row has an integer between 0 and steps.
    return static_cast<std::int64_t>(steps * (share < 1 ? std::fmax(share, 0) : 1));
  });
}
// [/proof]

}  // namespace dperm::engine
