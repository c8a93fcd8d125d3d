// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/report/effect_panels.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/svg.hpp"

namespace dperm::report {

namespace {

constexpr double kWidth = 340, kLeft = 46, kRight = 14, kTop = 12, kBottom = 42;
constexpr double kBarWidth = 120, kBarHeight = 16;

std::string tick_words(const PlotAxis& axis, double tick, double step) {
  return axis.percent ? fmt::format("{:.{}f}%", 100 * tick, 100 * step < 1 ? 1 : 0) : number_words(tick, step);
}

double step_of(const std::vector<double>& ticks) { return ticks.size() > 1 ? ticks[1] - ticks[0] : 1; }

}  // namespace

std::vector<double> round_numbers(double low, double high, int count) {
  if (!(high > low)) return {low};
  const double rough = (high - low) / count, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough <= 1.0001 * power   ? 1
                               : rough <= 2.0001 * power ? 2
                               : rough <= 5.0001 * power ? 5
                                                         : 10);
  std::vector<double> result;
  for (double tick = std::ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step)
    result.push_back(tick == 0 ? 0 : tick);  // never -0
  return result;
}

std::string number_words(double value, double step) {
  const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 9);
  if (std::abs(value) < step / 2) return "0";
  return decimals == 0 && std::abs(value) >= 1000 ? whole(value) : fmt::format("{:.{}f}", value, decimals);
}

std::string digits(double value, int count) {
  if (!std::isfinite(value)) return "unknown";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e9 || size < 1e-4) return fmt::format("{:.{}g}", value, count);
  const int power = static_cast<int>(std::floor(std::log10(size)));
  if (power >= count - 1) {
    const double unit = std::pow(10, power - count + 1);
    return whole(std::round(value / unit) * unit);
  }
  if (power >= 3 && value == std::round(value)) return whole(value);
  std::string text = fmt::format("{:.{}f}", value, count - 1 - power);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string percent(double share, int decimals) { return fmt::format("{:.{}f}%", 100 * share, decimals); }

Plot::Plot(PlotAxis across, PlotAxis up, double height)
    : across_(std::move(across)), up_(std::move(up)), height_(height) {}

double Plot::left(double x) const {
  const double share = std::clamp((x - across_.low) / (across_.high - across_.low), 0.0, 1.0);
  return kLeft + (kWidth - kLeft - kRight) * share;
}

double Plot::top(double y) const {
  const double share = std::clamp((y - up_.low) / (up_.high - up_.low), 0.0, 1.0);
  return kTop + (height_ - kTop - kBottom) * (1 - share);
}

void Plot::line(const std::vector<Point>& points, std::string_view style) {
  std::string places;
  for (const Point& each : points) places += fmt::format("{:.1f},{:.1f} ", left(each.x), top(each.y));
  drawing_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, places);
}

void Plot::area(const std::vector<Point>& points) {
  std::string places;
  for (const Point& each : points) places += fmt::format("{:.1f},{:.1f} ", left(each.x), top(each.y));
  for (auto each = points.rbegin(); each != points.rend(); ++each) {
    places += fmt::format("{:.1f},{:.1f} ", left(each->x), top(each->x));
  }
  drawing_ += fmt::format("<polygon class=\"area\" points=\"{}\"/>\n", places);
}

void Plot::dot(const Point& at, double across_radius, double up_radius, const std::string& words) {
  drawing_ += "<g>";
  if (up_radius > 0) {
    drawing_ += fmt::format("<line class=\"bar\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
                            left(at.x), top(at.y - up_radius), top(at.y + up_radius));
  }
  if (across_radius > 0) {
    drawing_ += fmt::format("<line class=\"bar\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>",
                            top(at.y), left(at.x - across_radius), left(at.x + across_radius));
  }
  drawing_ +=
      fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\"><title>{}</title></circle></g>\n",
                  left(at.x), top(at.y), escaped(words));
}

void Plot::words(const Point& at, const std::string& text, std::string_view anchor) {
  drawing_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", left(at.x), top(at.y),
                          anchor, escaped(text));
}

std::string Plot::axes() const {
  std::string out;
  const std::vector<double> up = round_numbers(up_.low, up_.high, 5),
                            across = round_numbers(across_.low, across_.high, 5);
  for (const double tick : up) {
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
                       kWidth - kRight, top(tick));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, top(tick) + 4,
                       tick_words(up_, tick, step_of(up)));
  }
  for (const double tick : across) {
    const bool last = tick == across.back() && left(tick) > kWidth - kRight - 8;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", last ? kWidth - 2 : left(tick),
                       height_ - kBottom + 16, last ? "end" : "middle", tick_words(across_, tick, step_of(across)));
  }
  out += fmt::format("<line class=\"zero\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
                     kWidth - kRight, top(std::clamp(0.0, up_.low, up_.high)));
  return out + fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                           (kLeft + kWidth - kRight) / 2, height_ - 6, escaped(across_.label));
}

Html Plot::figure(const std::string& title, const std::string& description, const Html& caption) const {
  return figure_of(axes() + drawing_, kWidth, height_, title, description, caption);
}

Html figure_of(const std::string& drawing, double width, double height, const std::string& title,
               const std::string& description, const Html& caption, bool named) {
  const Html picture = Html::markup(fmt::format("<svg role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
                                                "style=\"max-width:{:.0f}px\"><title>{}</title><desc>{}</desc>\n",
                                                width, height, width * 1.2, escaped(title), escaped(description)) +
                                    drawing + "</svg>\n");
  const Html heading = named ? element("p", {{"class", "name"}}, title) : Html();
  return element("figure", heading + picture + (caption.empty() ? Html() : element("figcaption", caption)));
}

namespace {

// A scale that cells of one column share.
double cell_left(double x, double low, double high) {
  return 4 + (kBarWidth - 8) * std::clamp((x - low) / (high - low), 0.0, 1.0);
}

std::string cell_opening(double zero) {
  return fmt::format(
      "<svg aria-hidden=\"true\" class=\"cell\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">"
      "<line class=\"zero\" x1=\"{2:.1f}\" x2=\"{2:.1f}\" y1=\"0\" y2=\"{1}\"/>",
      kBarWidth, kBarHeight, zero);
}

}  // namespace

Html bar_cell(double value, double radius, double low, double high) {
  const auto left = [&](double x) { return cell_left(x, low, high); };
  const double zero = left(std::clamp(0.0, low, high));
  std::string drawing =
      cell_opening(zero) +
      fmt::format("<line class=\"value\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\"/>", zero, left(value));
  if (radius > 0) {
    drawing += fmt::format("<line class=\"bar\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\"/>", left(value - radius),
                           left(value + radius));
  }
  return Html::markup(drawing +
                      fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"8\" r=\"3.4\"/></svg>", left(value)));
}

Html dots_cell(const std::vector<double>& values, double low, double high) {
  std::string drawing = cell_opening(cell_left(std::clamp(0.0, low, high), low, high));
  for (std::size_t k = 0; k < values.size(); ++k) {
    drawing += fmt::format("<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"8\" r=\"3.6\"/>", k % kEffectColours,
                           cell_left(values[k], low, high));
  }
  return Html::markup(drawing + "</svg>");
}

}  // namespace dperm::report
