// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/coefficients.hpp"

#include <fmt/core.h>

#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::model {

namespace {

std::string unit_of(const schema::Column& column) {
  if (column.ordered) return "place in the list";
  return column.scale == schema::Scale::log ? fmt::format("unit of log(1 + value - {:g})", column.lower) : "unit";
}

}  // namespace

std::vector<Coefficient> coefficients(const schema::Encoding& encoding, std::span<const double> weights) {
  require(weights.size() == encoding.dimension(), "the model has another number of weights than its schema");
  const double scale = 1 / std::sqrt(static_cast<double>(encoding.columns()));
  const schema::TargetUnits units = schema::target_units(encoding.schema().target);
  const std::vector<std::string> names = encoding.weight_names();
  std::vector<Coefficient> result;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    result.push_back({names[j], weights[j], units.half_width * scale * weights[j], "if so"});
  }
  bool only_linear = encoding.pairs().empty();
  double intercept = units.middle + units.half_width * scale * weights[0];
  for (std::size_t r = 0; r < encoding.reals().size(); ++r) {
    const schema::RealCode& real = encoding.reals()[r];
    for (std::size_t j = 0; j < real.knot_count(); ++j) {
      result[real.first_knot + j].per = real.steps ? "in this range" : "at this value";
    }
    only_linear = only_linear && real.pieces == 0;
    if (real.steps) continue;
    Coefficient& coefficient = result[real.weight];
    // A curve's linear term means little without its knots, so it stays as it is and moves no intercept.
    coefficient.per = real.from_zero ? "all of its range" : "half of its range";
    if (real.pieces > 0) continue;
    coefficient.original /= encoding.real_half_width(r);
    intercept -= coefficient.original * encoding.real_center(r);
    coefficient.per = unit_of(encoding.schema().columns[real.column]);
  }
  for (const schema::PairCode& pair : encoding.pairs()) {
    const std::size_t knots = std::size_t{pair.pieces + 1} * (pair.pieces + 1);
    for (std::size_t j = 0; j < knots; ++j) result[pair.first_knot + j].per = "at these values";
  }
  for (const schema::CategoryCode& category : encoding.categories()) {
    const schema::Column& column = encoding.schema().columns[category.column];
    const std::string reference = column.values.empty() ? std::string() : column.values.front();
    for (std::size_t level = 0; level < category.levels && !reference.empty(); ++level) {
      Coefficient& each = result[category.first_weight + level];
      each.against = each.original - result[category.first_weight].original;
      each.reference = reference;
    }
  }
  result[0].original = intercept;
  result[0].per = only_linear ? "all columns zero, no category" : "before the effects of all columns";
  return result;
}

std::vector<double> coefficient_noise(const schema::Encoding& encoding, std::span<const double> weight_noise) {
  require(weight_noise.size() == encoding.dimension(), "noise of another number of weights than the schema has");
  const double scale =
      schema::target_units(encoding.schema().target).half_width / std::sqrt(static_cast<double>(encoding.columns()));
  std::vector<double> result(weight_noise.begin(), weight_noise.end());
  for (double& each : result) each *= scale;
  double intercept = result[0] * result[0];
  for (std::size_t r = 0; r < encoding.reals().size(); ++r) {
    const schema::RealCode& real = encoding.reals()[r];
    if (real.steps || real.pieces > 0) continue;
    result[real.weight] /= encoding.real_half_width(r);
    const double moved = result[real.weight] * encoding.real_center(r);
    intercept += moved * moved;
  }
  result[0] = std::sqrt(intercept);
  return result;
}

}  // namespace dperm::model
