// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dperm {
namespace {

// The examples of the Unicode Standard's table of well-formed byte sequences, and what lies just outside them.
TEST(Utf8, TakesWellFormedTextAlone) {
  for (const char* text : {"", "patients", "caf\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_plain_line(text)) << text;
  }
  for (const char* text : {"caf\xe9", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\x80", "\xe2\x82"}) {
    EXPECT_FALSE(is_plain_line(text)) << text;
  }
}

TEST(Utf8, OneLineIsShownAsItIs) {
  for (const char* text : {"a\nb", "a\rb", "\x1b[31m", "\x7f", "\xc2\x85", "\xe2\x80\xa8",
                           "a\xe2\x80\xae"
                           "b"}) {
    EXPECT_FALSE(is_plain_line(text)) << text;
  }
  EXPECT_FALSE(is_plain_line(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace dperm
