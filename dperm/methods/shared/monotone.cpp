// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/monotone.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::methods {

namespace {

using schema::Monotone;

// [proof methods_monotone.projection]
// The nearest values that rise: neighbours that fall are pooled to their mean until none does.
std::vector<double> rising(const std::vector<double>& values) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().sum + last.sum, pools.back().count + last.count};
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.count, pool.mean());
  return result;
}

// A curve has the values knots + linear * at; `at` is where its knots lie on the scale of the linear term.
struct CurveWeights {
  double linear;
  std::vector<double> knots;
  std::vector<double> at;
};

std::vector<double> values_of(const CurveWeights& curve, double linear) {
  std::vector<double> values = curve.knots;
  for (std::size_t j = 0; j < values.size(); ++j) values[j] += linear * curve.at[j];
  return values;
}

// Half the derivative, by the linear term, of the squared distance to the nearest curve with that linear term that
// rises. It grows at least as fast as the linear term itself.
double slope_of_distance(const CurveWeights& curve, double linear) {
  const std::vector<double> values = values_of(curve, linear), nearest = rising(values);
  double slope = linear - curve.linear;
  for (std::size_t j = 0; j < values.size(); ++j) slope += (values[j] - nearest[j]) * curve.at[j];
  return slope;
}

// The nearest (linear, knots) whose values rise.
void make_rise(CurveWeights& curve) {
  const std::vector<double> now = values_of(curve, curve.linear);
  if (std::is_sorted(now.begin(), now.end())) return;
  const double slope = slope_of_distance(curve, curve.linear);
  double low = curve.linear - std::fmax(slope, 0), high = curve.linear - std::fmin(slope, 0);
  for (double middle = low / 2 + high / 2; low < middle && middle < high; middle = low / 2 + high / 2) {
    (slope_of_distance(curve, middle) < 0 ? low : high) = middle;
  }
  curve.linear = high;
  const std::vector<double> nearest = rising(values_of(curve, high));
  for (std::size_t j = 0; j < nearest.size(); ++j) curve.knots[j] = nearest[j] - high * curve.at[j];
}

// One column's weights, turned by `sign` so that they are to rise.
void impose(const schema::RealCode& real, double sign, std::span<double> weights) {
  if (real.pieces == 0) {
    if (sign * weights[real.weight] < 0) weights[real.weight] = 0;
    return;
  }
  CurveWeights curve{real.steps ? 0 : sign * weights[real.weight], {}, {}};
  for (std::size_t j = 0; j < real.knot_count(); ++j) {
    curve.knots.push_back(sign * weights[real.first_knot + j]);
    const double share = static_cast<double>(j) / real.pieces;
    curve.at.push_back(real.steps ? 0 : real.from_zero ? share : 2 * share - 1);
  }
  make_rise(curve);
  if (!real.steps) weights[real.weight] = sign * curve.linear;
  for (std::size_t j = 0; j < real.knot_count(); ++j) weights[real.first_knot + j] = sign * curve.knots[j];
}
// [/proof]

std::string refusal(const schema::Encoding& encoding, const Problem& problem) {
  const ModelForm form = model_form(problem);
  if (form == ModelForm::network) return "a network does not keep directions; leave out the hidden layers";
  if (form == ModelForm::rule) return "a rule does not keep directions; take another loss than zero-one";
  if (form == ModelForm::multiclass) return "with several classes no single score can rise; take a binary target";
  if (problem.feasible_set.kind == loss::SetKind::box) {
    return "directions cannot be imposed within a box; take a ball of weights";
  }
  for (const schema::ColumnPair& pair : encoding.schema().pairs) {
    for (const schema::Column& column : encoding.schema().columns) {
      if (column.monotone == Monotone::none || (column.name != pair.first && column.name != pair.second)) continue;
      return fmt::format("column '{}' is also in a pair, whose surface may run the other way; leave out one of both",
                         column.name);
    }
  }
  return {};
}

}  // namespace

bool has_directions(const schema::Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(),
                     [](const schema::Column& column) { return column.monotone != Monotone::none; });
}

void require_possible_directions(const schema::Encoding& encoding, const Problem& problem) {
  if (!has_directions(encoding.schema())) return;
  const std::string reason = refusal(encoding, problem);
  if (!reason.empty()) throw ArgumentError("the schema asks for a column with `monotone`: " + reason);
}

void impose_directions(const schema::Encoding& encoding, std::span<double> weights) {
  for (const schema::RealCode& real : encoding.reals()) {
    const Monotone direction = encoding.schema().columns[real.column].monotone;
    if (direction != Monotone::none) impose(real, direction == Monotone::up ? 1 : -1, weights);
  }
}

}  // namespace dperm::methods
