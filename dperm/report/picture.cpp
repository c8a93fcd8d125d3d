// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dperm/planner/curves.hpp"

namespace dperm::planner {

namespace {

constexpr double kWidth = 420, kHeight = 300, kLeft = 70, kTop = 50, kGap = 90;
// Colours that stay apart in grey and for colour-blind readers.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

using Point = std::pair<double, double>;

struct Line {
  std::string name;
  std::vector<Point> points;
  std::string dashes;  // of SVG; empty: solid
};

struct Panel {
  std::string title;
  std::vector<Line> lines;
  double marked;  // the task's own value on the horizontal axis
};

// The forecast risk solid, the proven one dashed, the floor dotted.
std::vector<Line> lines_of(const Curves& curves) {
  std::vector<Line> lines;
  for (const Curve& curve : curves.methods) {
    Line predicted{curve.method, {}, ""}, proven{curve.method, {}, "6 4"};
    for (const CurvePoint& point : curve.points) {
      if (point.predicted && point.predicted->excess_risk > 0) {
        predicted.points.emplace_back(point.x, point.predicted->excess_risk);
      }
      if (std::isfinite(point.proven) && point.proven > 0) proven.points.emplace_back(point.x, point.proven);
    }
    lines.push_back(predicted);
    lines.push_back(proven);
  }
  Line floor{"no private method can promise less", {}, "1 4"};
  for (const CurvePoint& point : curves.floor) floor.points.emplace_back(point.x, point.proven);
  lines.push_back(floor);
  std::erase_if(lines, [](const Line& line) { return line.points.empty(); });
  return lines;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double position(double value) const { return high > low ? std::log(value / low) / std::log(high / low) : 0.5; }
};

std::string tick_text(double value) {
  return value >= 1e4 || value < 1e-2 ? fmt::format("{:.0e}", value) : fmt::format("{:g}", value);
}

std::string dashes(const Line& line) {
  return line.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", line.dashes);
}

class Drawing {
 public:
  Drawing(const Panel& panel, double x) : panel_(panel), x_(x) {
    for (const Line& line : panel.lines) {
      for (const auto& [horizontal, vertical] : line.points) {
        across_.include(horizontal);
        up_.include(vertical);
      }
    }
    up_.low = std::pow(10, std::floor(std::log10(up_.low)));
    up_.high = std::pow(10, std::ceil(std::log10(up_.high)));
  }

  std::string text(const std::vector<std::string>& names) const {
    std::string out = fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"14\" text-anchor=\"middle\">{}</text>\n"
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
        x_ + kWidth / 2, kTop - 12, panel_.title, x_, kTop, kWidth, kHeight);
    out += ticks();
    const double here = left(panel_.marked);
    out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#bbb\"/>\n", here, kTop,
                       kTop + kHeight);
    for (const Line& line : panel_.lines) out += curve(line, names);
    return out;
  }

 private:
  double left(double value) const { return x_ + kWidth * across_.position(value); }
  double top(double value) const { return kTop + kHeight * (1 - up_.position(value)); }

  std::string ticks() const {
    std::string out;
    for (double value = up_.low; value <= up_.high * 1.001; value *= 10) {
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", x_ - 6, top(value) + 4,
                         tick_text(value));
      out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#eee\"/>\n", x_,
                         x_ + kWidth, top(value));
    }
    for (const double value : {across_.low, panel_.marked, across_.high}) {
      out +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", left(value),
                      kTop + kHeight + 18, value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value));
    }
    return out;
  }

  std::string curve(const Line& line, const std::vector<std::string>& names) const {
    std::string points;
    for (const auto& [horizontal, vertical] : line.points) {
      points += fmt::format("{:.1f},{:.1f} ", left(horizontal), top(vertical));
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-width=\"2\" stroke=\"{}\"{}/>\n", points,
                       colour(line.name, names), dashes(line));
  }

 public:
  static const char* colour(const std::string& name, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return "#000000";
    return kColours[static_cast<std::size_t>(found - names.begin()) % kColours.size()];
  }

 private:
  const Panel& panel_;
  double x_;
  Range across_, up_;
};

// One entry per method, the floor, and what the kinds of line mean.
std::string legend(const Curves& curves, const std::vector<std::string>& names, const char* remark) {
  std::string out;
  double y = kTop + kHeight + 48;
  const auto entry = [&](const Line& line, const std::string& text) {
    out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke-width=\"2\" stroke=\"{3}\"{4}/>\n",
                       kLeft, kLeft + 30, y - 4, Drawing::colour(line.name, names), dashes(line));
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft + 38, y, text);
    y += 18;
  };
  for (const Curve& curve : curves.methods) entry({curve.method, {}, ""}, curve.method);
  entry({"", {}, ""}, "solid: predicted");
  entry({"", {}, "6 4"}, "dashed: proven for every dataset");
  entry({"", {}, "1 4"}, "dotted: no private method can promise less for every loss this steep");
  return out + fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft, y, remark);
}

}  // namespace

std::string plan_picture(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                         const Population& population) {
  const Curves rows = curves_over_rows(task, planners, population);
  const Curves epsilon = curves_over_epsilon(task, planners, population);
  const Panel by_rows{"excess risk against rows", lines_of(rows), rows.marked};
  const Panel by_epsilon{"excess risk against epsilon", lines_of(epsilon), epsilon.marked};
  std::vector<std::string> names;
  for (const methods::Method* method : methods::all_methods()) names.emplace_back(method->name());
  const double width = 2 * kWidth + kLeft + kGap + 20;
  const double height = kTop + kHeight + 48 + 18 * static_cast<double>(rows.methods.size() + 4);
  const bool answers = loss::is_classification(task.problem.loss.kind);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             width, height) +
         Drawing(by_rows, kLeft).text(names) + Drawing(by_epsilon, kLeft + kWidth + kGap).text(names) +
         legend(rows, names, answers ? "auto compares points of accuracy, not these risks" : "") + "</svg>\n";
}

}  // namespace dperm::planner
