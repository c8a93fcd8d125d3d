// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/encoding.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "dperm/core/error.hpp"

namespace dperm::schema {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Column real(const char* name, double lower, double upper, Scale scale = Scale::linear) {
  return {.name = name, .lower = lower, .upper = upper, .scale = scale};
}

Column category(const char* name, std::vector<std::string> values, bool other, MissingRule missing) {
  return {.name = name, .kind = ColumnKind::category, .values = std::move(values), .other = other, .missing = missing};
}

Column boolean(const char* name, MissingRule missing) {
  return {.name = name, .kind = ColumnKind::boolean, .missing = missing};
}

Encoding encoding_of(std::vector<Column> columns, Target target = {}) {
  Schema schema;
  schema.columns = std::move(columns);
  schema.target = std::move(target);
  return Encoding(std::move(schema));
}

TEST(Encoding, WeightsFollowTheSchemaAfterTheIntercept) {
  const Encoding encoding = encoding_of({real("age", 0, 1), category("job", {"a", "b"}, true, MissingRule::category),
                                         boolean("ok", MissingRule::category), real("gain", 0, 9, Scale::log),
                                         category("sex", {"F", "M"}, false, MissingRule::none)});
  EXPECT_EQ(encoding.weight_names(),
            (std::vector<std::string>{"intercept", "age", "job=a", "job=b", "job=(other)", "job=(missing)", "ok=true",
                                      "ok=(missing)", "gain", "sex=F", "sex=M"}));
  EXPECT_EQ(encoding.dimension(), 11u);
  EXPECT_EQ(encoding.columns(), 6u);
  EXPECT_EQ(encoding.reals()[1].weight, 8u);
  EXPECT_EQ(encoding.categories()[0].first_weight, 2u);
  EXPECT_EQ(encoding.categories()[2].first_weight, 9u);
  EXPECT_EQ(encoding.categories()[0].levels, 4u);
}

TEST(Encoding, NumbersAreRoundedToTheNearestStepOfTheirBounds) {
  const Encoding encoding = encoding_of({real("x", -10, 30)});
  EXPECT_EQ(encoding.encode_real(0, -10), -32767);
  EXPECT_EQ(encoding.encode_real(0, 30), 32767);
  EXPECT_EQ(encoding.encode_real(0, 10), 0);
  EXPECT_EQ(encoding.encode_real(0, 20), 16384);  // 16383.5 goes away from zero
  EXPECT_EQ(encoding.encode_real(0, 0), -16384);
  EXPECT_EQ(encoding.encode_real(0, 11), 1638);  // 1638.35
  EXPECT_EQ(encoding.real_center(0), 10);
  EXPECT_EQ(encoding.real_half_width(0), 20);
}

TEST(Encoding, ValuesOutsideTheBoundsAreMovedToThem) {
  const Encoding encoding = encoding_of({real("x", 17, 90), real("y", 0, 100, Scale::log)});
  for (const std::size_t j : {0u, 1u}) {
    EXPECT_EQ(encoding.encode_real(j, -kInf), -32767);
    EXPECT_EQ(encoding.encode_real(j, -5), -32767);
    EXPECT_EQ(encoding.encode_real(j, 1e300), 32767);
    EXPECT_EQ(encoding.encode_real(j, kInf), 32767);
    EXPECT_EQ(encoding.encode_real(j, kNan), 0);
  }
}

TEST(Encoding, ZeroCanBeTheLowerBound) {
  Column linear = real("x", 10, 265), log = real("y", 5, 1005 - 1, Scale::log);
  linear.zero = log.zero = Zero::lower;
  const Encoding encoding = encoding_of({linear, log});
  EXPECT_EQ(encoding.encode_real(0, 10), 0);
  EXPECT_EQ(encoding.encode_real(0, 265), 32767);
  EXPECT_EQ(encoding.encode_real(0, 61), 6553);  // 32767 / 5 = 6553.4
  EXPECT_EQ(encoding.encode_real(0, -kInf), 0);
  EXPECT_EQ(encoding.encode_real(0, kInf), 32767);
  EXPECT_EQ(encoding.encode_real(0, kNan), 16384) << "the middle of the bounds";
  EXPECT_EQ(encoding.encode_real(1, 5), 0);
  EXPECT_EQ(encoding.encode_real(1, 1004), 32767);
  EXPECT_EQ(encoding.encode_real(1, 14), 10922);  // log(10) / log(1000) = 1/3
  EXPECT_EQ(encoding.real_center(0), 10);
  EXPECT_EQ(encoding.real_half_width(0), 255);
  linear.lower = -1.7e308, linear.upper = 1.7e308;
  EXPECT_THROW(encoding_of({linear}), DataError);
}

TEST(Encoding, TheLogScaleIsTheLogarithmOfOnePlusTheDistance) {
  // round(32767 (2 log(1 + v) / log(1001) - 1)) from an independent computation in Python.
  const Encoding encoding = encoding_of({real("x", 0, 1000, Scale::log), real("y", -5, 995, Scale::log)});
  const std::pair<double, int> expected[] = {{0, -32767}, {1, -26192},  {9, -10925},  {30.638584039112747, 0},
                                             {99, 10916}, {500, 26202}, {1000, 32767}};
  for (const auto& [value, q] : expected) {
    EXPECT_EQ(encoding.encode_real(0, value), q) << value;
    EXPECT_EQ(encoding.encode_real(1, value - 5), q) << value;
  }
  EXPECT_NEAR(encoding.real_center(0), std::log(1001.0) / 2, 1e-12);
  EXPECT_NEAR(encoding.real_half_width(0), std::log(1001.0) / 2, 1e-12);
}

TEST(Encoding, NoNumberWhateverItsBitsLeavesTheRange) {
  const Encoding encoding = encoding_of(
      {real("a", -1e308, 1e308), real("b", 0, 1e-300), real("c", 1e17, 1e17 + 16), real("d", -3, 1e9, Scale::log),
       real("e", 0, std::numeric_limits<double>::max(), Scale::log), real("f", -1, 1)});
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    const double value = std::bit_cast<double>(random());
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_GE(encoding.encode_real(j, value), -kRealOne);
      ASSERT_LE(encoding.encode_real(j, value), kRealOne);
    }
  }
}

TEST(Encoding, NumbersStayWithinHalfAStepOfTheirTrueFeature) {
  const Encoding encoding = encoding_of({real("a", -3.7, 12.9)});
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-3.7, 12.9);
  for (int i = 0; i < 100000; ++i) {
    const double value = uniform(random);
    const double decoded =
        encoding.real_center(0) + encoding.real_half_width(0) * encoding.encode_real(0, value) / 32767;
    ASSERT_NEAR(decoded, value, 16.6 / 65534 * (1 + 1e-9));
  }
}

TEST(Encoding, CategoriesAreTextsWithoutBlanksAround) {
  const Encoding encoding = encoding_of({category("c", {"1", "01", "a b"}, false, MissingRule::none)});
  EXPECT_EQ(encoding.encode_category(0, " 1 ", false), 0u);
  EXPECT_EQ(encoding.encode_category(0, "01", false), 1u);
  EXPECT_EQ(encoding.encode_category(0, "a b\r", false), 2u);
  EXPECT_EQ(encoding.encode_category(0, "1.0", false), 3u);
  EXPECT_EQ(encoding.encode_category(0, "A B", false), 3u);
}

TEST(Encoding, UnknownAndMissingGoWhereTheSchemaSays) {
  const auto code = [](bool other, MissingRule missing, bool is_missing) {
    return encoding_of({category("c", {"x", "y"}, other, missing)}).encode_category(0, "z", is_missing);
  };
  EXPECT_EQ(code(false, MissingRule::none, false), 2u) << "no category: code = levels";
  EXPECT_EQ(code(false, MissingRule::none, true), 2u);
  EXPECT_EQ(code(true, MissingRule::none, false), 2u) << "other";
  EXPECT_EQ(code(true, MissingRule::none, true), 3u) << "no category";
  EXPECT_EQ(code(false, MissingRule::category, true), 2u) << "missing";
  EXPECT_EQ(code(false, MissingRule::category, false), 3u);
  EXPECT_EQ(code(true, MissingRule::category, false), 2u);
  EXPECT_EQ(code(true, MissingRule::category, true), 3u);
}

TEST(Encoding, BooleansHaveOneWeightForTrue) {
  const Encoding plain = encoding_of({boolean("b", MissingRule::none)});
  EXPECT_EQ(plain.encode_category(0, "yes", false), 0u);
  EXPECT_EQ(plain.encode_category(0, "false", false), 1u);
  EXPECT_EQ(plain.encode_category(0, "rubbish", false), 1u);
  EXPECT_EQ(plain.encode_category(0, "", true), 1u);
  const Encoding own = encoding_of({boolean("b", MissingRule::category)});
  EXPECT_EQ(own.encode_category(0, "t", false), 0u);
  EXPECT_EQ(own.encode_category(0, "no", false), 2u);
  EXPECT_EQ(own.encode_category(0, "", true), 1u);
}

TEST(Encoding, BinaryTargetsByValue) {
  const Encoding encoding =
      encoding_of({real("x", 0, 1)}, {.kind = TargetKind::binary, .name = "y", .positive = {"+1", "yes"}});
  EXPECT_FALSE(encoding.target_is_number());
  EXPECT_EQ(encoding.encode_target_text("1", false), 1);
  EXPECT_EQ(encoding.encode_target_text(" +1", false), 1);
  EXPECT_EQ(encoding.encode_target_text("yes", false), 1);
  EXPECT_EQ(encoding.encode_target_text("-1", false), -1);
  EXPECT_EQ(encoding.encode_target_text("anything", false), -1);
  EXPECT_EQ(encoding.encode_target_text("yes", true), -1);
  EXPECT_EQ(encoding.encode_target_number(1), 1);
  EXPECT_EQ(encoding.encode_target_number(kNan), -1);
}

TEST(Encoding, BinaryTargetsByThresholdAreStrictlyAbove) {
  const Encoding encoding = encoding_of({real("x", 0, 1)}, {.kind = TargetKind::binary, .name = "y", .threshold = 5.0});
  EXPECT_TRUE(encoding.target_is_number());
  EXPECT_EQ(encoding.encode_target_number(5), -1);
  EXPECT_EQ(encoding.encode_target_number(5.1), 1);
  EXPECT_EQ(encoding.encode_target_number(kInf), 1);
  EXPECT_EQ(encoding.encode_target_number(kNan), -1);
  EXPECT_EQ(encoding.encode_target_text("6", false), 1);
  EXPECT_EQ(encoding.encode_target_text("six", false), -1);
  EXPECT_EQ(encoding.encode_target_text("6", true), -1);
}

TEST(Encoding, RealTargetsAreFixedPoint) {
  const Encoding encoding =
      encoding_of({real("x", 0, 1)}, {.kind = TargetKind::real, .name = "y", .lower = -10, .upper = 30});
  EXPECT_EQ(encoding.encode_target_number(30), kTargetOne);
  EXPECT_EQ(encoding.encode_target_number(-kInf), -kTargetOne);
  EXPECT_EQ(encoding.encode_target_number(10), 0);
  EXPECT_EQ(encoding.encode_target_number(kNan), 0);
  EXPECT_EQ(encoding.encode_target_text("20", false), kTargetOne / 2);
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const std::int32_t y = encoding.encode_target_number(std::bit_cast<double>(random()));
    ASSERT_LE(std::abs(y), kTargetOne);
  }
}

TEST(Encoding, ClassesAreNumberedInOrderAndUnknownOnesAreTheFirst) {
  const Encoding encoding =
      encoding_of({real("x", 0, 1)}, {.kind = TargetKind::classes, .name = "y", .values = {"a", "b", "+3"}});
  EXPECT_EQ(encoding.encode_target_text("b ", false), 1);
  EXPECT_EQ(encoding.encode_target_text("3", false), 2);
  EXPECT_EQ(encoding.encode_target_text("zzz", false), 0);
  EXPECT_EQ(encoding.encode_target_text("b", true), 0);
  EXPECT_FALSE(encoding.is_known_class("zzz"));
  EXPECT_TRUE(encoding.is_known_class("a"));
}

TEST(Encoding, WithoutATargetEveryTargetIsZero) {
  const Encoding encoding = encoding_of({real("x", 0, 1)});
  EXPECT_EQ(encoding.encode_target_text("1", false), 0);
  EXPECT_EQ(encoding.encode_target_number(1), 0);
}

// The claim of encoding.md, in integers: 32767^2 times the squared norm is at most 32767^2 times the columns.
TEST(Encoding, TheSquaredNormOfARowNeverExceedsTheNumberOfColumns) {
  const Encoding encoding =
      encoding_of({real("a", -1, 1), real("b", 0, 7, Scale::log),
                   category("c", {"x", "y"}, true, MissingRule::category), boolean("d", MissingRule::category)});
  const char* texts[] = {"x", "y", "z", "", "true", "0"};
  std::mt19937_64 random(4);
  bool reached = false;
  for (int i = 0; i < 200000; ++i) {
    const bool extreme = random() % 2 == 0;
    const double value = extreme ? (random() % 2 == 0 ? kInf : -kInf) : std::bit_cast<double>(random());
    std::int64_t squares = std::int64_t{kRealOne} * kRealOne;  // the intercept
    for (std::size_t j = 0; j < encoding.reals().size(); ++j) {
      const std::int64_t q = encoding.encode_real(j, value);
      squares += q * q;
    }
    for (std::size_t c = 0; c < encoding.categories().size(); ++c) {
      const std::uint32_t code = encoding.encode_category(c, texts[random() % 6], random() % 4 == 0);
      ASSERT_LE(code, encoding.categories()[c].levels);
      if (code < encoding.categories()[c].levels) squares += std::int64_t{kRealOne} * kRealOne;
    }
    const std::int64_t bound = std::int64_t{kRealOne} * kRealOne * static_cast<std::int64_t>(encoding.columns());
    ASSERT_LE(squares, bound);
    reached = reached || squares == bound;
  }
  EXPECT_TRUE(reached) << "the bound is met with equality by some row, so the test would see a larger one";
}

TEST(Encoding, RefusesASchemaThatBreaksARule) {
  EXPECT_THROW(encoding_of({real("x", 1, 0)}), DataError);
  EXPECT_THROW(encoding_of({real("x", kNan, 1)}), DataError);
}

}  // namespace
}  // namespace dperm::schema
