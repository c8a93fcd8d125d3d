// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/log_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/report/svg.hpp"

namespace dperm::audit {

namespace {

constexpr double kWidth = 460, kHeight = 360, kLeft = 80, kTop = 46, kRight = 230, kBottom = 56;
// Colours that stay apart in grey and for colour-blind readers.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

double place(const LogAxis& axis, double value) {
  const double share = std::log(std::max(value, axis.low) / axis.low) / std::log(axis.high / axis.low);
  return std::clamp(share, 0.0, 1.0);
}

class Drawing {
 public:
  explicit Drawing(const LogPicture& picture) : picture_(picture) {}

  std::string text() const {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
        "<title>{2}</title>\n<text x=\"{3}\" y=\"24\" font-size=\"14\" text-anchor=\"middle\">{2}</text>\n"
        "<rect x=\"{4}\" y=\"{5}\" width=\"{6}\" height=\"{7}\" fill=\"none\" stroke=\"#444\"/>\n",
        kLeft + kWidth + kRight, kTop + kHeight + kBottom, report::escaped(picture_.title), kLeft + kWidth / 2, kLeft,
        kTop, kWidth, kHeight);
    out += ticks() + labels();
    std::size_t named = 0;
    for (std::size_t i = 0; i < picture_.lines.size(); ++i) out += line(picture_.lines[i], i, named);
    return out + "</svg>\n";
  }

 private:
  double left(double value) const { return kLeft + kWidth * place(picture_.across, value); }
  double top(double value) const { return kTop + kHeight * (1 - place(picture_.up, value)); }

  static std::vector<double> powers(const LogAxis& axis) {
    std::vector<double> result;
    const double first = std::ceil(std::log10(axis.low) - 1e-9), last = std::floor(std::log10(axis.high) + 1e-9);
    const double step = std::max(1.0, std::ceil((last - first) / 8));
    for (double power = first; power <= last; power += step) result.push_back(std::pow(10, power));
    return result;
  }
  static std::string tick_text(double value) {
    return value >= 1e4 || value < 1e-3 ? fmt::format("{:.0e}", value) : fmt::format("{:g}", value);
  }

  std::string ticks() const {
    std::string out;
    for (const double value : powers(picture_.up)) {
      out += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#e3e3e3\"/>\n"
          "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          kLeft, kLeft + kWidth, top(value), kLeft - 6, top(value) + 4, tick_text(value));
    }
    for (const double value : powers(picture_.across)) {
      out += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#e3e3e3\"/>\n"
          "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
          left(value), kTop, kTop + kHeight, kTop + kHeight + 18, tick_text(value));
    }
    return out;
  }

  std::string labels() const {
    return fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\">{2}</text>\n"
        "<text x=\"18\" y=\"{3:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {3:.1f})\">{4}</text>\n",
        kLeft + kWidth / 2, kTop + kHeight + 42, report::escaped(picture_.across.label), kTop + kHeight / 2,
        report::escaped(picture_.up.label));
  }

  std::string line(const LogLine& each, std::size_t index, std::size_t& named) const {
    const char* colour = each.name.empty() ? "#777777" : kColours[index % kColours.size()];
    const std::string dashes = each.dashed ? " stroke-dasharray=\"6 4\"" : "";
    std::string points, dots;
    for (const auto& [x, y] : each.points) {
      points += fmt::format("{:.1f},{:.1f} ", left(x), top(y));
      if (each.dots) {
        dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", left(x), top(y), colour);
      }
    }
    std::string out = fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-width=\"2\" stroke=\"{}\"{}/>\n{}",
                                  points, colour, dashes, dots);
    if (each.name.empty()) return out;
    const double y = kTop + 12 + 20 * static_cast<double>(named++);
    return out + fmt::format(
                     "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke-width=\"2\" "
                     "stroke=\"{3}\"{4}/>\n<text x=\"{5:.1f}\" y=\"{6:.1f}\">{7}</text>\n",
                     kLeft + kWidth + 12, kLeft + kWidth + 34, y, colour, dashes, kLeft + kWidth + 40, y + 4,
                     report::escaped(each.name));
  }

  const LogPicture& picture_;
};

}  // namespace

std::string svg_of(const LogPicture& picture) {
  for (const LogAxis& axis : {picture.across, picture.up}) {
    require(axis.low > 0 && axis.high > axis.low && std::isfinite(axis.high), "an axis on a log scale begins above 0");
  }
  return Drawing(picture).text();
}

}  // namespace dperm::audit
