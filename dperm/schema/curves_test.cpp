// SPDX-License-Identifier: Apache-2.0
// Curves, steps, surfaces and ordered categories as the encoding defines them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "dperm/schema/encoding.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::schema {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Column curve(const char* name, double lower, double upper, std::uint32_t pieces) {
  return {.name = name, .lower = lower, .upper = upper, .shape = ColumnShape::curve, .pieces = pieces};
}

Column ordered(const char* name, std::vector<std::string> values) {
  return {.name = name, .kind = ColumnKind::category, .values = std::move(values), .ordered = true};
}

Encoding encoding_of(std::vector<Column> columns, std::vector<ColumnPair> pairs = {}) {
  Schema schema;
  schema.columns = std::move(columns);
  schema.pairs = std::move(pairs);
  return Encoding(std::move(schema));
}

TEST(CurvePoint, LiesOnTheCurveForEveryIntegerAndNumberOfPieces) {
  for (std::uint32_t pieces = 1; pieces <= kMostPieces; ++pieces) {
    for (const bool from_zero : {false, true}) {
      double before = -1;
      for (std::int32_t q = -32768; q <= 32767; ++q) {
        const CurvePoint at = curve_point(q, pieces, false, from_zero);
        ASSERT_LT(at.piece, pieces);
        ASSERT_GE(at.fraction, 0);
        ASSERT_LE(at.fraction, kRealOne);
        // Where the value lies in the column's range, to a rounding down of both steps.
        const double share = from_zero ? std::fmax(q, 0) / 32767.0 : std::fmax((q + 32767) / 65534.0, 0);
        const double place = at.piece + at.fraction / 32768.0;
        ASSERT_NEAR(place, share * pieces, (pieces + 1.0) / 32768) << q;
        ASSERT_GE(place, before) << "a larger value lies farther along";
        before = place;
        const CurvePoint step = curve_point(q, pieces, true, from_zero);
        ASSERT_EQ(step.piece, at.piece);
        ASSERT_EQ(step.fraction, 0);
      }
      EXPECT_EQ(curve_point(32767, pieces, false, from_zero).piece, pieces - 1) << "the last piece is reached";
      EXPECT_EQ(curve_point(from_zero ? 0 : -32767, pieces, false, from_zero).fraction, 0);
    }
  }
}

void expect_shares(std::int32_t f, std::int32_t g) {
  const auto values = pair_values(f, g);
  for (const std::int32_t value : values) ASSERT_GE(value, 0) << f << ", " << g;
  ASSERT_EQ(values[0] + values[1] + values[2] + values[3], kRealOne) << f << ", " << g;
  // The product of the two shares, to a unit and what rounding 32768 to 32767 costs.
  ASSERT_NEAR(values[3], static_cast<double>(f) * g / kRealOne, 2) << f << ", " << g;
  ASSERT_EQ(values[2] + values[3], f);
  ASSERT_EQ(values[1] + values[3], g);
}

TEST(PairValues, AreSharesForEveryTwoFractions) {
  std::mt19937_64 random(3);
  for (std::int32_t f = 0; f <= kRealOne; ++f) {
    for (const std::int32_t near : {0, 1, 2, 3, 100, 16383, 16384}) {
      for (const std::int32_t g : {near, kRealOne - near}) {
        expect_shares(f, g);
        expect_shares(g, f);
      }
    }
    for (int i = 0; i < 20; ++i) expect_shares(f, static_cast<std::int32_t>(random() % 32768));
  }
}

TEST(Curves, WeightsAndBlocksAreCountedAndNamed) {
  Column steps = curve("hours", 0, 100, 4);
  steps.shape = ColumnShape::steps;
  Column plain = curve("x", 0, 1, 0);
  plain.shape = ColumnShape::linear;
  const Encoding encoding = encoding_of({curve("age", 20, 60, 2), steps, plain, ordered("size", {"s", "m", "l"})},
                                        {{"age", "x", 1}, {"hours", "x", 0}});
  EXPECT_EQ(encoding.weight_names(),
            (std::vector<std::string>{"intercept", "age", "age@20", "age@40", "age@60", "hours[0,25)", "hours[25,50)",
                                      "hours[50,75)", "hours[75,100]", "x", "size", "age@20*x@0", "age@20*x@1",
                                      "age@60*x@0", "age@60*x@1"}));
  EXPECT_EQ(encoding.dimension(), 15u);
  EXPECT_EQ(encoding.columns(), 7u) << "intercept, age twice, hours, x, size, one pair: the other is not chosen yet";
  EXPECT_EQ(encoding.reals()[0].weight, 1u);
  EXPECT_EQ(encoding.reals()[0].first_knot, 2u);
  EXPECT_EQ(encoding.reals()[0].knot_count(), 3u);
  EXPECT_EQ(encoding.reals()[1].weight, kNoWeight);
  EXPECT_EQ(encoding.reals()[1].first_knot, 5u);
  EXPECT_EQ(encoding.reals()[1].knot_count(), 4u);
  ASSERT_EQ(encoding.pairs().size(), 1u);
  EXPECT_EQ(encoding.pairs()[0].first, 0u);
  EXPECT_EQ(encoding.pairs()[0].second, 2u);
  EXPECT_EQ(encoding.pairs()[0].first_knot, 11u);
}

TEST(Curves, ShapesDoNotChangeCells) {
  const Encoding linear = encoding_of({curve("x", -10, 30, 0)}), curved = encoding_of({curve("x", -10, 30, 7)});
  for (double x = -11; x < 32; x += 0.37) EXPECT_EQ(curved.encode_real(0, x), linear.encode_real(0, x));
  EXPECT_EQ(curved.encode_real(0, kNan), 0);
}

TEST(Curves, GivenKnotsStandEvenlyInTheEncodedRange) {
  Column column = curve("x", 0, 100, 0);
  column.knots = {1, 10, 90};
  const Encoding encoding = encoding_of({column});
  EXPECT_EQ(encoding.reals()[0].pieces, 4u);
  EXPECT_EQ(encoding.encode_real(0, 0), -32767);
  EXPECT_EQ(encoding.encode_real(0, 1), -16384);  // -16383.5 goes away from zero
  EXPECT_EQ(encoding.encode_real(0, 10), 0);
  EXPECT_EQ(encoding.encode_real(0, 90), 16384);
  EXPECT_EQ(encoding.encode_real(0, 100), 32767);
  EXPECT_EQ(encoding.encode_real(0, 50), 8192);  // the middle of the third piece
  EXPECT_EQ(encoding.encode_real(0, kNan), 0);
  EXPECT_EQ(encoding.piece_ends(0, 4), (std::vector<double>{0, 1, 10, 90, 100}));
  EXPECT_EQ(encoding.piece_ends(0, 2), (std::vector<double>{0, 10, 100}));
  column.zero = Zero::lower;
  const Encoding from_zero = encoding_of({column});
  EXPECT_EQ(from_zero.encode_real(0, 0), 0);
  EXPECT_EQ(from_zero.encode_real(0, 10), 16384);
  EXPECT_EQ(from_zero.encode_real(0, 100), 32767);
  EXPECT_EQ(from_zero.encode_real(0, kNan), 16384);
}

TEST(Curves, GivenKnotsAreMonotoneWhateverTheValuesAndTheScale) {
  for (const Scale scale : {Scale::linear, Scale::log}) {
    Column column = curve("x", -3, 1e9, 0);
    column.scale = scale;
    // Two knots so close that the logarithms of their distances are equal.
    column.knots = {-2.5, 0, std::nextafter(1e8, 0), 1e8, 5e8};
    const Encoding encoding = encoding_of({column});
    std::mt19937_64 random(5);
    std::vector<double> values = {-kInf, -3, -2.5, 0, 1e8, 5e8, 1e9, kInf};
    for (int i = 0; i < 20000; ++i) {
      const double any = std::bit_cast<double>(random());
      values.push_back(std::isnan(any) ? -3 + 1e9 * static_cast<double>(random()) * 0x1p-64 : any);
      values.push_back(-3 + 1e9 * static_cast<double>(random()) * 0x1p-64);
    }
    std::sort(values.begin(), values.end());
    std::int32_t before = -32767;
    for (const double value : values) {
      const std::int32_t q = encoding.encode_real(0, value);
      ASSERT_GE(q, before) << value;
      ASSERT_LE(q, 32767);
      before = q;
    }
    EXPECT_EQ(before, 32767);
  }
}

TEST(Curves, PieceEndsAreInTheUnitOfTheColumn) {
  Column log = curve("gain", 0, 99, 2);
  log.scale = Scale::log;
  const Encoding encoding = encoding_of({log, ordered("size", {"s", "m", "l", "xl", "xxl"}), curve("x", -2, 2, 4)});
  const auto ends = encoding.piece_ends(0, 2);
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(ends[0], 0);
  EXPECT_NEAR(ends[1], 9, 1e-12);  // 1 + 9 is the root of 1 + 99
  EXPECT_EQ(ends[2], 99);
  EXPECT_EQ(encoding.piece_ends(1, 2), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(encoding.piece_ends(2, 4), (std::vector<double>{-2, -1, 0, 1, 2}));
}

TEST(Curves, OrderedCategoriesAreEncodedByTheirPlace) {
  const Encoding encoding = encoding_of({ordered("size", {"s", "m", "l", "xl", "xxl"}), ordered("one", {"only"})});
  EXPECT_EQ(encoding.reals().size(), 2u);
  EXPECT_TRUE(encoding.categories().empty());
  EXPECT_EQ(encoding.encode_ordered(0, "s", false), -32767);
  EXPECT_EQ(encoding.encode_ordered(0, " m ", false), -16384);
  EXPECT_EQ(encoding.encode_ordered(0, "l", false), 0);
  EXPECT_EQ(encoding.encode_ordered(0, "xxl", false), 32767);
  EXPECT_EQ(encoding.encode_ordered(0, "huge", false), 0) << "unknown: the middle";
  EXPECT_EQ(encoding.encode_ordered(0, "s", true), 0) << "missing: the middle";
  EXPECT_EQ(encoding.encode_ordered(1, "only", false), 0);
}

// The claim of encoding.md in integers: linear term, knots, steps and surfaces of rows of any bits.
TEST(Curves, TheSquaredNormOfARowNeverExceedsTheNumberOfBlocks) {
  Column steps = curve("s", 0, 7, 5), given = curve("g", 0, 9, 0), zero = curve("z", -1, 3, 63);
  steps.shape = ColumnShape::steps;
  given.knots = {1, 8.5};
  zero.zero = Zero::lower;
  const Encoding encoding =
      encoding_of({curve("a", -1, 1, 8), steps, given, zero}, {{"a", "z", 31}, {"g", "s", 1}, {"a", "g", 6}});
  const std::int64_t one = kRealOne;
  std::mt19937_64 random(4);
  bool reached = false;
  for (int i = 0; i < 100000; ++i) {
    std::vector<std::int32_t> q;
    for (std::size_t j = 0; j < encoding.reals().size(); ++j) {
      const double ends[] = {-kInf, kInf, kNan, std::bit_cast<double>(random()),
                             10 * static_cast<double>(random()) * 0x1p-64};
      q.push_back(encoding.encode_real(j, ends[random() % (i % 2 == 0 ? 2 : 5)]));
    }
    std::int64_t squares = one * one;
    const auto point = [&](std::size_t j, std::uint32_t pieces) {
      return curve_point(q[j], pieces, encoding.reals()[j].steps, encoding.reals()[j].from_zero);
    };
    for (std::size_t j = 0; j < q.size(); ++j) {
      const RealCode& code = encoding.reals()[j];
      if (code.weight != kNoWeight) squares += std::int64_t{q[j]} * q[j];
      const std::int64_t f = point(j, code.pieces).fraction;
      squares += (one - f) * (one - f) + (code.steps ? 0 : f * f);
    }
    for (const PairCode& pair : encoding.pairs()) {
      const auto fraction = [&](std::size_t j) {
        return curve_point(q[j], pair.pieces, false, encoding.reals()[j].from_zero).fraction;
      };
      for (const std::int64_t value : pair_values(fraction(pair.first), fraction(pair.second)))
        squares += value * value;
    }
    const std::int64_t bound = one * one * static_cast<std::int64_t>(encoding.columns());
    ASSERT_LE(squares, bound);
    reached = reached || squares > bound - bound / 100;
  }
  EXPECT_TRUE(reached) << "no row comes near the bound";
}

}  // namespace
}  // namespace dperm::schema
