// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/shape.hpp"

#include <fmt/format.h>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::network {
namespace {

void require_width(std::string_view what, std::size_t width) {
  if (width >= 1 && width <= kMaximumWidth) return;
  throw ArgumentError(fmt::format("{} must be between 1 and {}; got {}", what, kMaximumWidth, width));
}

}  // namespace

std::string_view name(Activation activation) { return activation == Activation::relu ? "relu" : "tanh"; }

Activation activation_from_name(std::string_view wanted) {
  for (const Activation activation : {Activation::relu, Activation::tanh}) {
    if (name(activation) == wanted) return activation;
  }
  throw ArgumentError(fmt::format("`activation` '{}' is unknown; choose one of: relu, tanh", wanted));
}

void validate(const Shape& shape) {
  require_width("the number of inputs", shape.inputs);
  require_width("the number of outputs", shape.outputs);
  if (shape.hidden.size() > kMaximumHiddenLayers) {
    throw ArgumentError(
        fmt::format("there may be at most {} hidden layers; got {}", kMaximumHiddenLayers, shape.hidden.size()));
  }
  for (const std::size_t width : shape.hidden) require_width("the width of a hidden layer", width);
  std::size_t weights = 0;
  for (const Layer& layer : layers(shape)) weights += layer.inputs * layer.outputs;
  if (weights > kMaximumWeights) {
    throw ArgumentError(fmt::format("a network may have at most {} weights; this one has {}: take narrower layers",
                                    kMaximumWeights, weights));
  }
}

std::vector<Layer> layers(const Shape& shape) {
  std::vector<Layer> out;
  std::size_t inputs = shape.inputs;
  std::size_t first_weight = 0;
  const auto add = [&](std::size_t outputs) {
    out.push_back({inputs, outputs, first_weight});
    first_weight += inputs * outputs;
    inputs = outputs + 1;
  };
  for (const std::size_t width : shape.hidden) add(width);
  add(shape.outputs);
  return out;
}

std::size_t weight_count(const Shape& shape) {
  validate(shape);
  const Layer last = layers(shape).back();
  return last.first_weight + last.inputs * last.outputs;
}

}  // namespace dperm::network
