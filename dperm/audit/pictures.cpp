// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/audit/log_picture.hpp"
#include "dperm/audit/statistics/roc.hpp"
#include "dperm/report/svg.hpp"

namespace dperm::audit {

namespace {

constexpr double kWidth = 760, kLabels = 250, kBar = 18, kRow = 26, kTop = 46;

std::string opening(double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"{2}\">\n"
      "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#fff\"/>\n<text x=\"12\" y=\"24\" font-size=\"15\">{2}</text>\n",
      kWidth, height, report::escaped(title));
}

std::string bar(double x, double y, double width, double height, const char* colour) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                     std::max(0.0, width), height, colour);
}

std::string text(double x, double y, const std::string& words, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     report::escaped(words));
}

struct Histogram {
  static constexpr std::size_t kBins = 60;
  double from, to;
  std::vector<double> first = std::vector<double>(kBins), second = std::vector<double>(kBins);

  void add(std::vector<double>& bins, const std::vector<double>& scores) const {
    for (const double score : scores) {
      const double place = (score - from) / (to - from) * kBins;
      bins[static_cast<std::size_t>(std::clamp(place, 0.0, kBins - 1.0))] += 1 / static_cast<double>(scores.size());
    }
  }
};

}  // namespace

std::string bounds_picture(const std::vector<MethodAudit>& audits) {
  double most = 0.1;
  for (const MethodAudit& each : audits) most = std::max({most, each.proved, each.game.epsilon});
  const double unit = (kWidth - kLabels - 100) / most;
  const double height = kTop + kRow * static_cast<double>(audits.size()) + 34;
  std::string svg = opening(height, "What attacks showed of epsilon (dark), and what is proved (light)");
  double y = kTop;
  for (const MethodAudit& each : audits) {
    svg += text(kLabels - 8, y + 14, each.name, "end");
    svg += bar(kLabels, y, unit * each.proved, kBar, "#c9d8ea");
    svg += bar(kLabels, y + 4, unit * each.game.epsilon, kBar - 8, each.passed() ? "#1f5a96" : "#b3261e");
    svg += text(kLabels + unit * std::max(each.proved, each.game.epsilon) + 6, y + 14,
                fmt::format("{:.2f} of {:.2f}", each.game.epsilon, each.proved));
    y += kRow;
  }
  return svg +
         text(12, height - 10, "Each dark bar is a lower bound at the stated confidence; red: above what is proved.") +
         "</svg>\n";
}

std::string roc_picture(const MethodAudit& audit) {
  constexpr double kLeast = 1e-4;
  LogPicture picture;
  picture.title = "Which table was it? " + audit.name;
  picture.across = {"said wrongly that the record is there", kLeast, 1};
  picture.up = {"said so rightly", kLeast, 1};
  LogLine seen{"attack", {}}, proved{"proved", {}, true};
  double last = 0;
  for (const RocPoint& point : roc(audit.game.with, audit.game.without)) {
    // Points closer than the eye can tell are left out.
    if (point.false_positives < kLeast || point.false_positives < last * 1.02) continue;
    last = point.false_positives;
    seen.points.emplace_back(point.false_positives, point.true_positives);
  }
  const double factor = std::exp(audit.proved);
  for (double rate = kLeast; rate < 1; rate *= 1.05) {
    proved.points.emplace_back(rate, std::min(factor * rate + audit.delta, 1 - (1 - audit.delta - rate) / factor));
  }
  picture.lines = {std::move(seen), std::move(proved), {"", {{kLeast, kLeast}, {1, 1}}, true}};
  return svg_of(picture);
}

std::string loss_picture(const MethodAudit& audit) {
  constexpr double kHeight = 320, kBottom = 268, kLeft = 40;
  double reach = audit.proved;
  for (const auto* scores : {&audit.game.with, &audit.game.without}) {
    for (const double score : *scores) reach = std::max(reach, std::fabs(score));
  }
  Histogram bins{.from = -1.05 * reach, .to = 1.05 * reach};
  bins.add(bins.first, audit.game.with);
  bins.add(bins.second, audit.game.without);
  const double top = std::max(*std::max_element(bins.first.begin(), bins.first.end()),
                              *std::max_element(bins.second.begin(), bins.second.end()));
  const double wide = (kWidth - 2 * kLeft) / Histogram::kBins;
  std::string svg =
      opening(kHeight, "Privacy loss of runs of " + audit.name + ", with the record (blue) and without it (orange)");
  for (std::size_t i = 0; i < Histogram::kBins; ++i) {
    const double x = kLeft + wide * static_cast<double>(i), scale = (kBottom - kTop) / top;
    svg += bar(x, kBottom - scale * bins.first[i], wide / 2 - 0.5, scale * bins.first[i], "#1f5a96");
    svg += bar(x + wide / 2, kBottom - scale * bins.second[i], wide / 2 - 0.5, scale * bins.second[i], "#d98324");
  }
  for (const double mark : {-audit.proved, 0.0, audit.proved}) {
    const double x = kLeft + (mark - bins.from) / (bins.to - bins.from) * (kWidth - 2 * kLeft);
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:g}\" y2=\"{2:g}\" stroke=\"#444\" "
        "stroke-dasharray=\"4 3\"/>\n",
        x, kTop, kBottom);
    svg += text(x, kBottom + 18, fmt::format("{:.2g}", mark), "middle");
  }
  return svg + text(12, kHeight - 10, "Dashed: plus and minus the proved epsilon.") + "</svg>\n";
}

}  // namespace dperm::audit
