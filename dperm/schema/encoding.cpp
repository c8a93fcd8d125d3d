// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/encoding.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/schema/cell_text.hpp"
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

RealUnit real_unit(const Column& column) {
  const bool log = column.scale == Scale::log;
  if (column.zero == Zero::lower) {
    return log ? RealUnit{0, std::log1p(column.upper - column.lower)}
               : RealUnit{column.lower, column.upper - column.lower};
  }
  if (!log) return {column.lower / 2 + column.upper / 2, column.upper / 2 - column.lower / 2};
  const double half = std::log1p(column.upper - column.lower) / 2;
  return {half, half};
}

bool is_number(const Column& column) { return column.kind == ColumnKind::real || column.kind == ColumnKind::integer; }

}  // namespace

Encoding::Encoding(Schema schema) : schema_(std::move(schema)) {
  validate(schema_);
  for (std::size_t c = 0; c < schema_.columns.size(); ++c) {
    const Column& column = schema_.columns[c];
    if (is_number(column)) {
      reals_.push_back({c, dimension_});
      const auto [center, half] = real_unit(column);
      real_centers_.push_back(center);
      real_half_widths_.push_back(half);
    } else {
      categories_.push_back({c, static_cast<std::uint32_t>(weight_count(column)), dimension_});
      auto& codes = codes_.emplace_back();
      for (const std::string& value : column.values) codes.emplace(value, static_cast<std::uint32_t>(codes.size()));
    }
    dimension_ += weight_count(column);
  }
  const Target& target = schema_.target;
  for (const std::string& value : target.positive) target_codes_.emplace(label_text(value), 1);
  for (const std::string& value : target.values) {
    target_codes_.emplace(label_text(value), static_cast<std::int32_t>(target_codes_.size()));
  }
}

std::vector<std::string> Encoding::weight_names() const {
  std::vector<std::string> names = {"intercept"};
  names.reserve(dimension_);
  for (const Column& column : schema_.columns) {
    if (is_number(column)) {
      names.push_back(column.name);
      continue;
    }
    if (column.kind == ColumnKind::boolean) names.push_back(column.name + "=true");
    for (const std::string& value : column.values) names.push_back(column.name + "=" + value);
    if (column.other) names.push_back(column.name + "=(other)");
    if (column.missing == MissingRule::category) names.push_back(column.name + "=(missing)");
  }
  return names;
}

// [proof schema_encoding.cells]
std::int16_t Encoding::encode_real(std::size_t real_index, double value) const {
  const Column& column = schema_.columns[reals_[real_index].column];
  if (std::isnan(value)) return column.zero == Zero::lower ? (kRealOne + 1) / 2 : 0;
  double feature = std::clamp(value, column.lower, column.upper);
  if (column.scale == Scale::log) feature = std::log1p(feature - column.lower);
  return static_cast<std::int16_t>(
      fixed_point(feature, real_centers_[real_index], real_half_widths_[real_index], kRealOne));
}

std::uint32_t Encoding::encode_category(std::size_t category_index, std::string_view text, bool missing) const {
  const CategoryCode& code = categories_[category_index];
  const Column& column = schema_.columns[code.column];
  if (missing) return column.missing == MissingRule::category ? code.levels - 1 : code.levels;
  if (column.kind == ColumnKind::boolean) return is_true_text(text) ? 0 : code.levels;
  const auto& codes = codes_[category_index];
  const auto found = codes.find(trimmed(text));
  if (found != codes.end()) return found->second;
  return column.other ? static_cast<std::uint32_t>(column.values.size()) : code.levels;
}

std::int32_t Encoding::encode_target_text(std::string_view text, bool missing) const {
  if (target_is_number()) return encode_target_number(missing ? std::nan("") : parse_number(text));
  const std::int32_t unknown = schema_.target.kind == TargetKind::binary ? -1 : 0;
  if (missing) return unknown;
  const auto found = target_codes_.find(label_text(text));
  return found == target_codes_.end() ? unknown : found->second;
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

bool Encoding::is_known_class(std::string_view text) const { return target_codes_.contains(label_text(text)); }

double Encoding::real_center(std::size_t real_index) const { return real_centers_[real_index]; }

double Encoding::real_half_width(std::size_t real_index) const { return real_half_widths_[real_index]; }

}  // namespace dperm::schema
