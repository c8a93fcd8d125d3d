// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dperm/core/words.hpp"

namespace dperm {

enum class Colour { red, green };
template <>
struct Words<Colour> {
  static constexpr std::array table = {std::pair{Colour::red, std::string_view("red")},
                                       std::pair{Colour::green, std::string_view("green")}};
};

namespace {

struct Complete {
  double width = 1;
  std::vector<int> parts = {};
  Colour colour = Colour::red;
  bool operator==(const Complete&) const = default;
  static constexpr auto fields() {
    return std::tuple(field("width", &Complete::width), optional_field("parts", &Complete::parts),
                      field("colour", &Complete::colour));
  }
};

struct Forgetful {
  double width = 1;
  int height = 2;
  static constexpr auto fields() { return std::tuple(field("width", &Forgetful::width)); }
};

TEST(Fields, AreVisitedInTheirOrder) {
  Complete value{2.5, {1, 2}, Colour::green};
  std::string names;
  for_each_field(value, [&](std::string_view name, const auto&) { names += std::string(name) + " "; });
  EXPECT_EQ(names, "width parts colour ");
  for_each_field(value, [](std::string_view, auto& member) { member = {}; });
  EXPECT_EQ(value, (Complete{0, {}, Colour::red}));
}

TEST(Fields, AListThatLeavesOneOutIsSeen) {
  static_assert(lists_every_field<Complete>());
  static_assert(!lists_every_field<Forgetful>());
}

TEST(Fields, KnowWhichMayBeLeftOut) {
  static_assert(is_optional<Complete>("parts"));
  static_assert(!is_optional<Complete>("width") && !is_optional<Complete>("height"));
  static_assert(HasFields<Complete> && !HasFields<Colour>);
}

TEST(Words, GoBothWays) {
  EXPECT_EQ(word(Colour::green), "green");
  EXPECT_EQ(from_word<Colour>("red"), Colour::red);
  EXPECT_EQ(from_word<Colour>("blue"), std::nullopt);
}

}  // namespace
}  // namespace dperm
