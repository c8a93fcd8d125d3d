// SPDX-License-Identifier: Apache-2.0
#include "cli/effect_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "dperm/model/coefficients.hpp"
#include "dperm/model/curves.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kLongestLabel = 22, kLongestName = 24;

// What a column does over the values that the schema admits: from the lowest effect to the highest.
struct ColumnEffect {
  std::string name;
  double lowest, highest;
  std::string at_lowest, at_highest;  // empty: a boolean, which has one effect
  std::string slope = {};             // of a number with one coefficient
  bool linear = false;                // such a number
  std::string label = {};             // the class, of several
  double spread() const { return at_lowest.empty() ? std::abs(highest) : highest - lowest; }
};

std::string label_of(const model::EffectAxis& axis, std::size_t j, bool steps) {
  if (!axis.labels.empty()) return report::shortened(axis.labels[j], kLongestLabel);
  const auto texts = axis.date ? report::date_texts(axis.values) : report::number_texts(axis.values);
  return steps ? texts[j] + ".." + texts[j + 1] : texts[j];
}

ColumnEffect of_curve(const model::Curve& curve) {
  if (curve.effects.size() == 1) return {curve.along.name, curve.effects[0], curve.effects[0], "", ""};
  const auto [low, high] = std::minmax_element(curve.effects.begin(), curve.effects.end());
  const bool steps = curve.kind == model::CurveKind::steps;
  const auto label = [&](auto place) {
    return label_of(curve.along, static_cast<std::size_t>(place - curve.effects.begin()), steps);
  };
  return {curve.along.name, *low, *high, label(low), label(high)};
}

ColumnEffect of_surface(const model::Surface& surface) {
  const auto [low, high] = std::minmax_element(surface.effects.begin(), surface.effects.end());
  const std::size_t across = surface.effects.size() / surface.first.values.size();
  const auto label = [&](auto place) {
    const auto at = static_cast<std::size_t>(place - surface.effects.begin());
    return fmt::format("{}, {}", label_of(surface.first, at / across, false),
                       label_of(surface.second, at % across, false));
  };
  return {surface.first.name + " * " + surface.second.name, *low, *high, label(low), label(high)};
}

// A number with one coefficient: its effect at the bounds, from zero at the lower one.
ColumnEffect of_slope(const schema::Column& column, const model::Coefficient& coefficient) {
  const double width =
      column.scale == schema::Scale::log ? std::log1p(column.upper - column.lower) : column.upper - column.lower;
  const double change = coefficient.original * width;
  const auto ends = column.kind == schema::ColumnKind::date ? report::date_texts({column.lower, column.upper})
                                                            : report::number_texts({column.lower, column.upper});
  const std::string slope =
      column.scale == schema::Scale::log ? "" : fmt::format(" ({:+.3g} per {})", coefficient.original, coefficient.per);
  return change < 0 ? ColumnEffect{column.name, change, 0, ends[1], ends[0], slope, true}
                    : ColumnEffect{column.name, 0, change, ends[0], ends[1], slope, true};
}

std::vector<ColumnEffect> effects_of(const schema::Encoding& encoding, std::span<const double> weights) {
  std::vector<ColumnEffect> result;
  for (const model::Curve& each : model::curves(encoding, weights)) result.push_back(of_curve(each));
  for (const model::Curve& each : model::category_effects(encoding, weights)) result.push_back(of_curve(each));
  for (const model::Surface& each : model::surfaces(encoding, weights)) result.push_back(of_surface(each));
  const std::vector<model::Coefficient> coefficients = model::coefficients(encoding, weights);
  for (const schema::RealCode& real : encoding.reals()) {
    const schema::Column& column = encoding.schema().columns[real.column];
    if (real.pieces == 0 && !column.ordered) result.push_back(of_slope(column, coefficients[real.weight]));
  }
  return result;
}

// All effects with the same number of decimals: three digits of the largest.
class EffectText {
 public:
  explicit EffectText(const std::vector<ColumnEffect>& effects) {
    double largest = 0;
    for (const ColumnEffect& each : effects) {
      largest = std::max({largest, std::abs(each.lowest), std::abs(each.highest)});
    }
    if (largest > 0) decimals_ = std::clamp(2 - static_cast<int>(std::floor(std::log10(largest))), 0, 9);
  }
  std::string operator()(double effect) const {
    const std::string text = fmt::format("{:+.{}f}", effect, decimals_);
    return text.find_first_not_of("+-0.") == std::string::npos ? "0" : text;
  }

 private:
  int decimals_ = 2;
};

std::string line_of(const ColumnEffect& effect, const EffectText& text, std::size_t width) {
  const std::string name = fmt::format("{:<{}}", report::shortened(effect.name, kLongestName), width);
  const std::string label =
      effect.label.empty() ? "" : fmt::format("  ({})", report::shortened(effect.label, kLongestLabel));
  if (effect.at_lowest.empty()) return fmt::format("{}  {} if so{}", name, text(effect.highest), label);
  if (effect.linear) {
    const bool falls = effect.lowest < 0;
    return fmt::format("{}  {} from {} to {}{}{}", name, text(falls ? effect.lowest : effect.highest),
                       falls ? effect.at_highest : effect.at_lowest, falls ? effect.at_lowest : effect.at_highest,
                       effect.slope, label);
  }
  return fmt::format("{}  {} at {}, {} at {}{}", name, text(effect.lowest), effect.at_lowest, text(effect.highest),
                     effect.at_highest, label);
}

}  // namespace

std::vector<std::string> effect_lines(const model::Model& model, std::size_t most) {
  const methods::ModelForm form = methods::model_form(model.plan.task.problem);
  if (form != methods::ModelForm::linear && form != methods::ModelForm::multiclass) return {};
  const schema::Encoding encoding(model.schema);
  std::vector<ColumnEffect> effects;
  for (std::size_t first = 0; first < model.weights.size(); first += encoding.dimension()) {
    const auto weights = std::span(model.weights).subspan(first, encoding.dimension());
    for (ColumnEffect& each : effects_of(encoding, weights)) {
      if (form == methods::ModelForm::multiclass) {
        each.label = model.schema.target.values.at(first / encoding.dimension());
      }
      effects.push_back(std::move(each));
    }
  }
  std::ranges::stable_sort(effects, std::greater<>(), &ColumnEffect::spread);
  const std::size_t all = effects.size(), shown = all <= most ? all : most - 1;
  const EffectText text(effects);
  effects.resize(shown);
  std::size_t width = 0;
  for (const ColumnEffect& each : effects) {
    width = std::max(width, report::shortened(each.name, kLongestName).size());
  }
  std::vector<std::string> lines;
  for (const ColumnEffect& each : effects) lines.push_back(line_of(each, text, width));
  if (shown < all) lines.push_back(fmt::format("and {} smaller effects (--details)", all - shown));
  return lines;
}

}  // namespace dperm::cli
