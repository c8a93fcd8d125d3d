// SPDX-License-Identifier: Apache-2.0
// Second moments against exact integer loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "dperm/core/error.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "tests/support/engine_reference.hpp"

namespace dperm::engine {
namespace {

using tests::EncodedTable;
__extension__ typedef __int128 Wide;

std::vector<std::int64_t> integer_features(const EncodedTable& table, std::size_t row) {
  std::vector<std::int64_t> v;
  for (const long double u : tests::features(table, row)) v.push_back(std::llround(u * 32767));
  return v;
}

TEST(GramSums, AreTheExactIntegersOfTheDefinition) {
  for (const auto& table : tests::plain_and_curves(tests::random_table(700, 4, {3, 20, 260, 1}, false, 71))) {
    const std::size_t d = table.dimension();
    std::vector<std::int64_t> triangle(d * (d + 1) / 2, 0);
    std::vector<std::int64_t> products(d, 0);
    std::int64_t square = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto v = integer_features(table, row);
      const Wide y = table.targets[row];
      std::size_t next = 0;
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = a; b < d; ++b) triangle[next++] += v[a] * v[b];
        products[a] += static_cast<std::int64_t>(Wide{32767} * v[a] * y / (Wide{1} << 30));
      }
      square += static_cast<std::int64_t>(Wide{32767} * 32767 * y * y / (Wide{1} << 60));
    }
    const GramSums got = gram_sums(tests::build_tiles(table, 192), {2});
    EXPECT_EQ(got.upper_triangle, triangle);
    EXPECT_EQ(got.target_products, products);
    EXPECT_EQ(got.target_square, square);
  }
}

TEST(GramSums, OneRowStaysInsideItsBounds) {
  for (const auto& table : tests::plain_and_curves(tests::random_table(200, 3, {4}, false, 72))) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      EncodedTable one = table;
      for (std::size_t j = 0; j < table.reals.size(); ++j) one.reals[j] = {table.reals[j][row]};
      one.codes[0] = {table.codes[0][row]};
      one.targets = {table.targets[row]};
      const GramSums got = gram_sums(tests::build_tiles(one, 64), {1});
      const auto v = integer_features(one, 0);
      Wide products = 0;
      for (const std::int64_t p : got.target_products) products += Wide{p} * p;
      ASSERT_LE(products, Wide{kGramUnit} * kGramUnit * static_cast<Wide>(table.columns()));
      ASSERT_GE(got.target_square, 0);
      ASSERT_LE(got.target_square, kGramUnit);
      for (std::size_t a = 0; a < v.size(); ++a) {
        const Wide exact = Wide{32767} * v[a] * one.targets[0];
        ASSERT_LE((got.target_products[a] < 0 ? -Wide{got.target_products[a]} : Wide{got.target_products[a]}) << 30,
                  exact < 0 ? -exact : exact);
      }
    }
  }
}

// The integer vector of a single row from its second moments; the intercept is positive.
std::vector<std::int64_t> row_of(const GramSums& gram, std::size_t dimension) {
  const auto one = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(gram.upper_triangle[0]))));
  std::vector<std::int64_t> v;
  for (std::size_t a = 0; a < dimension; ++a) v.push_back(gram.upper_triangle[a] / one);
  return v;
}

TEST(GramSums, LongRowsAreShortenedWithTheirTarget) {
  for (const auto& table : tests::plain_and_curves(tests::random_table(300, 3, {4}, false, 74))) {
    const std::size_t d = table.dimension();
    const auto limit = kGramUnit * static_cast<std::int64_t>(table.columns()) * 9 / 20;
    std::vector<std::int64_t> triangle(d * (d + 1) / 2, 0);
    int shortened = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      EncodedTable one = table;
      for (std::size_t j = 0; j < table.reals.size(); ++j) one.reals[j] = {table.reals[j][row]};
      one.codes[0] = {table.codes[0][row]};
      one.targets = {table.targets[row]};
      const GramSums got = gram_sums(tests::build_tiles(one, 64), {1}, limit);
      const auto whole = integer_features(one, 0);
      const auto v = row_of(got, d);
      Wide square = 0, after = 0;
      for (const std::int64_t value : whole) square += Wide{value} * value;
      for (const std::int64_t value : v) after += Wide{value} * value;
      ASSERT_LE(after, limit < square ? Wide{limit} : square);
      const long double factor =
          std::sqrt(std::fmin(1.0L, static_cast<long double>(limit) / static_cast<long double>(square)));
      if (factor < 1) ++shortened;
      // Two units of 2^-30 for the factor, one for the target, and one truncation.
      for (std::size_t a = 0; a < d; ++a) {
        ASSERT_LE(std::fabs(static_cast<long double>(v[a]) - factor * static_cast<long double>(whole[a])), 1.001L);
        const long double target = factor * static_cast<long double>(one.targets[0]) / 0x1p30L;
        EXPECT_LE(std::fabs(static_cast<long double>(got.target_products[a]) -
                            32767 * target * static_cast<long double>(v[a])),
                  4.1L);
      }
      for (std::size_t i = 0; i < triangle.size(); ++i) triangle[i] += got.upper_triangle[i];
    }
    EXPECT_GT(shortened, 30);
    EXPECT_LT(shortened, 298) << "no row was left whole";
    EXPECT_EQ(gram_sums(tests::build_tiles(table, 64), {2}, limit).upper_triangle, triangle);
  }
}

TEST(GramSums, RefuseToShortenBelowTheIntercept) {
  const EncodedTable table = tests::random_table(1, 1, {}, false, 75);
  EXPECT_THROW(gram_sums(tests::build_tiles(table, 64), {1}, kGramUnit - 1), ArgumentError);
}

TEST(GramSums, RefuseTooManyWeights) {
  const EncodedTable table = tests::random_table(1, 0, {5000}, false, 73);
  EXPECT_THROW(gram_sums(tests::build_tiles(table, 64), {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
