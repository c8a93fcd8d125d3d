// SPDX-License-Identifier: Apache-2.0
// What sums over parts of the rows owe to the sum over all. The methods' own property is methods/row_sums_test.cpp.
#include "dperm/engine/row_sums.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "tests/support/parted_sums.hpp"

namespace dperm::engine {
namespace {

// The same row 2^22 + 2^21 + 1 times: steps are fewer than a row's own 2^40, and a part alone has few enough rows for
// all of them.
TEST(RowSums, InPartsAreRoundedOnceAndAskedAtTheResolutionOfTheWhole) {
  constexpr std::size_t kRows = (std::size_t{3} << 21) + 1;
  const tests::EncodedTable many{
      {std::vector<std::int16_t>(kRows, 12345)}, {}, {}, std::vector<std::int32_t>(kRows, 1 << 29)};
  const std::vector<double> weights = {-0.5, 0.125};
  ASSERT_LT(steps(Resolution::solver, kRows), row_steps(Resolution::solver));
  const TileSums whole = tests::sums_of(many);
  const tests::PartedSums parts(
      {whole.select(std::vector<std::size_t>{0}),
       std::make_shared<const TileSums>(tests::build_tiles(tests::slice(many, 1, 999))),
       std::make_shared<const TileSums>(tests::build_tiles(tests::slice(many, 1000, 0))),
       std::make_shared<const TileSums>(tests::build_tiles(tests::slice(many, 1000, kRows - 1000)))});
  const loss::Loss squared{.kind = loss::LossKind::squared};
  const GradientQuery query{.loss = squared, .slope_bound = 3.7, .weights = weights};
  EXPECT_EQ(parts.gradient(query, Resolution::solver, {2}), whole.gradient(query, Resolution::solver, {2}));
  const LossQuery losses{LinearModel{weights}, squared, 3.7};
  EXPECT_EQ(parts.loss(losses, {2}), whole.loss(losses, {2}));
  EXPECT_EQ(parts.curvature_moments(weights, {2}), whole.curvature_moments(weights, {2}));
}

TEST(RowSums, RefuseAHandleWithoutSums) { EXPECT_THROW(SharedSums(nullptr), InternalError); }

TEST(Dataset, RefusesSumsOverRowsOfAnotherEncoding) {
  const auto encoding =
      std::make_shared<const schema::Encoding>(tests::encoding_for(tests::random_table(5, 2, {3}, true, 1)));
  EXPECT_NO_THROW(data::Dataset(encoding, tests::shared_sums_of(tests::random_table(9, 2, {3}, true, 1))));
  EXPECT_THROW(data::Dataset(encoding, tests::shared_sums_of(tests::random_table(9, 1, {3}, true, 1))), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
