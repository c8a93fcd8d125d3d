// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/plan/lower_bound.hpp"

namespace dperm::plan {

namespace {

constexpr double kWidth = 420, kHeight = 300, kLeft = 70, kTop = 50, kGap = 90;
constexpr int kPoints = 13;  // a tenth to ten times, in steps of 10^(1/6)
// Colours that stay apart in grey and for colour-blind readers.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

using Point = std::pair<double, double>;

struct Line {
  std::string name;
  std::vector<Point> points;
  bool dashed = false;
};

struct Panel {
  std::string title;
  std::vector<Line> lines;
  double marked;  // the question's own value on the horizontal axis
};

double factor(int k) { return std::pow(10.0, (k - kPoints / 2) / 6.0); }

// Bounds of all methods as one quantity of the question varies.
template <class Vary>
std::vector<Line> lines_for(const methods::Question& question, const GivenOptions& given, Vary vary) {
  std::vector<Line> lines;
  for (const methods::Method* method : methods::all_methods()) lines.push_back({std::string(method->name()), {}});
  Line floor{"no private method can promise less", {}, true};
  for (int k = 0; k < kPoints; ++k) {
    methods::Question varied = question;
    const double x = vary(varied, factor(k));
    for (Line& line : lines) {
      try {
        const double risk = methods::method_named(line.name).plan(varied, given).utility.excess_risk;
        if (std::isfinite(risk) && risk > 0) line.points.emplace_back(x, risk);
      } catch (const ArgumentError&) {
      }  // the method does not answer this question: its line has a gap
    }
    const double least = excess_risk_floor(varied);
    if (least > 0) floor.points.emplace_back(x, least);
  }
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
                       colour(line.name, names), line.dashed ? " stroke-dasharray=\"5 4\"" : "");
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

std::string legend(const std::vector<Line>& lines, const std::vector<std::string>& names) {
  std::string out;
  double y = kTop + kHeight + 48;
  for (const Line& line : lines) {
    out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke-width=\"2\" stroke=\"{3}\"{4}/>\n",
                       kLeft, kLeft + 30, y - 4, Drawing::colour(line.name, names),
                       line.dashed ? " stroke-dasharray=\"5 4\"" : "");
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft + 38, y, line.name);
    y += 18;
  }
  return out;
}

}  // namespace

std::string plan_picture(const methods::Question& question, const GivenOptions& given) {
  methods::validate(question);
  const Panel by_rows{"promised excess risk against rows",
                      lines_for(question, given,
                                [](methods::Question& q, double by) {
                                  q.facts.rows = static_cast<std::size_t>(
                                      std::max(1.0, std::round(static_cast<double>(q.facts.rows) * by)));
                                  return static_cast<double>(q.facts.rows);
                                }),
                      static_cast<double>(question.facts.rows)};
  const Panel by_epsilon{
      "promised excess risk against epsilon",
      lines_for(question, given, [](methods::Question& q, double by) { return q.budget.epsilon *= by; }),
      question.budget.epsilon};
  if (by_rows.lines.empty() || by_epsilon.lines.empty()) {
    throw ArgumentError("no method promises anything for this question, so there is nothing to draw");
  }
  std::vector<std::string> names;
  for (const methods::Method* method : methods::all_methods()) names.emplace_back(method->name());
  const double width = 2 * kWidth + kLeft + kGap + 20;
  const double height = kTop + kHeight + 48 + 18 * static_cast<double>(by_rows.lines.size());
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             width, height) +
         Drawing(by_rows, kLeft).text(names) + Drawing(by_epsilon, kLeft + kWidth + kGap).text(names) +
         legend(by_rows.lines, names) + "</svg>\n";
}

}  // namespace dperm::plan
