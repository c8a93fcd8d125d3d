// SPDX-License-Identifier: Apache-2.0
// The vector code against loops that anyone can check, on every instruction set.
#include "dperm/engine/network/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "dperm/engine/network/chunk.hpp"
#include "tests/support/instruction_sets.hpp"

namespace dperm::network {
namespace {

constexpr std::size_t kRows = 24;

std::int64_t half(const PairWords& words, std::size_t row, std::size_t column) {
  const std::int32_t word = words.words[(column / kPanel * kChunkPairs + row / 2) * kPanel + column % kPanel];
  return static_cast<std::int16_t>(row % 2 == 0 ? word & 0xFFFF : word >> 16);
}

Aligned<float> random_floats(std::size_t count, float size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-size, size);
  Aligned<float> out(count);
  for (float& x : out) x = uniform(random);
  return out;
}

TEST(Multiply, AddsTheTermsOfEverySumInOrder) {
  constexpr std::size_t kInner = 37, kColumns = 48, kStride = 48;
  const Aligned<float> rows = random_floats(kRows * kStride, 1, 1);
  const Aligned<float> panels = random_floats(kInner * kColumns, 1, 2);
  testing::for_each_target([&](const char* target) {
    Aligned<float> out(kRows * kColumns);
    multiply({rows.data(), kStride, kRows}, kInner, panels.data(), kColumns, out.data());
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t o = 0; o < kColumns; ++o) {
        float sum = 0;
        for (std::size_t k = 0; k < kInner; ++k) {
          sum += rows[r * kStride + k] * panels[(o / kPanel * kInner + k) * kPanel + o % kPanel];
        }
        ASSERT_EQ(out[r * kColumns + o], sum) << target << " row " << r << " column " << o;
      }
    }
  });
}

TEST(SquareNorms, AreTheSameOnEveryInstructionSet) {
  constexpr std::size_t kColumns = 2064;
  const Aligned<float> rows = random_floats(kRows * kColumns, 1, 3);
  std::vector<double> expected(kRows);
  square_norms({rows.data(), kColumns, kRows}, kColumns, expected.data());
  testing::for_each_target([&](const char* target) {
    std::vector<double> got(kRows);
    square_norms({rows.data(), kColumns, kRows}, kColumns, got.data());
    EXPECT_EQ(got, expected) << target;
  });
  double square = 0;
  for (std::size_t k = 0; k < kColumns; ++k) square += std::pow(static_cast<double>(rows[k]), 2);
  EXPECT_NEAR(expected[0], square, 1e-5 * square);
}

TEST(Quantise, RoundsClampsAndCountsExactly) {
  constexpr std::size_t kColumns = 32;
  Aligned<float> rows = random_floats(kRows * kColumns, 40000, 4);
  const float infinity = std::numeric_limits<float>::infinity();
  const float specials[] = {32767, -32767, 32767.4f, 40000, -3e9f, 3e38f, infinity, -infinity, std::nanf(""), 0.4999f};
  std::copy(std::begin(specials), std::end(specials), rows.begin() + 5);
  const std::vector<float> scale(kRows, 1.0f);
  testing::for_each_target([&](const char* target) {
    Aligned<std::int32_t> words(kChunkPairs * kColumns, 0);
    const PairWords out{words.data(), kColumns};
    std::vector<std::int64_t> squares(kRows);
    quantise({rows.data(), kColumns, kRows}, scale.data(), out, squares.data());
    for (std::size_t r = 0; r < kRows; ++r) {
      std::int64_t square = 0;
      for (std::size_t i = 0; i < kColumns; ++i) {
        const float x = rows[r * kColumns + i];
        const std::int64_t q = half(out, r, i);
        square += q * q;
        ASSERT_LE(std::abs(q), 32767);
        if (std::fabs(x) < 32767) {
          ASSERT_LE(std::fabs(static_cast<float>(q) - x), 0.5f) << target;
        } else if (!std::isnan(x)) {
          ASSERT_EQ(q, x > 0 ? 32767 : -32767) << target << " " << x;
        }
      }
      ASSERT_EQ(squares[r], square) << target << " row " << r;
    }
  });
}

TEST(AddProducts, IsExactUpToTheLargestProducts) {
  constexpr std::size_t kLeft = 32, kRight = 16;
  std::mt19937_64 random(5);
  Aligned<std::int32_t> left(kChunkPairs * kLeft), right(kChunkPairs * kRight);
  // 32767 * 512 is just below 2^24, in every row with the same sign: the largest sums there are.
  for (std::int32_t& word : left) word = 32767 | 32767 << 16;
  for (std::int32_t& word : right) word = 512 | 512 << 16;
  for (std::size_t i = 0; i < left.size() / 2; ++i) left[i] = static_cast<std::int32_t>(random());
  for (std::size_t i = 0; i < right.size() / 2; ++i) right[i] = static_cast<std::int32_t>(random() % 512);
  const PairWords a{left.data(), kLeft}, b{right.data(), kRight};
  testing::for_each_target([&](const char* target) {
    Aligned<std::int64_t> totals(kLeft * kRight, 1000);
    add_products(a, b, kChunkPairs, totals.data());
    for (std::size_t i = 0; i < kLeft; ++i) {
      for (std::size_t o = 0; o < kRight; ++o) {
        std::int64_t sum = 1000;
        for (std::size_t r = 0; r < kChunkRows; ++r) sum += half(a, r, i) * half(b, r, o);
        ASSERT_EQ(totals[i * kRight + o], sum) << target << " " << i << " " << o;
      }
    }
  });
}

}  // namespace
}  // namespace dperm::network
