// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/html.hpp"

#include <gtest/gtest.h>

#include "dperm/report/page/plot.hpp"
#include "dperm/report/svg.hpp"

namespace dperm::report {
namespace {

TEST(Html, TextCannotBecomeMarkup) {
  EXPECT_EQ(Html("<script>alert('x')</script>").text(), "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  EXPECT_EQ(element("p", {{"title", "\"onload=\"x"}}, "]]>&amp;").text(),
            "<p title=\"&quot;onload=&quot;x\">]]&gt;&amp;amp;</p>\n");
  EXPECT_EQ((Html("a < b") + strong("c & d")).text(), "a &lt; b<strong>c &amp; d</strong>");
}

TEST(Html, ControlCharactersAndMarksOfDirectionAreTakenOut) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b[31m\x7f", 9)), "a b [31m ");
  EXPECT_EQ(escaped("a\nb\tc"), "a b c");
  EXPECT_EQ(escaped("\u0085\u2028"), "  ") << "C1 control, line separator";
  EXPECT_EQ(escaped("user\u202egnp.exe"), "user\ufffdgnp.exe") << "right-to-left override";
  EXPECT_EQ(escaped("\u2066\u200f"), "\ufffd\ufffd");
}

TEST(Html, OtherScriptsStayAndBytesThatAreNoTextDoNot) {
  EXPECT_EQ(escaped("M\u00fcnchen \u05e9\u05dc\u05d5\u05dd \U0001f600"),
            "M\u00fcnchen \u05e9\u05dc\u05d5\u05dd \U0001f600");
  EXPECT_EQ(escaped("a\xff\xfe b"), "a\ufffd\ufffd b");
  EXPECT_EQ(escaped("\xc0\xbcscript"), "\ufffd\ufffdscript") << "'<' in a form that is too long";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "half of a pair";
  EXPECT_EQ(escaped("\xe2\x82"), "\ufffd\ufffd") << "cut short";
}

TEST(Html, TablesScrollByThemselvesAndHaveHeadings) {
  const std::string text = table("Costs", {{"What"}, {"Number", true}}, {{"a", "1"}, {"b", "2"}}).text();
  EXPECT_NE(text.find("<th scope=\"col\" class=\"n\">Number</th>"), std::string::npos);
  EXPECT_NE(text.find("<th scope=\"row\">b</th>"), std::string::npos);
  EXPECT_NE(text.find("tabindex=\"0\" aria-label=\"Costs\""), std::string::npos) << "a keyboard must reach the box";
}

TEST(Html, SettingsInBackticksAreCode) {
  EXPECT_EQ(with_code("needs `a <b` or `c`, not `d").text(), "needs <code>a &lt;b</code> or <code>c</code>, not `d");
  EXPECT_EQ(commands({"one", "two & three"}).text(), "<pre><code>one\ntwo &amp; three</code></pre>\n");
}

TEST(Html, NumbersAreWrittenForPeople) {
  EXPECT_EQ(digits(0.012345), "0.0123");
  EXPECT_EQ(digits(12345), "12,300");
  EXPECT_EQ(digits(1200, 5), "1,200");
  EXPECT_EQ(digits(2), "2");
  EXPECT_EQ(digits(0.5), "0.5");
  EXPECT_EQ(digits(-0.00001234), "-1.23e-05");
  EXPECT_EQ(percent(0.7113), "71.1%");
}

TEST(Plot, RoundNumbersLieWithin) {
  EXPECT_EQ(round_numbers(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  const std::vector<double> ticks = round_numbers(-7.3, 12.1, 5);
  EXPECT_EQ(ticks, (std::vector<double>{-5, 0, 5, 10}));
}

TEST(Plot, HasWordsForThoseWhoDoNotSeeIt) {
  Plot plot({0, 1, "x < y", true}, {0, 1, "up", true});
  plot.line({{0, 0}, {1, 1}}, "curve");
  plot.dot({0.5, 0.5}, 0.1, 0.1, "half & half");
  const std::string text = plot.figure("A <title>", "What is seen", "Below").text();
  EXPECT_NE(text.find("<title>A &lt;title&gt;</title><desc>What is seen</desc>"), std::string::npos);
  EXPECT_NE(text.find("<title>half &amp; half</title>"), std::string::npos);
  EXPECT_NE(text.find("x &lt; y"), std::string::npos);
  EXPECT_NE(text.find("<figcaption>Below</figcaption>"), std::string::npos);
}

}  // namespace
}  // namespace dperm::report
