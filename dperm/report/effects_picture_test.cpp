// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/effects_picture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/report/effect_panels.hpp"
#include "dperm/report/svg.hpp"

namespace dperm::report {
namespace {

using schema::ColumnKind;
using schema::ColumnShape;

// A curve of 2 pieces, steps of 2, a category in order, a plain one, a linear column and a pair.
model::Model mixed() {
  model::Model model;
  auto& columns = model.schema.columns;
  columns.push_back(
      {.name = "age <years> & \"more\"", .lower = 0, .upper = 80, .shape = ColumnShape::curve, .pieces = 2});
  columns.push_back({.name = "hours", .lower = 0, .upper = 60, .shape = ColumnShape::steps, .pieces = 2});
  columns.push_back({.name = "school", .kind = ColumnKind::category, .values = {"low", "mid", "high"}});
  columns.back().ordered = true;
  columns.back().shape = ColumnShape::linear;
  columns.push_back({.name = "city", .kind = ColumnKind::category, .values = {"north", "south"}});
  columns.back().missing = schema::MissingRule::none;
  columns.push_back({.name = "price", .lower = 0, .upper = 1, .shape = ColumnShape::linear});
  model.schema.pairs = {{"hours", "price", 1}};
  model.schema.target = {.kind = schema::TargetKind::binary, .name = "ill", .positive = {"yes"}};
  const schema::Encoding encoding(model.schema);
  for (std::size_t j = 0; j < encoding.dimension(); ++j) model.weights.push_back(static_cast<double>(j % 5) - 2);
  return model;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(EffectsPicture, HasAPanelForEveryEffectAndNoneForASingleCoefficient) {
  const std::string svg = effects_picture(mixed(), "the log-odds");
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "class=\"frame\""), 5u) << "all but price";
  EXPECT_EQ(count(svg, "<polyline"), 2u) << "the curve and the steps";
  EXPECT_EQ(count(svg, "<circle"), 3u) << "one per knot";
  EXPECT_EQ(count(svg, "class=\"f0\""), 3u + 3 + 2) << "knots and bars";
  EXPECT_EQ(count(svg, "fill-opacity"), 4u) << "the pair's map";
  for (const char* text : {">0<", ">40<", ">80<", ">low<", ">high<", ">north<", "effect on the log-odds"}) {
    EXPECT_GE(count(svg, text), 1u) << text;
  }
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(EffectsPicture, NamesCannotBreakIt) {
  const std::string svg = effects_picture(mixed(), "a & b");
  EXPECT_EQ(svg.find("<years>"), std::string::npos);
  EXPECT_EQ(count(svg, "age &lt;years&gt; &amp; &quot;mo"), 1u);
  EXPECT_EQ(count(svg, "effect on a &amp; b"), 1u);
  EXPECT_EQ(escaped("a\x01\n<b"), "a  &lt;b") << "no control characters in XML";
}

TEST(EffectsPicture, AllPanelsShareTheirScale) {
  EffectPanel small, large;
  small.curves.push_back({{"small", {0, 1}, {}, false}, model::CurveKind::lines, {0, 0.5}});
  large.curves.push_back({{"large", {0, 1}, {}, false}, model::CurveKind::lines, {-0.9, 0.95}});
  const EffectScale scale({small, large});
  EXPECT_EQ(scale.ticks().size(), 5u) << "-1, -0.5, 0, 0.5, 1";
  EXPECT_DOUBLE_EQ(scale.top(0), kPanelHeight / 2);
  EXPECT_DOUBLE_EQ(scale.top(1), 0);
  // 0.5 is a quarter from the top, in the small panel too: at y = 10 + 30.
  EXPECT_EQ(count(drawn(small, scale, {0, 10, false}), "0.0,70.0 190.0,40.0 "), 1u);
}

TEST(EffectsPicture, ALogAxisIsEvenInTheLogarithm) {
  EffectPanel panel;
  panel.curves.push_back({{"gain", {0, 9, 99}, {}, true}, model::CurveKind::lines, {0, 0.5, 1}});
  const std::string svg = drawn(panel, EffectScale({panel}), {0, 0, false});
  EXPECT_EQ(count(svg, " 95.0,60.0 "), 1u) << "log(1 + 9) is half of log(1 + 99)";
}

TEST(EffectsPicture, OfManyLevelsTheLargestAreShown) {
  EffectPanel panel{.by_size = true};
  panel.curves.push_back({{"country", {}, {}, false}, model::CurveKind::labels, {}});
  for (int j = 0; j < 40; ++j) {
    panel.curves[0].along.labels.push_back(fmt::format("c{}", j));
    panel.curves[0].effects.push_back(j == 7 ? -3 : 0.01 * j);
  }
  const std::string svg = drawn(panel, EffectScale({panel}), {0, 0, true});
  EXPECT_EQ(count(svg, "country (14 of 40)"), 1u);
  EXPECT_EQ(count(svg, "class=\"f0\""), 14u);
  EXPECT_EQ(count(svg, ">c7<"), 1u);
  EXPECT_EQ(count(svg, ">c1<"), 0u);
  EXPECT_LT(svg.find(">c39<"), svg.find(">c7<")) << "from the highest to the lowest";
}

TEST(EffectsPicture, ClassesShareAPanelInTheirColours) {
  model::Model model = mixed();
  model.schema.pairs.clear();
  model.schema.target = {.kind = schema::TargetKind::classes, .name = "ward", .values = {"a", "b<", "c"}};
  model.plan.task.problem.loss.kind = loss::LossKind::softmax;
  const std::size_t dimension = schema::Encoding(model.schema).dimension();
  model.weights.assign(3 * dimension, 0.5);
  const std::string svg = effects_picture(model, "each class's score");
  EXPECT_EQ(count(svg, "class=\"frame\""), 4u);
  EXPECT_EQ(count(svg, "<polyline"), 6u);
  EXPECT_EQ(count(svg, "class=\"line s2\""), 2u);
  EXPECT_EQ(count(svg, ">b&lt;<"), 1u) << "in the legend";
}

TEST(EffectsPicture, RefusesModelsWithoutEffects) {
  model::Model model = mixed();
  model.plan.task.problem.hidden = {8};
  EXPECT_THROW(effects_picture(model, "x"), ArgumentError);
  model = {};
  model.schema.columns.push_back({.name = "price", .lower = 0, .upper = 1, .shape = ColumnShape::linear});
  model.weights = {1, 2};
  EXPECT_THROW(effects_picture(model, "x"), ArgumentError) << "a single coefficient";
}

}  // namespace
}  // namespace dperm::report
