// SPDX-License-Identifier: Apache-2.0
// The shape of a multilayer perceptron and where its weights lie in one flat vector.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dperm::network {

enum class Activation { relu, tanh };

std::string_view name(Activation activation);            // "relu", "tanh"
Activation activation_from_name(std::string_view name);  // throws ArgumentError listing the names

// Without hidden layers: a linear model (one output) or softmax regression (several).
struct Shape {
  std::size_t inputs = 0;  // dimension of the encoding; input 0 is its intercept
  std::vector<std::size_t> hidden = {};
  std::size_t outputs = 1;
  Activation activation = Activation::tanh;
  bool operator==(const Shape&) const = default;
};

inline constexpr std::size_t kMaximumWidth = std::size_t{1} << 17;
inline constexpr std::size_t kMaximumHiddenLayers = 64;
inline constexpr std::size_t kMaximumWeights = std::size_t{1} << 27;

// A thread works on 8 bytes per weight and some 700 bytes per input or unit; these limits keep that near a gigabyte.
// Throws ArgumentError unless every width is within [1, kMaximumWidth] and the limits above hold.
void validate(const Shape& shape);

// One layer of weights. Its input 0 is the constant one: the intercept of the encoding, or of a hidden layer the unit
// that gives the next layer its bias. The weight from input i to output o is number first_weight + i * outputs + o.
struct Layer {
  std::size_t inputs;
  std::size_t outputs;
  std::size_t first_weight;
};
std::vector<Layer> layers(const Shape& shape);  // of a valid shape
std::size_t weight_count(const Shape& shape);   // validates

}  // namespace dperm::network
