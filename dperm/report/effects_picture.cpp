// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/effects_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/report/effect_panels.hpp"
#include "dperm/report/svg.hpp"

namespace dperm::report {

namespace {

constexpr std::size_t kAcross = 4;
constexpr double kLeft = 62, kRight = 18, kTop = 44, kGapAcross = 26, kLine = 18;
constexpr double kBelowBars = 86, kBelowNumbers = 54;

// Colours that stay apart for colour-blind readers, lighter ones on dark pages.
constexpr const char* kStyle = R"(<style>
text { fill: #222; font-family: sans-serif; font-size: 11px }
.name { font-size: 13px; font-weight: bold }
.small { font-size: 9.5px }
.page { fill: #fff }
.frame { fill: none; stroke: #999 }
.grid { stroke: #e4e4e4 }
.zero { stroke: #999 }
.line { fill: none; stroke-width: 1.8 }
.s0 { stroke: #0072b2 } .s1 { stroke: #d55e00 } .s2 { stroke: #009e73 } .s3 { stroke: #cc79a7 } .s4 { stroke: #b07800 } .s5 { stroke: #3a9bd9 }
.f0 { fill: #0072b2 } .f1 { fill: #d55e00 } .f2 { fill: #009e73 } .f3 { fill: #cc79a7 } .f4 { fill: #b07800 } .f5 { fill: #3a9bd9 }
.low { fill: #0072b2 } .high { fill: #d55e00 }
@media (prefers-color-scheme: dark) {
text { fill: #ddd }
.page { fill: #15181c }
.frame, .zero { stroke: #777 }
.grid { stroke: #2c3137 }
.s0 { stroke: #56b4e9 } .s1 { stroke: #ff9248 } .s2 { stroke: #2fc79b } .s3 { stroke: #e3a1c4 } .s4 { stroke: #e6b84a } .s5 { stroke: #9ad0f5 }
.f0 { fill: #56b4e9 } .f1 { fill: #ff9248 } .f2 { fill: #2fc79b } .f3 { fill: #e3a1c4 } .f4 { fill: #e6b84a } .f5 { fill: #9ad0f5 }
.low { fill: #56b4e9 } .high { fill: #ff9248 }
}
</style>
)";

// Where each row of panels begins, and where the last ends.
std::vector<double> rows_of(const std::vector<EffectPanel>& panels) {
  std::vector<double> rows = {kTop};
  for (std::size_t first = 0; first < panels.size(); first += kAcross) {
    const auto begin = panels.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = panels.begin() + static_cast<std::ptrdiff_t>(std::min(first + kAcross, panels.size()));
    const bool bars = std::any_of(begin, end, [](const EffectPanel& panel) { return panel.has_bars(); });
    rows.push_back(rows.back() + kPanelHeight + (bars ? kBelowBars : kBelowNumbers));
  }
  return rows;
}

std::string legend(const model::Model& model, double y) {
  std::string out;
  double x = kLeft;
  for (std::size_t k = 0; k < model.schema.target.values.size(); ++k) {
    out += fmt::format("<rect class=\"f{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"8\"/>\n",
                       k % kEffectColours, x, y - 8);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 17, y,
                       escaped(shortened(model.schema.target.values[k], 20)));
    x += 165;
    if ((k + 1) % 5 == 0) {
      x = kLeft;
      y += kLine;
    }
  }
  return out;
}

}  // namespace

std::vector<EffectPanel> effect_panels(const model::Model& model) {
  const schema::Encoding encoding(model.schema);
  const std::size_t dimension = encoding.dimension();
  std::vector<EffectPanel> panels, surfaces;
  for (std::size_t first = 0; first < model.weights.size(); first += dimension) {
    const auto weights = std::span(model.weights).subspan(first, dimension);
    std::size_t next = 0;
    // The panel that every class's part of an effect goes to.
    const auto panel = [&]() -> EffectPanel& {
      if (next == panels.size()) panels.emplace_back();
      return panels[next++];
    };
    for (const model::Curve& each : model::curves(encoding, weights)) panel().curves.push_back(each);
    for (const model::Curve& each : model::category_effects(encoding, weights)) {
      EffectPanel& here = panel();
      here.curves.push_back(each);
      here.by_size = true;
    }
    for (model::Surface& each : model::surfaces(encoding, weights)) {
      if (dimension < model.weights.size()) each.label = model.schema.target.values.at(first / dimension);
      surfaces.push_back({.surface = std::move(each)});
    }
  }
  panels.insert(panels.end(), surfaces.begin(), surfaces.end());
  std::stable_sort(panels.begin(), panels.end(),
                   [](const EffectPanel& a, const EffectPanel& b) { return a.spread() > b.spread(); });
  return panels;
}

std::string effects_picture(const model::Model& model, const std::string& effect) {
  const methods::ModelForm form = methods::model_form(model.plan.task.problem);
  const bool several = form == methods::ModelForm::multiclass;
  require(several || form == methods::ModelForm::linear,
          "networks and rules have no curves to draw; dperm predict shows what they say");
  const std::vector<EffectPanel> panels = effect_panels(model);
  require(!panels.empty(), "every column of this model has a single coefficient; there is no curve to draw");
  const EffectScale scale(panels);
  const std::vector<double> rows = rows_of(panels);
  const double across = static_cast<double>(std::min(kAcross, panels.size()));
  const double width = std::max(kLeft + across * kPanelWidth + (across - 1) * kGapAcross + kRight, 480.0);
  const double lines = several ? std::ceil(static_cast<double>(model.schema.target.values.size()) / 5) : 0;
  const double height = rows.back() + lines * kLine;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n{2}<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
      "<text x=\"{3}\" y=\"18\">effect on {4}</text>\n",
      width, height, kStyle, kLeft, escaped(effect));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const PanelPlace place{kLeft + static_cast<double>(i % kAcross) * (kPanelWidth + kGapAcross), rows[i / kAcross],
                           i % kAcross == 0};
    out += drawn(panels[i], scale, place);
  }
  if (several) out += legend(model, rows.back());
  return out + "</svg>\n";
}

}  // namespace dperm::report
