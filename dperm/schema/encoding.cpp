// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::schema {

namespace {

// [proof schema_encoding.fixed_point]
// The integer nearest to one * (value - center) / half, never outside [-one, one]. NaN gives 0.
std::int32_t fixed_point(double value, double center, double half, std::int32_t one) {
  const double scaled = (value - center) / half * one;
  if (!(scaled > -one)) return std::isnan(scaled) ? 0 : -one;
  if (!(scaled < one)) return one;
  return std::clamp(static_cast<std::int32_t>(std::lround(scaled)), -one, one);
}
// [/proof]

// Where an encoded feature is 0, and how far from there it is 1.
struct RealUnit {
  double center, half;
};

// With knots that were given, and for categories in order, the unit is a piece or a place in the list.
RealUnit real_unit(const Column& column) {
  if (column.ordered) {
    const double half = (static_cast<double>(column.values.size()) - 1) / 2;
    return {half, std::fmax(half, 0.5)};
  }
  if (!column.knots.empty()) {
    const double pieces = static_cast<double>(column.knots.size()) + 1;
    return column.zero == Zero::lower ? RealUnit{0, pieces} : RealUnit{pieces / 2, pieces / 2};
  }
  const bool log = column.scale == Scale::log;
  if (column.zero == Zero::lower) {
    return log ? RealUnit{0, std::log1p(column.upper - column.lower)}
               : RealUnit{column.lower, column.upper - column.lower};
  }
  if (!log) return {column.lower / 2 + column.upper / 2, column.upper / 2 - column.lower / 2};
  const double half = std::log1p(column.upper - column.lower) / 2;
  return {half, half};
}

double scaled(const Column& column, double value) {
  return column.scale == Scale::log ? std::log1p(value - column.lower) : value;
}

std::vector<double> scaled_knots(const Column& column) {
  if (column.knots.empty()) return {};
  std::vector<double> result = {scaled(column, column.lower)};
  for (const double knot : column.knots) result.push_back(scaled(column, knot));
  result.push_back(scaled(column, column.upper));
  return result;
}

// How many pieces lie below a value: knots stand evenly in it.
double pieces_below(const std::vector<double>& knots, double value) {
  const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, value);
  const auto below = above - 1;
  const double within = *above > *below ? (value - *below) / (*above - *below) : 0;
  return static_cast<double>(below - knots.begin()) + within;
}

}  // namespace

Encoding::Encoding(Schema schema) : schema_(std::move(schema)) {
  validate(schema_);
  for (std::size_t c = 0; c < schema_.columns.size(); ++c) {
    const Column& column = schema_.columns[c];
    if (enters_as_number(column)) {
      const std::uint32_t pieces = piece_count(column);
      const bool steps = pieces > 0 && column.shape == ColumnShape::steps;
      reals_.push_back({c, steps ? kNoWeight : dimension_, pieces, steps, column.zero == Zero::lower,
                        steps ? dimension_ : dimension_ + 1});
      const auto [center, half] = real_unit(column);
      real_centers_.push_back(center);
      real_half_widths_.push_back(half);
      scaled_knots_.push_back(scaled_knots(column));
      ordered_codes_.push_back(ValueCodes(column.values, column.compare));
    } else {
      categories_.push_back({c, static_cast<std::uint32_t>(weight_count(column)), dimension_});
      codes_.push_back(ValueCodes(column.values, column.compare));
    }
    dimension_ += weight_count(column);
    columns_ += block_count(column);
  }
  add_pairs();
  const Target& target = schema_.target;
  target_codes_ = ValueCodes(target.kind == TargetKind::binary ? target.positive : target.values, target.compare, true);
}

void Encoding::add_pairs() {
  if (schema_.pairs.empty()) return;
  std::unordered_map<std::string_view, std::size_t> real_named;
  for (std::size_t r = 0; r < reals_.size(); ++r) real_named.emplace(schema_.columns[reals_[r].column].name, r);
  for (std::size_t p = 0; p < schema_.pairs.size(); ++p) {
    const ColumnPair& pair = schema_.pairs[p];
    if (pair.pieces == 0) continue;  // not chosen yet
    pairs_.push_back({p, real_named.at(pair.first), real_named.at(pair.second), pair.pieces, dimension_});
    dimension_ += weight_count(pair);
    ++columns_;
  }
}

bool Encoding::has_knots() const {
  return !pairs_.empty() ||
         std::any_of(reals_.begin(), reals_.end(), [](const RealCode& real) { return real.pieces > 0; });
}

double Encoding::typical_square() const {
  // A number u in [-1, 1] has mean square 1/3, two shares that add up to 1 have 2/3, and four of a pair the square.
  double sum = 1 + static_cast<double>(categories_.size()) + 4.0 / 9 * static_cast<double>(pairs_.size());
  for (const RealCode& real : reals_) sum += real.steps ? 1 : real.pieces > 0 ? 1.0 / 3 + 2.0 / 3 : 1.0 / 3;
  return sum;
}

std::vector<double> Encoding::piece_ends(std::size_t real_index, std::uint32_t pieces) const {
  const Column& column = schema_.columns[reals_[real_index].column];
  std::vector<double> ends;
  for (std::uint32_t j = 0; j <= pieces; ++j) {
    const double share = static_cast<double>(j) / pieces;
    double value = 0;
    if (column.ordered) {
      value = share * (static_cast<double>(column.values.size()) - 1);
    } else {
      const std::vector<double>& knots = scaled_knots_[real_index];
      const double first = scaled(column, column.lower), last = scaled(column, column.upper);
      double at = first + share * (last - first);
      if (!knots.empty()) {
        const double place = share * static_cast<double>(knots.size() - 1);
        const auto below = std::min(static_cast<std::size_t>(place), knots.size() - 2);
        at = knots[below] + (place - static_cast<double>(below)) * (knots[below + 1] - knots[below]);
      }
      value = column.scale == Scale::log ? column.lower + std::expm1(at) : at;
      value = std::clamp(value, column.lower, column.upper);
    }
    ends.push_back(value);
  }
  return ends;
}

namespace {

std::string place_text(const Column& column, double value) {
  if (column.kind != ColumnKind::date) return fmt::format("{:g}", value);
  return date_text(static_cast<std::int64_t>(std::floor(value)));
}

void add_number_names(const Column& column, const RealCode& real, const std::vector<double>& ends,
                      std::vector<std::string>& names) {
  if (!real.steps) names.push_back(column.name);
  if (real.pieces == 0) return;
  for (std::size_t j = 0; j < real.knot_count(); ++j) {
    const bool last = j + 1 == real.knot_count();
    names.push_back(real.steps ? fmt::format("{}[{},{}{}", column.name, place_text(column, ends[j]),
                                             place_text(column, ends[j + 1]), last ? "]" : ")")
                               : fmt::format("{}@{}", column.name, place_text(column, ends[j])));
  }
}

}  // namespace

void Encoding::add_pair_names(std::vector<std::string>& names) const {
  const auto column_of = [&](std::size_t real) -> const Column& { return schema_.columns[reals_[real].column]; };
  for (const PairCode& code : pairs_) {
    const ColumnPair& pair = schema_.pairs[code.pair];
    for (const double first : piece_ends(code.first, code.pieces)) {
      for (const double second : piece_ends(code.second, code.pieces)) {
        names.push_back(fmt::format("{}@{}*{}@{}", pair.first, place_text(column_of(code.first), first), pair.second,
                                    place_text(column_of(code.second), second)));
      }
    }
  }
}

std::vector<std::string> Encoding::weight_names() const {
  std::vector<std::string> names = {"intercept"};
  names.reserve(dimension_);
  std::size_t real = 0;
  for (const Column& column : schema_.columns) {
    if (enters_as_number(column)) {
      add_number_names(column, reals_[real], piece_ends(real, std::max(reals_[real].pieces, 1u)), names);
      ++real;
      continue;
    }
    if (column.kind == ColumnKind::boolean) names.push_back(column.name + "=true");
    for (const std::string& value : column.values) names.push_back(column.name + "=" + value);
    if (column.other) names.push_back(column.name + "=(other)");
    if (column.missing == MissingRule::category) names.push_back(column.name + "=(missing)");
  }
  add_pair_names(names);
  return names;
}

// [proof schema_encoding.cells]
std::int16_t Encoding::encode_real(std::size_t real_index, double value) const {
  const Column& column = schema_.columns[reals_[real_index].column];
  if (std::isnan(value)) return column.zero == Zero::lower ? (kRealOne + 1) / 2 : 0;
  double feature = scaled(column, std::clamp(value, column.lower, column.upper));
  if (const std::vector<double>& knots = scaled_knots_[real_index]; !knots.empty())
    feature = pieces_below(knots, feature);
  return static_cast<std::int16_t>(
      fixed_point(feature, real_centers_[real_index], real_half_widths_[real_index], kRealOne));
}

std::int16_t Encoding::encode_ordered(std::size_t real_index, std::string_view text, bool missing) const {
  const auto found = missing ? std::nullopt : ordered_codes_[real_index].find(text);
  if (!found) return 0;
  return static_cast<std::int16_t>(
      fixed_point(*found, real_centers_[real_index], real_half_widths_[real_index], kRealOne));
}

std::uint32_t Encoding::encode_category(std::size_t category_index, std::string_view text, bool missing) const {
  const CategoryCode& code = categories_[category_index];
  const Column& column = schema_.columns[code.column];
  if (missing) return column.missing == MissingRule::category ? code.levels - 1 : code.levels;
  if (column.kind == ColumnKind::boolean) return is_true_text(text) ? 0 : code.levels;
  if (const auto found = codes_[category_index].find(text)) return *found;
  return column.other ? static_cast<std::uint32_t>(column.values.size()) : code.levels;
}

std::int32_t Encoding::encode_target_text(std::string_view text, bool missing) const {
  if (target_is_number()) {
    return encode_target_number(missing ? std::nan("") : parse_number(text, schema_.target.style));
  }
  const bool binary = schema_.target.kind == TargetKind::binary;
  const auto found = missing ? std::nullopt : target_codes_.find(text);
  if (!found) return binary ? -1 : 0;
  return binary ? 1 : static_cast<std::int32_t>(*found);
}

std::int32_t Encoding::encode_target_number(double value) const {
  const Target& target = schema_.target;
  if (target.kind == TargetKind::binary && target.threshold) return value > *target.threshold ? 1 : -1;
  if (target.kind != TargetKind::real) return encode_target_text(number_text(value), std::isnan(value));
  if (std::isnan(value)) return 0;
  return fixed_point(std::clamp(value, target.lower, target.upper), target.lower / 2 + target.upper / 2,
                     target.upper / 2 - target.lower / 2, kTargetOne);
}
// [/proof]

bool Encoding::target_is_number() const {
  return schema_.target.kind == TargetKind::real || schema_.target.threshold.has_value();
}

bool Encoding::is_known_class(std::string_view text) const { return target_codes_.find(text).has_value(); }

bool Encoding::is_known_place(std::size_t real_index, std::string_view text) const {
  return ordered_codes_[real_index].find(text).has_value();
}

double Encoding::real_center(std::size_t real_index) const { return real_centers_[real_index]; }

double Encoding::real_half_width(std::size_t real_index) const { return real_half_widths_[real_index]; }

}  // namespace dperm::schema
