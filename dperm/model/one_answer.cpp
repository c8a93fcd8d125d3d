// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/one_answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "dperm/schema/encoding.hpp"

namespace dperm::model {

namespace {

// The least value of a linear score over all rows, or less: a lower bound is all that is needed, so curves may cost a
// little slack for the rounding of places inside a piece.
class LeastScore {
 public:
  explicit LeastScore(const schema::Encoding& encoding) : encoding_(encoding) {}

  double of(std::span<const double> weights) const {
    double least = weights[0];
    double size = std::abs(weights[0]);
    for (const schema::RealCode& real : encoding_.reals()) add(least_of_number(real, weights), least, size);
    for (const schema::CategoryCode& category : encoding_.categories()) {
      const auto levels = weights.subspan(category.first_weight, category.levels);
      // An unknown or missing value may belong to no category.
      add(std::min(0.0, *std::min_element(levels.begin(), levels.end())), least, size);
    }
    for (const schema::PairCode& pair : encoding_.pairs()) {
      const auto knots = weights.subspan(pair.first_knot, std::size_t{pair.pieces + 1} * (pair.pieces + 1));
      add(*std::min_element(knots.begin(), knots.end()), least, size);
    }
    return least - kSlack * size;
  }

 private:
  static constexpr double kSlack = 1e-9;             // rounding of sums
  static constexpr double kPlaceSlack = 1.0 / 4096;  // far more than places inside a piece are rounded by

  static void add(double part, double& least, double& size) {
    least += part;
    size += std::abs(part);
  }

  static double least_of_number(const schema::RealCode& real, std::span<const double> weights) {
    const double slope = real.steps ? 0 : weights[real.weight];
    const double first = real.from_zero ? 0 : -1;
    if (real.pieces == 0) return std::min(slope * first, slope);
    const auto knots = weights.subspan(real.first_knot, real.knot_count());
    double least = std::numeric_limits<double>::infinity(), size = std::abs(slope);
    for (std::size_t j = 0; j < knots.size(); ++j) {
      const double u = first + (1 - first) * static_cast<double>(j) / real.pieces;
      least = std::min(least, (real.steps ? 0 : slope * u) + knots[j]);
      size = std::max(size, std::abs(knots[j]));
    }
    return least - (real.steps ? 0 : kPlaceSlack * size);
  }

  const schema::Encoding& encoding_;
};

std::vector<double> difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result(a.begin(), a.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= b[i];
  return result;
}

}  // namespace

std::optional<std::size_t> one_answer(const Model& model) {
  const methods::Problem& problem = model.plan.task.problem;
  const methods::ModelForm form = methods::model_form(problem);
  if (form != methods::ModelForm::linear && form != methods::ModelForm::multiclass) return std::nullopt;
  const schema::Encoding encoding(model.schema);
  const LeastScore least(encoding);
  const std::span<const double> weights(model.weights);
  if (form == methods::ModelForm::linear) {
    if (!loss::is_classification(problem.loss.kind) || weights.size() != encoding.dimension()) return std::nullopt;
    if (least.of(weights) > 0) return 1;
    const std::vector<double> nothing(weights.size());
    return least.of(difference(nothing, weights)) > 0 ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const std::size_t classes = model.schema.target.values.size(), dimension = encoding.dimension();
  if (weights.size() != classes * dimension) return std::nullopt;
  const auto of_class = [&](std::size_t k) { return weights.subspan(k * dimension, dimension); };
  for (std::size_t k = 0; k < classes; ++k) {
    bool always = true;
    for (std::size_t j = 0; j < classes && always; ++j) {
      always = j == k || least.of(difference(of_class(k), of_class(j))) > 0;
    }
    if (always) return k;
  }
  return std::nullopt;
}

}  // namespace dperm::model
