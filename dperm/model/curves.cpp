// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/curves.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::model {

namespace {

// What turns weights into effects on the score that people read.
double unit_of_effects(const schema::Encoding& encoding) {
  return schema::target_units(encoding.schema().target).half_width / std::sqrt(static_cast<double>(encoding.columns()));
}

const schema::Column& column_of(const schema::Encoding& encoding, std::size_t real) {
  return encoding.schema().columns[encoding.reals()[real].column];
}

// The numbers where pieces begin and end, or all labels of a category in order.
EffectAxis axis_of(const schema::Encoding& encoding, std::size_t real, std::uint32_t pieces) {
  const schema::Column& column = column_of(encoding, real);
  if (column.ordered) return {column.name, {}, column.values, false, false};
  return {column.name,
          encoding.piece_ends(real, pieces),
          {},
          column.scale == schema::Scale::log,
          column.kind == schema::ColumnKind::date};
}

double linear_term(const schema::RealCode& real, std::span<const double> weights, double u) {
  return real.steps ? 0 : weights[real.weight] * u;
}

// As the engine computes it, from the integer that a cell is encoded to.
double effect_of_cell(const schema::RealCode& real, std::span<const double> weights, std::int32_t q) {
  const double linear = linear_term(real, weights, q / static_cast<double>(schema::kRealOne));
  if (real.pieces == 0) return linear;
  const auto [piece, fraction] = schema::curve_point(q, real.pieces, real.steps, real.from_zero);
  const double* knot = &weights[real.first_knot + piece];
  if (real.steps) return knot[0];
  const double share = fraction / static_cast<double>(schema::kRealOne);
  return linear + (1 - share) * knot[0] + share * knot[1];
}

Curve ordered_curve(const schema::Encoding& encoding, std::size_t r, std::span<const double> weights) {
  const schema::RealCode& real = encoding.reals()[r];
  Curve curve{axis_of(encoding, r, real.pieces), CurveKind::labels, {}};
  // A linear column's coefficient counts places from the first value on, and so does its effect.
  const double first = real.pieces == 0 ? -encoding.real_center(r) / encoding.real_half_width(r) : 0;
  for (const std::string& label : curve.along.labels) {
    const double effect = effect_of_cell(real, weights, encoding.encode_ordered(r, label, false));
    curve.effects.push_back(effect - linear_term(real, weights, first));
  }
  return curve;
}

Curve number_curve(const schema::Encoding& encoding, std::size_t r, std::span<const double> weights) {
  const schema::RealCode& real = encoding.reals()[r];
  Curve curve{axis_of(encoding, r, real.pieces), real.steps ? CurveKind::steps : CurveKind::lines, {}};
  for (std::size_t j = 0; j < real.knot_count(); ++j) {
    const double share = static_cast<double>(j) / real.pieces;
    const double u = real.from_zero ? share : 2 * share - 1;
    curve.effects.push_back(linear_term(real, weights, u) + weights[real.first_knot + j]);
  }
  return curve;
}

// Where on a surface's own grid an axis has its values: a knot and how far towards the next.
std::vector<schema::CurvePoint> places_on(const schema::Encoding& encoding, std::size_t real, std::uint32_t pieces) {
  std::vector<schema::CurvePoint> places;
  const schema::Column& column = column_of(encoding, real);
  for (const std::string& label : column.values) {
    places.push_back(schema::curve_point(encoding.encode_ordered(real, label, false), pieces, false, false));
  }
  if (column.ordered) return places;
  for (std::uint32_t j = 0; j <= pieces; ++j) places.push_back({j, 0});
  return places;
}

double effect_on_grid(const schema::PairCode& pair, std::span<const double> weights, const schema::CurvePoint& first,
                      const schema::CurvePoint& second) {
  const std::size_t across = pair.pieces + 1;
  const std::size_t at = pair.first_knot + first.piece * across + second.piece;
  const auto values = schema::pair_values(first.fraction, second.fraction);
  const std::size_t knots[] = {at, at + 1, at + across, at + across + 1};
  double sum = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] > 0) sum += values[j] / static_cast<double>(schema::kRealOne) * weights[knots[j]];
  }
  return sum;
}

// Between which of an axis's points a value lies, and how far from the lower one to the upper.
struct Between {
  std::size_t below;
  double share;
};
Between place_of(const EffectAxis& axis, double value) {
  std::vector<double> points;
  for (std::size_t j = 0; j < axis.labels.size(); ++j) points.push_back(static_cast<double>(j));
  if (axis.labels.empty()) points = axis.values;
  if (points.size() < 2) return {0, 0};
  value = std::clamp(value, points.front(), points.back());
  const auto above = std::upper_bound(points.begin() + 1, points.end() - 1, value);
  const auto scaled = [&](double x) { return axis.log ? std::log1p(x - points.front()) : x; };
  const double low = scaled(above[-1]), high = scaled(*above);
  return {static_cast<std::size_t>(above - points.begin()) - 1, high > low ? (scaled(value) - low) / (high - low) : 0};
}

}  // namespace

std::vector<Curve> curves(const schema::Encoding& encoding, std::span<const double> weights) {
  require(weights.size() == encoding.dimension(), "the model has another number of weights than its schema");
  std::vector<Curve> result;
  for (std::size_t r = 0; r < encoding.reals().size(); ++r) {
    const bool ordered = column_of(encoding, r).ordered;
    if (!ordered && encoding.reals()[r].pieces == 0) continue;
    result.push_back(ordered ? ordered_curve(encoding, r, weights) : number_curve(encoding, r, weights));
    for (double& effect : result.back().effects) effect *= unit_of_effects(encoding);
  }
  return result;
}

std::vector<Surface> surfaces(const schema::Encoding& encoding, std::span<const double> weights) {
  require(weights.size() == encoding.dimension(), "the model has another number of weights than its schema");
  std::vector<Surface> result;
  for (const schema::PairCode& pair : encoding.pairs()) {
    Surface surface{axis_of(encoding, pair.first, pair.pieces), axis_of(encoding, pair.second, pair.pieces), {}};
    for (const schema::CurvePoint& first : places_on(encoding, pair.first, pair.pieces)) {
      for (const schema::CurvePoint& second : places_on(encoding, pair.second, pair.pieces)) {
        surface.effects.push_back(unit_of_effects(encoding) * effect_on_grid(pair, weights, first, second));
      }
    }
    result.push_back(std::move(surface));
  }
  return result;
}

std::vector<Curve> category_effects(const schema::Encoding& encoding, std::span<const double> weights) {
  require(weights.size() == encoding.dimension(), "the model has another number of weights than its schema");
  const std::vector<std::string> names = encoding.weight_names();
  std::vector<Curve> result;
  for (const schema::CategoryCode& category : encoding.categories()) {
    const std::string& column = encoding.schema().columns[category.column].name;
    Curve curve{{column, {}, {}, false}, CurveKind::labels, {}};
    for (std::size_t j = category.first_weight; j < category.first_weight + category.levels; ++j) {
      curve.along.labels.push_back(names[j].substr(column.size() + 1));  // "column=level"
      curve.effects.push_back(unit_of_effects(encoding) * weights[j]);
    }
    result.push_back(std::move(curve));
  }
  return result;
}

double effect_at(const Curve& curve, double value) {
  const auto [below, share] = place_of(curve.along, value);
  if (curve.kind == CurveKind::steps || curve.effects.size() == 1) return curve.effects.at(below);
  return (1 - share) * curve.effects[below] + share * curve.effects[below + 1];
}

double effect_at(const Surface& surface, double first, double second) {
  const auto [a, s] = place_of(surface.first, first);
  const auto [b, t] = place_of(surface.second, second);
  const std::size_t across = std::max(surface.second.values.size(), surface.second.labels.size());
  const auto effect = [&](std::size_t i, std::size_t j) {
    const std::size_t at = i * across + j;
    return at < surface.effects.size() && j < across ? surface.effects[at] : 0;  // beyond the last, with share 0
  };
  return (1 - s) * ((1 - t) * effect(a, b) + t * effect(a, b + 1)) +
         s * ((1 - t) * effect(a + 1, b) + t * effect(a + 1, b + 1));
}

}  // namespace dperm::model
