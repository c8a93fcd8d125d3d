// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "dperm/model/coefficients.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/effects_picture.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

constexpr std::size_t kShownCoefficients = 14, kMostCoefficients = 200, kMostPanels = 24, kMostClasses = 8;
constexpr double kPanelLeft = 42, kPanelTop = 24, kPanelRight = 8, kBelowBars = 78, kBelowNumbers = 34;
constexpr double kTwoSided = 1.96;  // normal noise stays within this many standard deviations 95% of the time

// One coefficient that is no part of a curve, with what the whole range of its column adds to each score.
struct Line {
  std::string name, under;  // and its coefficient in words
  std::vector<double> values, swings;
  double noise = 0;  // of the swing, one standard deviation; 0: not known
  double size() const {
    double largest = 0;
    for (const double each : swings) largest = std::max(largest, std::abs(each));
    return largest;
  }
};

// Weights that are part of a curve, of steps or of a surface.
std::vector<bool> in_curves(const schema::Encoding& encoding) {
  std::vector<bool> result(encoding.dimension(), false);
  for (const schema::RealCode& real : encoding.reals()) {
    if (real.pieces == 0 && !encoding.schema().columns[real.column].ordered) continue;
    if (!real.steps) result[real.weight] = true;
    for (std::size_t j = 0; j < real.knot_count(); ++j) result[real.first_knot + j] = true;
  }
  for (const schema::PairCode& pair : encoding.pairs()) {
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(pair.first_knot), result.end(), true);
  }
  return result;
}

// How far a column's value can move, in the unit of its coefficient; 1 for what is so or not.
std::vector<double> ranges(const schema::Encoding& encoding) {
  std::vector<double> result(encoding.dimension(), 1);
  for (std::size_t i = 0; i < encoding.reals().size(); ++i) {
    const schema::RealCode& real = encoding.reals()[i];
    if (real.weight != schema::kNoWeight) result[real.weight] = (real.from_zero ? 1 : 2) * encoding.real_half_width(i);
  }
  return result;
}

std::vector<Line> lines_of(const model::Model& model, const schema::Encoding& encoding) {
  const std::vector<bool> elsewhere = in_curves(encoding);
  const std::vector<double> range = ranges(encoding);
  const std::size_t dimension = encoding.dimension();
  std::vector<Line> lines(dimension);
  for (std::size_t first = 0; first < model.weights.size(); first += dimension) {
    const auto coefficients = model::coefficients(encoding, std::span(model.weights).subspan(first, dimension));
    for (std::size_t j = 0; j < dimension; ++j) {
      lines[j].name = coefficients[j].name;
      if (j == 0) lines[j].under = coefficients[j].per;
      // Of what is so or not, the effect says it all.
      else if (model.weights.size() == dimension && coefficients[j].per != "if so") {
        lines[j].under = fmt::format("{} per {}", digits(coefficients[j].original, 4), coefficients[j].per);
      }
      lines[j].values.push_back(coefficients[j].original);
      lines[j].swings.push_back(coefficients[j].original * range[j]);
    }
  }
  if (model.weight_noise.size() == dimension) {
    const std::vector<double> noise = model::coefficient_noise(encoding, model.weight_noise);
    for (std::size_t j = 0; j < dimension; ++j) lines[j].noise = noise[j] * range[j];
  }
  std::vector<Line> shown;
  for (std::size_t j = 1; j < dimension; ++j) {  // 0 is the intercept
    if (!elsewhere[j]) shown.push_back(lines[j]);
  }
  std::stable_sort(shown.begin(), shown.end(), [](const Line& a, const Line& b) { return a.size() > b.size(); });
  shown.insert(shown.begin(), lines[0]);
  return shown;
}

Html line_table(const Facts& facts, std::span<const Line> lines, double low, double high) {
  const bool several = facts.form == methods::ModelForm::multiclass;
  const bool noise = !several && !lines.empty() && lines[0].noise > 0;
  std::vector<TableColumn> columns = {{"Column"}};
  if (several) {
    for (std::size_t k = 0; k < std::min(kMostClasses, lines[0].swings.size()); ++k) {
      columns.push_back({facts.model.schema.target.values.at(k), true});
    }
    columns.push_back({""});
  } else {
    columns.insert(columns.end(), {{"Effect over its range", true}, {""}});
    if (noise) columns.push_back({"Noise, 95%", true});
  }
  std::vector<std::vector<Html>> rows;
  for (const Line& line : lines) {
    std::vector<Html> row = {Html(line.name) + element("span", {{"class", "under"}}, line.under)};
    if (several) {
      for (std::size_t k = 0; k + 2 < columns.size(); ++k) row.emplace_back(fmt::format("{:+.3g}", line.swings[k]));
      row.push_back(dots_cell(line.swings, low, high));
    } else {
      row.emplace_back(fmt::format("{:+.3g}", line.swings[0]));
      row.push_back(bar_cell(line.swings[0], kTwoSided * line.noise, low, high));
      if (noise) row.emplace_back("\u00b1 " + digits(kTwoSided * line.noise, 2));
    }
    rows.push_back(std::move(row));
  }
  return table("Coefficients", columns, rows);
}

Html coefficient_tables(const Facts& facts, const schema::Encoding& encoding, const Place& place) {
  const std::vector<Line> lines = lines_of(facts.model, encoding);
  if (lines.size() == 1)
    return paragraph("Beside these curves there is an intercept of " + digits(lines[0].values[0], 4) + ".");
  double low = 0, high = 0;
  for (const Line& line : lines) {
    for (const double each : line.swings) {
      low = std::min(low, each - kTwoSided * line.noise);
      high = std::max(high, each + kTwoSided * line.noise);
    }
  }
  if (!(high > low)) high = low + 1;
  const std::size_t shown = std::min(lines.size(), kShownCoefficients),
                    most = std::min(lines.size(), kMostCoefficients);
  Html content = heading(place.level + 1, "Columns with one effect, largest first");
  content +=
      paragraph("What a column adds to the score as it goes from its lower to its upper bound, or where it is so.");
  content += line_table(facts, std::span(lines).first(shown), low, high);
  if (most > shown) {
    content += details(fmt::format("{} smaller coefficients", most - shown),
                       line_table(facts, std::span(lines).subspan(shown, most - shown), low, high));
  }
  if (lines.size() > most)
    content += small(fmt::format("{} still smaller ones are in the model file.", lines.size() - most));
  return content;
}

std::string panel_name(const EffectPanel& panel) {
  return panel.surface ? panel.surface->first.name + " and " + panel.surface->second.name : panel.curves[0].along.name;
}

std::vector<std::string> places_of(const model::Curve& curve) {
  if (!curve.along.labels.empty()) return curve.along.labels;
  std::vector<std::string> texts = curve.along.date ? date_texts(curve.along.values) : number_texts(curve.along.values);
  if (curve.kind != model::CurveKind::steps) return texts;
  for (std::size_t j = 0; j + 1 < texts.size(); ++j) texts[j] += " to " + texts[j + 1];
  texts.pop_back();
  return texts;
}

// In words, for those who do not see the picture.
std::string panel_description(const EffectPanel& panel) {
  if (panel.surface) {
    return fmt::format("A map of effects between {:+.3g} and {:+.3g}, beside those of each column.", panel.lowest(),
                       panel.highest());
  }
  std::string text;
  for (const model::Curve& curve : panel.curves) {
    const auto [low, high] = std::minmax_element(curve.effects.begin(), curve.effects.end());
    const std::vector<std::string> places = places_of(curve);
    text +=
        fmt::format("{}lowest {:+.3g} at {}, highest {:+.3g} at {}. ", curve.label.empty() ? "" : curve.label + ": ",
                    *low, places[static_cast<std::size_t>(low - curve.effects.begin())], *high,
                    places[static_cast<std::size_t>(high - curve.effects.begin())]);
  }
  return text;
}

Html panel_picture(const EffectPanel& panel, const EffectScale& scale) {
  const double height = kPanelTop + kPanelHeight + (panel.has_bars() ? kBelowBars : kBelowNumbers);
  return figure_of(drawn(panel, scale, {kPanelLeft, kPanelTop, !panel.surface}), kPanelLeft + kPanelWidth + kPanelRight,
                   height, "Effect of " + panel_name(panel), panel_description(panel), {}, false);
}

Html curve_numbers(const Facts& facts, const EffectPanel& panel) {
  std::vector<TableColumn> columns = {{panel.curves[0].along.name}};
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    columns.push_back(
        {panel.curves.size() == 1 ? std::string("Effect") : facts.model.schema.target.values.at(k), true});
  }
  const std::vector<std::string> places = places_of(panel.curves[0]);
  std::vector<std::vector<Html>> rows;
  for (std::size_t j = 0; j < places.size(); ++j) {
    std::vector<Html> row = {places[j]};
    for (const model::Curve& curve : panel.curves) row.emplace_back(fmt::format("{:+.3g}", curve.effects[j]));
    rows.push_back(std::move(row));
  }
  return table("Effects of " + panel_name(panel), columns, rows);
}

Html key(const Facts& facts) {
  if (facts.form != methods::ModelForm::multiclass) return {};
  Html items;
  const auto& classes = facts.model.schema.target.values;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    items +=
        element("li", Html::markup(fmt::format("<svg aria-hidden=\"true\" viewBox=\"0 0 12 12\"><rect class=\"f{}\" "
                                               "width=\"12\" height=\"12\"/></svg>",
                                               k % kEffectColours)) +
                          classes[k]);
  }
  return element("ul", {{"class", "key"}, {"aria-label", "Colours of the classes"}}, items);
}

}  // namespace

Html effects(const Facts& facts, const Place& place) {
  const schema::Encoding encoding(facts.model.schema);
  std::vector<EffectPanel> panels;
  for (EffectPanel& each : effect_panels(facts.model)) {
    // What is so or not needs no picture of its own: the table of coefficients has it.
    const bool plain = each.has_bars() && each.by_size && each.curves[0].effects.size() < 3;
    if (!plain) panels.push_back(std::move(each));
  }
  const char* noise =
      "Noise for privacy is part of every one of them; bars show how far it may have moved a coefficient.";
  if (facts.model.weight_noise.empty()) {
    noise =
        "Noise for privacy is part of every one of them, by how much is not known exactly: small wiggles mean nothing.";
  }
  if (facts.is_unprotected()) noise = "There is no noise in them.";
  Html content = paragraph(Html("Effects are on ") + effect_target(facts) + ". " + noise);
  if (loss::info(facts.model.plan.task.problem.loss.kind).link == loss::Link::log_odds) {
    content += paragraph("On this scale +1 turns a chance of 50% into 73%, +0.1 into 52.5%, and -1 into 27%.");
  }
  content += key(facts);
  if (!panels.empty()) {
    const EffectScale scale(panels);
    Html pictures, numbers;
    for (std::size_t i = 0; i < std::min(panels.size(), kMostPanels); ++i) {
      pictures += panel_picture(panels[i], scale);
      if (!panels[i].surface) numbers += curve_numbers(facts, panels[i]);
    }
    content += element("div", {{"class", "panels"}}, pictures);
    if (panels.size() > kMostPanels)
      content += small(fmt::format("{} smaller ones are in the model file.", panels.size() - kMostPanels));
    content += details("The numbers in these pictures", numbers);
  }
  return content + coefficient_tables(facts, encoding, place);
}

}  // namespace dperm::report
