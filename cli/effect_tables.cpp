// SPDX-License-Identifier: Apache-2.0
#include "cli/effect_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dperm/model/coefficients.hpp"
#include "dperm/model/curves.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kPointsPerLine = 10, kLineWidth = 110, kLongestLabel = 24, kWidestGrid = 12;

// One score's part of everything that is shown; several classes have one each.
struct Score {
  std::string label;  // empty where there is one score
  std::vector<model::Coefficient> coefficients;
  std::vector<model::Curve> curves;
  std::vector<model::Surface> surfaces;
};

std::vector<Score> scores_of(const model::Model& model, const schema::Encoding& encoding) {
  std::vector<Score> scores;
  const std::size_t dimension = encoding.dimension();
  for (std::size_t first = 0; first < model.weights.size(); first += dimension) {
    const auto weights = std::span(model.weights).subspan(first, dimension);
    const bool several = model.weights.size() > dimension;
    scores.push_back({several ? model.schema.target.values.at(first / dimension) : "",
                      model::coefficients(encoding, weights), model::curves(encoding, weights),
                      model::surfaces(encoding, weights)});
  }
  return scores;
}

// Weights that are shown as part of a curve or surface.
std::vector<bool> in_blocks(const schema::Encoding& encoding) {
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

// Shared by all effects, so that they can be compared: the power of ten of the largest one's third digit.
int last_digit(const std::vector<Score>& scores) {
  double largest = 0;
  const auto include = [&](const std::vector<double>& effects) {
    for (const double effect : effects) largest = std::max(largest, std::abs(effect));
  };
  for (const Score& score : scores) {
    for (const model::Curve& curve : score.curves) include(curve.effects);
    for (const model::Surface& surface : score.surfaces) include(surface.effects);
  }
  return largest > 0 ? std::max(static_cast<int>(std::floor(std::log10(largest))) - 2, -9) : -2;
}

std::string effect_text(double effect, int digit) {
  if (digit > 0) effect = std::round(effect / std::pow(10, digit)) * std::pow(10, digit);
  const std::string text = fmt::format("{:+.{}f}", effect, std::max(-digit, 0));
  return text.find_first_not_of("+-0.") == std::string::npos ? text.substr(1) : text;
}

std::vector<std::string> axis_texts(const model::EffectAxis& axis) {
  if (axis.labels.empty()) return axis.date ? report::date_texts(axis.values) : report::number_texts(axis.values);
  std::vector<std::string> texts;
  for (const std::string& label : axis.labels) texts.push_back(report::shortened(label, kLongestLabel));
  return texts;
}

std::vector<std::string> point_texts(const model::Curve& curve) {
  std::vector<std::string> texts = axis_texts(curve.along);
  if (curve.kind != model::CurveKind::steps) return texts;
  for (std::size_t j = 0; j + 1 < texts.size(); ++j) texts[j] += ".." + texts[j + 1];
  texts.pop_back();
  return texts;
}

// Rows of cells under each other, in as many groups of lines as they need; `names` stand before the rows.
std::string aligned(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& rows,
                    std::size_t name_width) {
  std::string text;
  for (std::size_t from = 0; from < rows[0].size();) {
    std::vector<std::string> lines;
    for (const std::string& name : names) lines.push_back(fmt::format("{:<{}}", from == 0 ? name : "", name_width));
    std::size_t to = from, used = name_width;
    for (; to < rows[0].size() && to - from < kPointsPerLine; ++to) {
      std::size_t width = 0;
      for (const auto& row : rows) width = std::max(width, row[to].size() + 2);
      if (to > from && used + width > kLineWidth) break;
      used += width;
      for (std::size_t i = 0; i < rows.size(); ++i) lines[i] += fmt::format("{:>{}}", rows[i][to], width);
    }
    for (const std::string& line : lines) text += line + "\n";
    from = to;
  }
  return text;
}

std::vector<std::string> effect_texts(std::span<const double> effects, int digit) {
  std::vector<std::string> texts;
  for (const double effect : effects) texts.push_back(effect_text(effect, digit));
  return texts;
}

std::string curve_blocks(const std::vector<Score>& scores, int digit, std::size_t width) {
  std::string text;
  for (std::size_t c = 0; c < scores[0].curves.size(); ++c) {
    std::vector<std::string> names = {scores[0].curves[c].along.name};
    std::vector<std::vector<std::string>> rows = {point_texts(scores[0].curves[c])};
    for (const Score& score : scores) {
      names.push_back("  " + report::shortened(score.label, kLongestLabel));
      rows.push_back(effect_texts(score.curves[c].effects, digit));
    }
    text += aligned(names, rows, width);
  }
  return text;
}

std::string surface_block(const model::Surface& surface, int digit, std::size_t width) {
  const std::vector<std::string> first = axis_texts(surface.first), second = axis_texts(surface.second);
  const auto [low, high] = std::minmax_element(surface.effects.begin(), surface.effects.end());
  std::string text = fmt::format("{} (down) * {} (across){}\n", surface.first.name, surface.second.name,
                                 surface.label.empty() ? "" : ", " + surface.label);
  if (second.size() > kWidestGrid || first.size() > 2 * kWidestGrid) {
    return text + fmt::format("  {} effects from {} to {}; they are in the model file\n", surface.effects.size(),
                              effect_text(*low, digit), effect_text(*high, digit));
  }
  std::size_t cell = 0;
  for (const std::string& each : second) cell = std::max(cell, each.size() + 2);
  for (const double effect : {*low, *high}) cell = std::max(cell, effect_text(effect, digit).size() + 2);
  const auto line = [&](const std::string& name, const std::vector<std::string>& cells) {
    text += fmt::format("{:>{}}", name, width);
    for (const std::string& each : cells) text += fmt::format("{:>{}}", each, cell);
    text += "\n";
  };
  line("", second);
  for (std::size_t i = 0; i < first.size(); ++i) {
    line(first[i], effect_texts(std::span(surface.effects).subspan(i * second.size(), second.size()), digit));
  }
  return text;
}

std::string blocks(const std::vector<Score>& scores) {
  if (scores[0].curves.empty() && scores[0].surfaces.empty()) return "";
  std::size_t width = 12;
  for (const model::Curve& curve : scores[0].curves) width = std::max(width, curve.along.name.size());
  for (const Score& score : scores) width = std::max(width, report::shortened(score.label, kLongestLabel).size() + 2);
  const int digit = last_digit(scores);
  std::string text = "\nat these values, with their effects\n" + curve_blocks(scores, digit, width);
  for (const Score& score : scores) {
    for (model::Surface surface : score.surfaces) {
      surface.label = score.label;
      text += surface_block(surface, digit, width);
    }
  }
  return text + "\n";
}

// Of a model with one score whose noise is known; otherwise empty.
std::vector<double> noise_of(const model::Model& model, const schema::Encoding& encoding) {
  if (model.weight_noise.size() != encoding.dimension()) return {};
  return model::coefficient_noise(encoding, model.weight_noise);
}

// ", +0.12 against 'north'": what the value says beside the first one of its column.
std::string against_text(const std::vector<Score>& scores, const model::Coefficient& coefficient) {
  if (scores.size() > 1 || coefficient.reference.empty()) return "";
  if (coefficient.name.ends_with("=" + coefficient.reference)) return ", reference";
  return fmt::format(", {:+.3g} against {}", coefficient.against,
                     report::shortened(coefficient.reference, kLongestLabel));
}

}  // namespace

std::string effects_table(const model::Model& model) {
  const schema::Encoding encoding(model.schema);
  const std::vector<Score> scores = scores_of(model, encoding);
  const std::vector<bool> elsewhere = in_blocks(encoding);
  std::size_t width = std::string_view("coefficient").size();
  for (std::size_t j = 0; j < elsewhere.size(); ++j) {
    if (!elsewhere[j]) width = std::max(width, scores[0].coefficients[j].name.size());
  }
  std::string text = fmt::format("{:<{}}", "coefficient", width);
  for (const Score& score : scores) text += fmt::format("  {:>12}", score.label.empty() ? "value" : score.label);
  const std::vector<double> noise = noise_of(model, encoding);
  if (!noise.empty()) text += fmt::format("  {:>12}", "noise (1 sd)");
  text += "  per\n";
  for (std::size_t j = 0; j < elsewhere.size(); ++j) {
    if (elsewhere[j]) continue;
    text += fmt::format("{:<{}}", scores[0].coefficients[j].name, width);
    for (const Score& score : scores) text += fmt::format("  {:>12.6g}", score.coefficients[j].original);
    if (!noise.empty()) text += fmt::format("  {:>12.2g}", noise[j]);
    text += fmt::format("  {}{}\n", scores[0].coefficients[j].per, against_text(scores, scores[0].coefficients[j]));
  }
  return text + blocks(scores);
}

}  // namespace dperm::cli
