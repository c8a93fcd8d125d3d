// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/coefficients.hpp"

#include <fmt/core.h>

#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::model {

std::vector<Coefficient> coefficients(const schema::Encoding& encoding, std::span<const double> weights) {
  require(weights.size() == encoding.dimension(), "the model has another number of weights than its schema");
  const double scale = 1 / std::sqrt(static_cast<double>(encoding.columns()));
  const schema::TargetUnits units = schema::target_units(encoding.schema().target);
  const std::vector<std::string> names = encoding.weight_names();
  std::vector<Coefficient> result;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    result.push_back({names[j], weights[j], units.half_width * scale * weights[j], "if so"});
  }
  double intercept = units.middle + units.half_width * scale * weights[0];
  for (std::size_t r = 0; r < encoding.reals().size(); ++r) {
    const schema::RealCode& real = encoding.reals()[r];
    const schema::Column& column = encoding.schema().columns[real.column];
    for (std::size_t knot = 0; knot < real.knot_count(); ++knot) result[real.first_knot + knot].per = "at this value";
    if (real.steps) continue;
    Coefficient& coefficient = result[real.weight];
    coefficient.original /= encoding.real_half_width(r);
    intercept -= coefficient.original * encoding.real_center(r);
    coefficient.per = column.ordered                       ? "place in the list"
                      : !column.knots.empty()              ? "piece between knots"
                      : column.scale == schema::Scale::log ? fmt::format("unit of log(1 + value - {:g})", column.lower)
                                                           : "unit";
  }
  result[0].original = intercept;
  result[0].per = "all columns zero, no category";
  return result;
}

}  // namespace dperm::model
