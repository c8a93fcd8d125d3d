// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/nearly_equal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace dperm {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

struct Part {
  double size = 0;
  std::string name = {};
  static constexpr auto fields() { return std::tuple(field("size", &Part::size), field("name", &Part::name)); }
  bool operator==(const Part&) const = default;
};

struct Whole {
  std::vector<Part> parts = {};
  std::variant<Part, int> choice = {};
  std::optional<double> maybe = {};
  static constexpr auto fields() {
    return std::tuple(field("parts", &Whole::parts), field("choice", &Whole::choice), field("maybe", &Whole::maybe));
  }
  bool operator==(const Whole&) const = default;
};

TEST(NearlyEqual, NumbersMayDifferInTheLastDigits) {
  EXPECT_TRUE(nearly_equal(1.0, 1 + 1e-10, 1e-9));
  EXPECT_FALSE(nearly_equal(1.0, 1 + 1e-8, 1e-9));
  EXPECT_TRUE(nearly_equal(0.0, -0.0, 1e-9));
  EXPECT_FALSE(nearly_equal(0.0, 1e-300, 1e-9));
  EXPECT_FALSE(nearly_equal(1e308, -1e308, 1e-9)) << "whose difference overflows";
}

TEST(NearlyEqual, AnInfinityEqualsOnlyItselfAndNanNothing) {
  EXPECT_TRUE(nearly_equal(kInf, kInf, 1e-9));
  for (const double other : {-kInf, 1e-6, 1e308, 0.0}) {
    EXPECT_FALSE(nearly_equal(kInf, other, 1e-9)) << other;
    EXPECT_FALSE(nearly_equal(other, kInf, 1e-9)) << other;
  }
  for (const double other : {kNan, kInf, 1.0}) EXPECT_FALSE(nearly_equal(kNan, other, 1e-9));
}

TEST(NearlyEqual, StructsAreComparedFieldByField) {
  const Whole whole{{{1, "a"}, {2, "b"}}, Part{3, "c"}, 4.0};
  EXPECT_TRUE(nearly_equal(whole, {{{1 + 1e-12, "a"}, {2, "b"}}, Part{3 - 1e-12, "c"}, 4 + 1e-12}, 1e-9));
  for (const auto& forge : std::vector<void (*)(Whole&)>{
           [](Whole& w) { w.parts[1].size = 2.1; }, [](Whole& w) { w.parts[0].name.push_back('b'); },
           [](Whole& w) { w.parts.pop_back(); }, [](Whole& w) { w.choice = 3; },
           [](Whole& w) { std::get<Part>(w.choice).size = 3.1; }, [](Whole& w) { w.maybe.reset(); },
           [](Whole& w) { w.maybe = kInf; }}) {
    Whole other = whole;
    forge(other);
    EXPECT_FALSE(nearly_equal(whole, other, 1e-9));
    EXPECT_FALSE(nearly_equal(other, whole, 1e-9));
  }
}

}  // namespace
}  // namespace dperm
