// SPDX-License-Identifier: Apache-2.0
// The vector code of a network, on chunks of rows. Every row is computed by the same operations in the same order
// wherever it stands in its chunk and whatever the other rows hold. Internal to the room.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dperm::network {

// Rows handled at once: a multiple of the 12, 6 or 3 rows in a register block. 120 * 2^24 < 2^31 is why a 32-bit lane
// of add_products cannot overflow.
inline constexpr std::size_t kChunkRows = 120;
inline constexpr std::size_t kChunkPairs = kChunkRows / 2;
inline constexpr std::size_t kPanel = 16;
// A row of a matrix, and the number of its columns in panels, are padded with zeros to a multiple of this.
constexpr std::size_t padded(std::size_t count) { return (count + kPanel - 1) / kPanel * kPanel; }

// rows[r * stride + k], r < row_count (a multiple of 12), k < inner.
struct FloatRows {
  const float* data;
  std::size_t stride;
  std::size_t row_count;
};

// out[r * out_columns + o] = sum over k = 0, 1, ... of rows[r][k] * matrix[k][o], added in this order. The matrix lies
// in panels: column o of row k at panels[(o / 16 * inner + k) * 16 + o % 16]; out_columns is a multiple of 16.
void multiply(FloatRows rows, std::size_t inner, const float* panels, std::size_t out_columns, float* out);

// out[r] = sum_k rows[r][k]^2 over the first `columns` (a multiple of 16) to a relative error of about 2^-17; infinite
// or NaN where it leaves the range of float.
void square_norms(FloatRows rows, std::size_t columns, double* out);

// Integers of a matrix of rows, two rows per word: row 2p in the low half, row 2p + 1 in the high half. Column i of
// pair p lies at words[(i / 16 * kChunkPairs + p) * 16 + i % 16].
struct PairWords {
  std::int32_t* words;
  std::size_t columns;  // a multiple of 16
};

// q = rows[r][i] * scale[r] rounded to the nearest integer and clamped to [-32767, 32767] (so is what overflows or is
// not a number); squares[r] = sum_i q^2, exactly.
void quantise(FloatRows rows, const float* scale, PairWords out, std::int64_t* squares);

// totals[i * right.columns + o] += sum over the rows of the first `pairs` pairs of left[r][i] * right[r][o]: exact
// where no product exceeds 2^24 in size.
void add_products(PairWords left, PairWords right, std::size_t pairs, std::int64_t* totals);

}  // namespace dperm::network
