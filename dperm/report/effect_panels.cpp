// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/effect_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dperm/report/svg.hpp"

namespace dperm::report {

namespace {

constexpr std::size_t kMostBars = 14;  // of a plain category; the largest are shown
constexpr std::size_t kLongestName = 22, kLongestLevel = 13;
constexpr double kDigitWidth = 5.4, kLabelGap = 8;  // of small text, in pixels

const std::vector<double>& effects_of(const EffectPanel& panel, std::size_t k) {
  return panel.surface ? panel.surface->effects : panel.curves[k].effects;
}

std::string tick_text(double tick, double step) {
  const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 9);
  return std::abs(tick) < step / 2 ? "0" : fmt::format("{:.{}f}", tick, decimals);
}

// Where the points of a number axis lie, from 0 to 1: even on its own scale.
std::vector<double> positions(const model::EffectAxis& axis) {
  std::vector<double> result;
  if (!axis.labels.empty()) {
    const double last = std::max(1.0, static_cast<double>(axis.labels.size()) - 1);
    for (std::size_t j = 0; j < axis.labels.size(); ++j) result.push_back(static_cast<double>(j) / last);
    return result;
  }
  const auto scaled = [&](double value) { return axis.log ? std::log1p(value - axis.values[0]) : value; };
  const double first = scaled(axis.values.front()), last = scaled(axis.values.back());
  for (const double value : axis.values) result.push_back((scaled(value) - first) / (last - first));
  return result;
}

std::vector<std::string> texts_of(const model::EffectAxis& axis) {
  if (axis.labels.empty()) return axis.date ? date_texts(axis.values) : number_texts(axis.values);
  std::vector<std::string> texts;
  for (const std::string& label : axis.labels) texts.push_back(shortened(label, kLongestLevel));
  return texts;
}

// Where a label begins and ends.
struct Extent {
  double from, to;
};

// Which labels can be read beside each other: the first, the last, and as many between as fit.
std::vector<std::size_t> readable(const std::vector<Extent>& labels) {
  std::vector<std::size_t> result;
  const auto fits = [&](std::size_t j) {
    return result.empty() || labels[j].from >= labels[result.back()].to + kLabelGap;
  };
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const bool last = j + 1 == labels.size();
    while (last && result.size() > 1 && !fits(j)) result.pop_back();
    if (last || fits(j)) result.push_back(j);
  }
  return result;
}

class Panel {
 public:
  Panel(const EffectPanel& panel, const EffectScale& scale, const PanelPlace& place)
      : panel_(panel), scale_(scale), place_(place) {}

  std::string text() const {
    if (panel_.surface) return heading(surface_name()) + map() + frame();
    const model::Curve& first = panel_.curves[0];
    std::string out = heading(name_of_curves()) + grid();
    if (first.kind == model::CurveKind::labels) {
      out += bars();
    } else {
      for (std::size_t k = 0; k < panel_.curves.size(); ++k) out += line(k);
      out += number_labels(first.along);
    }
    return out + frame();
  }

 private:
  double left(double share) const { return place_.x + kPanelWidth * share; }
  double top(double effect) const { return place_.y + scale_.top(effect); }

  std::string heading(const std::string& name) const {
    return fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", place_.x, place_.y - 6,
                       escaped(name));
  }

  std::string frame() const {
    return fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", place_.x,
                       place_.y, kPanelWidth, kPanelHeight);
  }

  std::string grid() const {
    std::string out;
    const std::vector<double>& ticks = scale_.ticks();
    const double step = ticks[1] - ticks[0];
    for (const double tick : ticks) {
      out += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                         std::abs(tick) < step / 2 ? "zero" : "grid", place_.x, left(1), top(tick), top(tick));
      if (!place_.has_scale) continue;
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", place_.x - 6, top(tick) + 4,
                         tick_text(tick, step));
    }
    return out;
  }

  std::string line(std::size_t k) const {
    const model::Curve& curve = panel_.curves[k];
    const std::vector<double> at = positions(curve.along);
    const bool steps = curve.kind == model::CurveKind::steps;
    std::string points, dots;
    for (std::size_t j = 0; j < curve.effects.size(); ++j) {
      points += fmt::format("{:.1f},{:.1f} ", left(at[j]), top(curve.effects[j]));
      if (steps) points += fmt::format("{:.1f},{:.1f} ", left(at[j + 1]), top(curve.effects[j]));
      if (!steps) {
        dots += fmt::format("<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\"/>\n", k % kEffectColours,
                            left(at[j]), top(curve.effects[j]));
      }
    }
    return fmt::format("<polyline class=\"line s{}\" points=\"{}\"/>\n{}", k % kEffectColours, points, dots);
  }

  std::string number_labels(const model::EffectAxis& axis) const {
    const std::vector<double> at = positions(axis);
    const std::vector<std::string> texts = texts_of(axis);
    // The first label begins at the edge and the last ends there.
    const auto before = [&](std::size_t j) { return j == 0 ? 0.0 : j + 1 == at.size() ? 1.0 : 0.5; };
    std::vector<Extent> extents;
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double width = kDigitWidth * static_cast<double>(texts[j].size());
      const double from = kPanelWidth * at[j] - before(j) * width;
      extents.push_back({from, from + width});
    }
    std::string out;
    for (const std::size_t j : readable(extents)) {
      const char* anchor = j == 0 ? "start" : j + 1 == at.size() ? "end" : "middle";
      out += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", left(at[j]),
                         place_.y + kPanelHeight + 13, anchor, escaped(texts[j]));
    }
    return out;
  }

  // Of a category in order all; of a plain one the largest, from the highest to the lowest.
  std::vector<std::size_t> shown_levels() const {
    const model::Curve& first = panel_.curves[0];
    std::vector<std::size_t> levels(first.effects.size());
    std::iota(levels.begin(), levels.end(), std::size_t{0});
    if (!panel_.by_size) return levels;
    const auto size = [&](std::size_t level) {
      double largest = 0;
      for (const model::Curve& curve : panel_.curves) largest = std::max(largest, std::abs(curve.effects[level]));
      return largest;
    };
    std::stable_sort(levels.begin(), levels.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    levels.resize(std::min(levels.size(), kMostBars));
    std::stable_sort(levels.begin(), levels.end(),
                     [&](std::size_t a, std::size_t b) { return first.effects[a] > first.effects[b]; });
    return levels;
  }

  std::string name_of_curves() const {
    const model::Curve& first = panel_.curves[0];
    const std::string name = shortened(first.along.name, kLongestName);
    if (first.kind != model::CurveKind::labels) return name;
    const std::size_t shown = shown_levels().size();
    if (shown == first.effects.size()) return name;
    return fmt::format("{} ({} of {})", shortened(first.along.name, 14), shown, first.effects.size());
  }

  std::string bars() const {
    const std::vector<std::size_t> levels = shown_levels();
    const double wide = kPanelWidth / static_cast<double>(levels.size());
    const double bar = std::min(wide * 0.72, 26.0) / static_cast<double>(panel_.curves.size());
    const std::vector<std::string> texts = texts_of(panel_.curves[0].along);
    std::string out;
    std::vector<Extent> extents;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * wide;
      extents.push_back({middle, middle});
      const double begin = place_.x + middle - bar * static_cast<double>(panel_.curves.size()) / 2;
      for (std::size_t k = 0; k < panel_.curves.size(); ++k) {
        const double effect = panel_.curves[k].effects[levels[i]];
        out += fmt::format("<rect class=\"f{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"/>\n",
                           k % kEffectColours, begin + static_cast<double>(k) * bar, std::min(top(effect), top(0)), bar,
                           std::abs(top(effect) - top(0)));
      }
    }
    for (const std::size_t i : readable(extents)) {
      out += fmt::format(
          "<text class=\"small\" transform=\"translate({:.1f} {:.1f}) rotate(-50)\" text-anchor=\"end\">{}</text>\n",
          place_.x + extents[i].to + 4, place_.y + kPanelHeight + 11, escaped(texts[levels[i]]));
    }
    return out;
  }

  std::string surface_name() const {
    const model::Surface& surface = *panel_.surface;
    return fmt::format("{} x {}{}", shortened(surface.second.name, 12), shortened(surface.first.name, 12),
                       surface.label.empty() ? "" : ": " + shortened(surface.label, 8));
  }

  // A field per pair of values, the first column upwards; opaque where the effect is as large as any.
  std::string map() const {
    const model::Surface& surface = *panel_.surface;
    const std::vector<double> across = edges(surface.second), up = edges(surface.first);
    std::string out;
    for (std::size_t i = 0; i + 1 < up.size(); ++i) {
      for (std::size_t j = 0; j + 1 < across.size(); ++j) {
        const double effect = surface.effects[i * (across.size() - 1) + j];
        out += fmt::format(
            "<rect class=\"{}\" fill-opacity=\"{:.2f}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
            "height=\"{:.2f}\"/>\n",
            effect < 0 ? "low" : "high", std::abs(effect) / scale_.largest(), left(across[j]),
            place_.y + kPanelHeight * (1 - up[i + 1]), kPanelWidth * (across[j + 1] - across[j]),
            kPanelHeight * (up[i + 1] - up[i]));
      }
    }
    const std::vector<std::string> texts = texts_of(surface.first);
    for (const auto& [text, y] : {std::pair{texts.front(), kPanelHeight - 4}, std::pair{texts.back(), 11.0}}) {
      out += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", place_.x + 3, place_.y + y,
                         escaped(text));
    }
    const double largest = std::max({panel_.highest(), -panel_.lowest(), std::numeric_limits<double>::min()});
    const double unit = std::pow(10, std::floor(std::log10(largest)) - 1);
    const auto ends =
        number_texts({std::round(panel_.lowest() / unit) * unit, std::round(panel_.highest() / unit) * unit});
    out += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">from {} (blue) to {} (orange)</text>\n",
                       place_.x, place_.y + kPanelHeight + 27, ends[0], ends[1]);
    return out + number_labels(surface.second);
  }

  // Halfway between neighbouring points.
  static std::vector<double> edges(const model::EffectAxis& axis) {
    const std::vector<double> at = positions(axis);
    std::vector<double> result = {0};
    for (std::size_t j = 0; j + 1 < at.size(); ++j) result.push_back((at[j] + at[j + 1]) / 2);
    result.push_back(1);
    return result;
  }

  const EffectPanel& panel_;
  const EffectScale& scale_;
  PanelPlace place_;
};

}  // namespace

bool EffectPanel::has_bars() const { return !curves.empty() && curves[0].kind == model::CurveKind::labels; }

double EffectPanel::lowest() const {
  double result = 0;
  for (std::size_t k = 0; k < std::max<std::size_t>(curves.size(), 1); ++k) {
    for (const double effect : effects_of(*this, k)) result = std::min(result, effect);
  }
  return result;
}

double EffectPanel::highest() const {
  double result = 0;
  for (std::size_t k = 0; k < std::max<std::size_t>(curves.size(), 1); ++k) {
    for (const double effect : effects_of(*this, k)) result = std::max(result, effect);
  }
  return result;
}

EffectScale::EffectScale(const std::vector<EffectPanel>& panels) {
  for (const EffectPanel& panel : panels) {
    low_ = std::min(low_, panel.lowest());
    high_ = std::max(high_, panel.highest());
  }
  if (!(high_ - low_ > std::numeric_limits<double>::min())) high_ = low_ + 1;
  const double rough = (high_ - low_) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough <= power       ? power
                      : rough <= 2 * power ? 2 * power
                      : rough <= 5 * power ? 5 * power
                                           : 10 * power;
  low_ = std::floor(low_ / step) * step;
  high_ = std::ceil(high_ / step) * step;
  for (int j = 0; low_ + j * step <= high_ + step / 2; ++j) ticks_.push_back(low_ + j * step);
}

double EffectScale::top(double effect) const { return kPanelHeight * (high_ - effect) / (high_ - low_); }

double EffectScale::largest() const { return std::max(high_, -low_); }

std::string drawn(const EffectPanel& panel, const EffectScale& scale, const PanelPlace& place) {
  return Panel(panel, scale, place).text();
}

}  // namespace dperm::report
