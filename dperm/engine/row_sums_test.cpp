// SPDX-License-Identifier: Apache-2.0
// What sums over parts of the rows owe to the sum over all. The methods' own property is methods/row_sums_test.cpp.
#include "dperm/engine/row_sums.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/open_sensitive.hpp"
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

TEST(Dataset, CanBeReadWithOtherShapesOfItsColumnsAndNothingElse) {
  const tests::EncodedTable plain = tests::random_table(200, 3, {3}, true, 4);
  tests::EncodedTable curved = plain;
  curved.shapes = {{8, false, false}, {5, true, false}, {}};
  curved.pairs = {{0, 2, 4}};
  const auto encoding = std::make_shared<const schema::Encoding>(tests::encoding_for(curved));
  const data::Dataset dataset = tests::dataset_of(plain), read = dataset.read_as(encoding);
  EXPECT_EQ(read.encoding().dimension(), curved.dimension());
  EXPECT_EQ(read.encoding().columns(), curved.columns());
  const std::vector<double> weights = tests::random_weights(curved.dimension(), 3, 5);
  const GradientQuery query{.loss = {}, .weights = weights};
  const auto gradient = [&](const data::Dataset& rows) {
    return SensitiveTestAccess::open(
        rows.sums().map([&](const RowSums& sums) { return sums.gradient(query, Resolution::release, {1}); }));
  };
  EXPECT_EQ(gradient(read), gradient(tests::dataset_of(curved)));
  EXPECT_EQ(dataset.encoding().dimension(), plain.dimension()) << "the dataset itself is as it was";
  tests::EncodedTable other = plain;
  other.shapes = {{}, {}, {0, false, true}};  // zero = "lower" is another way to encode cells
  EXPECT_THROW(dataset.read_as(std::make_shared<const schema::Encoding>(tests::encoding_for(other))), ArgumentError);
  const auto fewer = tests::encoding_for(tests::random_table(9, 2, {3}, true, 1));
  EXPECT_THROW(dataset.read_as(std::make_shared<const schema::Encoding>(fewer)), ArgumentError);
}

// Parts of the rows that are read with curves give the sums of all of them.
TEST(RowSums, InPartsAreTheSameWithCurves) {
  const tests::EncodedTable plain = tests::random_table(300, 5, {3, 300}, true, 6), curved = tests::with_curves(plain);
  const TileSums whole = tests::sums_of(curved);
  const tests::PartedSums parts({std::make_shared<const TileSums>(tests::build_tiles(tests::slice(plain, 0, 70))),
                                 std::make_shared<const TileSums>(tests::build_tiles(tests::slice(plain, 70, 230)))});
  const auto read = parts.read_as(tests::encoding_for(curved));
  const std::vector<double> weights = tests::random_weights(curved.dimension(), 3, 7);
  for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
    const GradientQuery query{.loss = {}, .weights = weights};
    EXPECT_EQ(read->gradient(query, resolution, {1}), whole.gradient(query, resolution, {1}));
  }
  const network::ClippedQuery clipped{{.inputs = curved.dimension()}, {}, weights, 0.5};
  const std::vector<std::size_t> sample = {0, 3, 68, 69, 70, 71, 150, 299};
  EXPECT_EQ(read->clipped_gradient(clipped, sample, {1}), whole.clipped_gradient(clipped, sample, {1}));
  EXPECT_EQ(read->second_moments(kWholeRows, {1}).upper_triangle, whole.second_moments(kWholeRows, {1}).upper_triangle);
  EXPECT_EQ(read->curvature_moments(weights, {1}), whole.curvature_moments(weights, {1}));
}

// Who is in a sample does not depend on where the rows lie. Every third row, by a rule of its own.
class EveryThird final : public RowSample {
 public:
  explicit EveryThird(std::size_t rows) : RowSample(rows) {}

 private:
  void set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const override {
    for (std::size_t j = 0; j < count; ++j) words[j / 64] |= std::uint64_t{(first + j) % 3 == 1} << (j % 64);
  }
};

TEST(RowSums, SamplesInPartsAreTheSame) {
  const tests::EncodedTable table = tests::random_table(3000, 3, {3, 300}, true, 6);
  const data::Dataset parts = tests::parted_dataset_of(table);
  const std::vector<double> weights = tests::random_weights(2 * table.dimension(), 3, 7);
  std::vector<std::size_t> numbers;
  for (std::size_t row = 1; row < 3000; row += 3) numbers.push_back(row);
  for (const std::size_t outputs : {1u, 2u}) {
    const loss::Loss loss{outputs == 1 ? loss::LossKind::logistic : loss::LossKind::softmax};
    const network::ClippedQuery query{{.inputs = table.dimension(), .outputs = outputs},
                                      loss,
                                      std::span(weights).first(outputs * table.dimension()),
                                      0.5};
    const std::vector<std::int64_t> listed = tests::sums_of(table).clipped_gradient(query, numbers, {1});
    for (const int threads : {1, 2, 3}) {
      for (const std::size_t height : {0u, 64u, 192u}) {
        EXPECT_EQ(tests::sums_of(table, height).clipped_gradient(query, EveryThird(3000), {threads}), listed);
      }
      const auto of_parts = parts.sums().map(
          [&](const RowSums& sums) { return sums.clipped_gradient(query, EveryThird(3000), {threads}); });
      EXPECT_EQ(SensitiveTestAccess::open(of_parts), listed);
    }
    EXPECT_THROW(tests::sums_of(table).clipped_gradient(query, EveryThird(2999), {1}), ArgumentError);
  }
}

}  // namespace
}  // namespace dperm::engine
