// SPDX-License-Identifier: Apache-2.0
// Clips each row of a chunk without forming its gradient: layer by layer the gradient is the product of what entered
// and of the slopes, both are rounded to 16-bit integers, and the norm is checked in exact arithmetic.
#include "dperm/engine/network/clipped_sum.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "dperm/core/check.hpp"
#include "dperm/core/fork_join.hpp"
#include "dperm/core/interrupt.hpp"
#include "dperm/data/tiles/arena.hpp"
#include "dperm/engine/network/chunk.hpp"

namespace dperm::network {
namespace {

constexpr double kLargestInteger = 32767;  // of what `quantise` returns
// Covers the float arithmetic of norms and scales, so that the exact check refuses no ordinary row.
constexpr double kScaleMargin = 1 - 0x1p-14;
constexpr double kLargestScale = 0x1p120;  // fits a float

// One layer of a chunk, one entry per row.
struct LayerScratch {
  Aligned<std::int32_t> input_words, slope_words;
  std::array<double, kChunkRows> input_norms, slope_norms;  // squared, approximate
  std::array<float, kChunkRows> input_scales, slope_scales;
  std::array<std::int64_t, kChunkRows> input_squares, slope_squares;  // of the integers, exact
  Aligned<std::int64_t> totals;                                       // inputs x padded outputs
};

class ChunkSum {
 public:
  ChunkSum(const PreparedNetwork& network, double clip);

  Chunk& chunk() { return chunk_; }
  void add_chunk();
  void add_to(std::span<std::int64_t> out) const;

 private:
  PairWords input_words(std::size_t l) { return {layers_[l].input_words.data(), padded(network_->layers[l].inputs)}; }
  PairWords slope_words(std::size_t l) { return {layers_[l].slope_words.data(), padded(network_->layers[l].outputs)}; }
  void choose_input_scales(std::size_t row);
  void choose_slope_scales(std::size_t row);
  bool is_within_clip(std::size_t row) const;
  void clear_slopes(std::size_t row);

  const PreparedNetwork* network_;
  double clip_;
  Chunk chunk_;
  std::vector<LayerScratch> layers_;
  std::array<double, kChunkRows> steps_{};  // lattice steps per unit of the row's gradient; 0: not finite
};

ChunkSum::ChunkSum(const PreparedNetwork& network, double clip)
    : network_(&network), clip_(clip), chunk_(network), layers_(network.layers.size()) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t inputs = padded(network.layers[l].inputs);
    const std::size_t outputs = padded(network.layers[l].outputs);
    layers_[l].input_words.assign(kChunkPairs * inputs, 0);
    layers_[l].slope_words.assign(kChunkPairs * outputs, 0);
    layers_[l].totals.assign(inputs * outputs, 0);
  }
}

// [proof network_clipped_sum.clip]
// With X and Y the norms of a layer's rounded inputs and slopes, rounding moves their product by about (Y^2 inputs +
// X^2 outputs)^(1/2): least, for a given X Y, where X / Y = (inputs / outputs)^(1/2).
void ChunkSum::choose_input_scales(std::size_t row) {
  double square = 0;
  for (const LayerScratch& layer : layers_) square += layer.input_norms[row] * layer.slope_norms[row];
  const double norm = std::sqrt(square);
  steps_[row] = std::isfinite(norm) ? static_cast<double>(kClipSteps) / std::fmax(clip_, norm) : 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& shape = network_->layers[l];
    LayerScratch& layer = layers_[l];
    const double product = steps_[row] * std::sqrt(layer.input_norms[row] * layer.slope_norms[row]);
    const double ratio = std::sqrt(static_cast<double>(shape.inputs) / static_cast<double>(shape.outputs));
    const double wanted = std::fmin(std::fmax(std::sqrt(product * ratio), product / kLargestInteger), kLargestInteger);
    layer.input_scales[row] = product > 0 ? static_cast<float>(wanted / std::sqrt(layer.input_norms[row])) : 0;
  }
}

// The inputs are integers by now. Rounding the slopes adds at most 1/2 to each, `rounding` to the row's norm: what is
// clipped is the rest.
void ChunkSum::choose_slope_scales(std::size_t row) {
  double square = 0;
  double rounding_square = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    LayerScratch& layer = layers_[l];
    const auto inputs = static_cast<double>(layer.input_squares[row]);
    const double scale = layer.input_scales[row] > 0 ? steps_[row] / static_cast<double>(layer.input_scales[row]) : 0;
    square += inputs * layer.slope_norms[row] * scale * scale;
    rounding_square += inputs * static_cast<double>(network_->layers[l].outputs) / 4;
  }
  const double room = kScaleMargin * static_cast<double>(kClipSteps) - std::sqrt(rounding_square);
  const double norm = std::sqrt(square);
  const double shrink = room > 0 ? (norm > room ? room / norm : 1) : 0;
  for (LayerScratch& layer : layers_) {
    const float scale = layer.input_scales[row];
    const double wanted = scale > 0 ? shrink * steps_[row] / static_cast<double>(scale) : 0;
    layer.slope_scales[row] = static_cast<float>(std::fmin(wanted, kLargestScale));
  }
}

// The numbers of a sample's rows are listed for so many rows of the table at a time: 8 MB at most.
constexpr std::size_t kListedAtOnce = std::size_t{1} << 20;

static_assert(kChunkRows * static_cast<std::size_t>(kClipSteps) < std::size_t{1} << 31, "add_products sums in 32 bits");

bool ChunkSum::is_within_clip(std::size_t row) const {
  constexpr auto kLimit = static_cast<double>(kClipSteps) * static_cast<double>(kClipSteps);  // 2^48
  if (row >= chunk_.count() || !(steps_[row] > 0)) return false;
  double square = 0;  // exact up to 2^53, hence below the limit
  for (const LayerScratch& layer : layers_) {
    square += static_cast<double>(layer.input_squares[row]) * static_cast<double>(layer.slope_squares[row]);
  }
  return square <= kLimit;
}

void ChunkSum::clear_slopes(std::size_t row) {
  const auto keep = static_cast<std::int32_t>(row % 2 == 0 ? 0xFFFF0000u : 0x0000FFFFu);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const PairWords out = slope_words(l);
    for (std::size_t o = 0; o < out.columns; ++o) {
      out.words[(o / kPanel * kChunkPairs + row / 2) * kPanel + o % kPanel] &= keep;
    }
  }
}

void ChunkSum::add_chunk() {
  chunk_.run_forward();
  chunk_.run_backward();
  const std::size_t rows = chunk_.inputs(0).row_count;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    square_norms(chunk_.inputs(l), padded(network_->layers[l].inputs), layers_[l].input_norms.data());
    square_norms(chunk_.slopes(l), padded(network_->layers[l].outputs), layers_[l].slope_norms.data());
  }
  for (std::size_t r = 0; r < rows; ++r) choose_input_scales(r);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    quantise(chunk_.inputs(l), layers_[l].input_scales.data(), input_words(l), layers_[l].input_squares.data());
  }
  for (std::size_t r = 0; r < rows; ++r) choose_slope_scales(r);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    quantise(chunk_.slopes(l), layers_[l].slope_scales.data(), slope_words(l), layers_[l].slope_squares.data());
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (!is_within_clip(r)) clear_slopes(r);
  }
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    add_products(input_words(l), slope_words(l), rows / 2, layers_[l].totals.data());
  }
}
// [/proof]

void ChunkSum::add_to(std::span<std::int64_t> out) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = network_->layers[l];
    for (std::size_t i = 0; i < layer.inputs; ++i) {
      const std::int64_t* total = layers_[l].totals.data() + i * padded(layer.outputs);
      std::int64_t* sum = out.data() + layer.first_weight + i * layer.outputs;
      for (std::size_t o = 0; o < layer.outputs; ++o) sum[o] += total[o];
    }
  }
}

}  // namespace

void validate(const ClippedQuery& query, std::size_t inputs, const RowSample& sample, std::size_t table_rows) {
  require_in_closed_range("clip", query.clip, kSmallestClip, kLargestClip);
  validate(query.shape);
  validate_output(query.loss, query.shape.outputs);
  require(query.shape.inputs == inputs, "the network must have as many inputs as the encoding has weights");
  require(sample.rows() == table_rows, "a sample must be drawn from the rows of the table");
  require(table_rows <= kMaximumBatch, "too many rows to draw a batch from: their sum would not fit 62 bits");
}

std::vector<std::int64_t> clipped_gradient_sum(const RowTable& table, const RowSample& sample,
                                               const ClippedQuery& query, Threads threads) {
  validate(query, table.format().inputs(), sample, table.rows());
  const PreparedNetwork network = prepare(query.shape, query.loss, query.weights);
  tbb::enumerable_thread_specific<ChunkSum> sums([&] { return ChunkSum(network, query.clip); });
  const InterruptCheck check;
  for (std::size_t first = 0; first < table.rows(); first += kListedAtOnce) {
    const std::vector<std::size_t> rows = rows_in(sample, first, std::min(kListedAtOnce, table.rows() - first));
    const std::size_t chunks = (rows.size() + kChunkRows - 1) / kChunkRows;
    const auto some = [&](const tbb::blocked_range<std::size_t>& range) {
      ChunkSum& sum = sums.local();
      for (std::size_t c = range.begin(); c < range.end(); ++c) {
        check();
        sum.chunk().clear();
        for (std::size_t i = c * kChunkRows; i < std::min((c + 1) * kChunkRows, rows.size()); ++i) {
          sum.chunk().add(table.format(), table.row(rows[i]));
        }
        sum.add_chunk();
      }
    };
    const ForkJoin loop(some);
    data::arena_for(threads).execute(
        [&] { tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks), loop.task()); });
  }
  std::vector<std::int64_t> out(query.weights.size(), 0);
  for (const ChunkSum& sum : sums) sum.add_to(out);
  return out;
}

std::vector<std::int64_t> clipped_gradient_sum(const RowTable& table, std::span<const std::size_t> rows,
                                               const ClippedQuery& query, Threads threads) {
  return clipped_gradient_sum(table, ListedRows({rows.begin(), rows.end()}, table.rows()), query, threads);
}

}  // namespace dperm::network
