// SPDX-License-Identifier: Apache-2.0
// A network made ready for the vector code, and a chunk of rows that passes through it forwards and backwards. Internal
// to the room.
#pragma once

#include <oneapi/tbb/cache_aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/rows/row_table.hpp"
#include "dperm/engine/network/kernels.hpp"
#include "dperm/engine/network/output_loss.hpp"
#include "dperm/engine/network/shape.hpp"

namespace dperm::network {

template <class T>
using Aligned = std::vector<T, tbb::cache_aligned_allocator<T>>;

inline constexpr double kLargestWeight = 0x1p100;

// The weights in float, in the panels that `multiply` reads.
struct PreparedNetwork {
  Shape shape;
  loss::Loss loss;
  std::vector<Layer> layers;
  std::vector<Aligned<float>> forward;   // inputs x outputs
  std::vector<Aligned<float>> backward;  // outputs x (inputs without the constant); empty for layer 0
};

// Throws ArgumentError unless shape and loss are valid and there are weight_count finite weights of size at most
// kLargestWeight.
PreparedNetwork prepare(const Shape& shape, const loss::Loss& loss, std::span<const double> weights);

// Buffers of one thread.
class Chunk {
 public:
  explicit Chunk(const PreparedNetwork& network);

  // Forgets all rows.
  void clear() { count_ = 0; }
  // At most kChunkRows rows.
  void add(const RowFormat& format, const std::byte* row);
  std::size_t count() const { return count_; }

  void run_forward();
  void run_backward();  // after run_forward

  std::span<const float> scores(std::size_t row) const;
  std::int32_t target(std::size_t row) const { return targets_[row]; }

  // What entered layer l (the constant first), and the derivatives of the loss in what left it before its activation.
  // Rows past count() are there to fill a register block; what they hold means nothing.
  FloatRows inputs(std::size_t layer) const { return view(inputs_[layer], padded(network_->layers[layer].inputs)); }
  FloatRows slopes(std::size_t layer) const { return view(slopes_[layer], padded(network_->layers[layer].outputs)); }

 private:
  FloatRows view(const Aligned<float>& matrix, std::size_t stride) const {
    return {matrix.data(), stride, (count_ + 11) / 12 * 12};
  }
  void activate(std::size_t layer);

  const PreparedNetwork* network_;
  std::size_t count_ = 0;
  std::vector<std::int32_t> targets_;
  std::vector<Aligned<float>> inputs_, slopes_;
  Aligned<float> sums_;  // of the layer at hand, later the scores
};

}  // namespace dperm::network
