// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/sensitive.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/support/open_sensitive.hpp"

namespace dperm {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };
template <class T>
concept Comparable = requires(const T& a, const T& b) { a == b; };

static_assert(!Printable<Sensitive<int>>);
static_assert(!Comparable<Sensitive<int>>);
static_assert(!std::is_convertible_v<Sensitive<int>, int>);
static_assert(!std::is_convertible_v<int, Sensitive<int>>, "wrapping must be visible");

TEST(Sensitive, MapKeepsTheResultSensitive) {
  const Sensitive<int> count(41);
  const Sensitive<std::string> text = count.map([](int c) { return std::to_string(c + 1); });
  EXPECT_EQ(SensitiveTestAccess::open(text), "42");
}

TEST(Sensitive, TwoValuesCombineToASensitiveOne) {
  const Sensitive<int> a(2);
  const Sensitive<double> b(0.5);
  const Sensitive<double> product = a.with(b, [](int x, double y) { return x * y; });
  EXPECT_EQ(SensitiveTestAccess::open(product), 1.0);
}

}  // namespace
}  // namespace dperm
