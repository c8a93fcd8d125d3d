// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/chunk.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::network {
namespace {

// entry(k, o) of an inner x columns matrix in panels, zeros beyond.
template <class Entry>
Aligned<float> in_panels(std::size_t inner, std::size_t columns, Entry&& entry) {
  Aligned<float> out(inner * padded(columns), 0.0f);
  for (std::size_t o = 0; o < columns; o += kPanel) {
    const std::size_t width = std::min(kPanel, columns - o);
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t c = 0; c < width; ++c) out[o * inner + k * kPanel + c] = entry(k, o + c);
    }
  }
  return out;
}

}  // namespace

PreparedNetwork prepare(const Shape& shape, const loss::Loss& loss, std::span<const double> weights) {
  require(weights.size() == weight_count(shape), "the number of weights must be that of the network's shape");
  validate_output(loss, shape.outputs);
  require(std::all_of(weights.begin(), weights.end(), [](double w) { return std::fabs(w) <= kLargestWeight; }),
          "weights must be finite and at most 2^100 in size; if training made them so large, take a smaller step");
  PreparedNetwork out{shape, loss, layers(shape), {}, {}};
  for (const Layer& layer : out.layers) {
    const double* w = weights.data() + layer.first_weight;
    out.forward.push_back(in_panels(layer.inputs, layer.outputs, [&](std::size_t i, std::size_t o) {
      return static_cast<float>(w[i * layer.outputs + o]);
    }));
    const std::size_t units = layer.first_weight == 0 ? 0 : layer.inputs - 1;
    out.backward.push_back(in_panels(layer.outputs, units, [&](std::size_t o, std::size_t i) {
      return static_cast<float>(w[(i + 1) * layer.outputs + o]);
    }));
  }
  return out;
}

Chunk::Chunk(const PreparedNetwork& network) : network_(&network), targets_(kChunkRows) {
  std::size_t widest = 0;
  for (const Layer& layer : network.layers) {
    inputs_.emplace_back(kChunkRows * padded(layer.inputs), 0.0f);
    slopes_.emplace_back(kChunkRows * padded(layer.outputs), 0.0f);
    widest = std::max(widest, padded(layer.outputs));
  }
  sums_.assign(kChunkRows * widest, 0.0f);
}

void Chunk::add(const RowFormat& format, const std::byte* row) {
  format.expand(row, inputs_[0].data() + count_ * padded(network_->layers[0].inputs));
  targets_[count_++] = format.target(row);
}

// [proof network_clipped_sum.rows]
void Chunk::activate(std::size_t layer) {
  const std::size_t units = network_->layers[layer].outputs;
  const std::size_t stride = padded(units + 1);
  for (std::size_t r = 0; r < count_; ++r) {
    const float* sum = sums_.data() + r * padded(units);
    float* out = inputs_[layer + 1].data() + r * stride;
    *out++ = 1;
    if (network_->shape.activation == Activation::relu) {
      for (std::size_t o = 0; o < units; ++o) out[o] = sum[o] > 0 ? sum[o] : 0;
    } else {
      for (std::size_t o = 0; o < units; ++o) out[o] = std::tanh(sum[o]);
    }
  }
}

void Chunk::run_forward() {
  for (std::size_t l = 0; l < network_->layers.size(); ++l) {
    const Layer& layer = network_->layers[l];
    multiply(inputs(l), layer.inputs, network_->forward[l].data(), padded(layer.outputs), sums_.data());
    if (l + 1 < network_->layers.size()) activate(l);
  }
}

std::span<const float> Chunk::scores(std::size_t row) const {
  const std::size_t outputs = network_->shape.outputs;
  return {sums_.data() + row * padded(outputs), outputs};
}

void Chunk::run_backward() {
  const std::size_t last = network_->layers.size() - 1;
  for (std::size_t r = 0; r < count_; ++r) {
    network::slopes(network_->loss, scores(r), targets_[r], slopes_[last].data() + r * padded(network_->shape.outputs));
  }
  for (std::size_t l = last; l > 0; --l) {
    const Layer& layer = network_->layers[l];
    const std::size_t units = layer.inputs - 1;
    multiply(slopes(l), layer.outputs, network_->backward[l].data(), padded(units), slopes_[l - 1].data());
    for (std::size_t r = 0; r < count_; ++r) {
      const float* unit = inputs_[l].data() + r * padded(layer.inputs) + 1;
      float* slope = slopes_[l - 1].data() + r * padded(units);
      if (network_->shape.activation == Activation::relu) {
        for (std::size_t i = 0; i < units; ++i) slope[i] = unit[i] > 0 ? slope[i] : 0;
      } else {
        for (std::size_t i = 0; i < units; ++i) slope[i] *= 1 - unit[i] * unit[i];
      }
    }
  }
}
// [/proof]

}  // namespace dperm::network
