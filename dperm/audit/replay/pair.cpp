// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/replay/pair.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dperm/core/check.hpp"

namespace dperm::audit {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

double target_of(const loss::Loss& loss, std::int32_t stored) {
  if (loss.positive) return stored == *loss.positive ? 1 : -1;
  if (loss::is_classification(loss.kind)) return stored > 0 ? 1 : -1;
  return static_cast<double>(stored) / kTargetOne;
}

// The loss that the term with this number belongs to: one-vs-rest has one for every class.
loss::Loss loss_of_term(const methods::Plan& plan, std::size_t number) {
  const auto* one_vs_rest = std::get_if<methods::OneVsRestOptions>(&plan.options);
  if (one_vs_rest == nullptr) return plan.task.problem.loss;
  loss::Loss loss;
  loss.kind = one_vs_rest->binary_loss == methods::BinaryLoss::logistic ? loss::LossKind::logistic
                                                                        : loss::LossKind::smoothed_hinge;
  loss.margin = one_vs_rest->binary_margin.value_or(loss.margin);
  loss.smoothing = one_vs_rest->binary_smoothing.value_or(loss.smoothing);
  loss.positive = static_cast<std::int32_t>(number);
  return loss;
}

// Terms of a run in their order, and the exact points that they led to.
struct Terms {
  std::vector<const Step*> terms, points;
  explicit Terms(const Transcript& run) {
    for (const Step& step : run.steps) {
      if (step.term_step > 0) {
        terms.push_back(&step);
      } else if (terms.size() > points.size()) {
        points.push_back(&step);
      }
    }
  }
};

// The weights of term `number`, from its lattice to encoded units: the released lattice point is known in both.
std::vector<double> point_of(const Transcript& run, const Step& point, std::size_t number) {
  const std::size_t size = point.output.size(), offset = number * size;
  std::size_t largest = 0;
  for (std::size_t j = 0; j < size; ++j) {
    if (std::llabs(point.output[j]) > std::llabs(point.output[largest])) largest = j;
  }
  const double unit = run.weights[offset + largest] / static_cast<double>(point.output[largest]);
  std::vector<double> weights;
  for (const std::int64_t each : point.query) weights.push_back(static_cast<double>(each) * unit);
  return weights;
}

// sum of gradients + penalty + term = 0 at the point: what the second table's row adds less than the first's, its term
// must add more.
std::vector<std::int64_t> term_for_second(const methods::Plan& plan, const Pair& pair, const Transcript& run,
                                          const Step& recorded) {
  const Terms all(run);
  const auto place = std::find(all.terms.begin(), all.terms.end(), &recorded);
  const auto number = static_cast<std::size_t>(place - all.terms.begin());
  if (number >= all.points.size() || run.weights.size() < (number + 1) * recorded.output.size()) return recorded.output;
  const std::vector<double> weights = point_of(run, *all.points[number], number);
  const loss::Loss loss = loss_of_term(plan, number);
  const auto first = row_gradient(loss, *pair.encoding, pair.row(), weights);
  const auto second = row_gradient(loss, *pair.encoding, pair.other, weights);
  std::vector<std::int64_t> term = recorded.output;
  const double unit = static_cast<double>(pair.copies) / recorded.term_step;
  for (std::size_t j = 0; j < term.size(); ++j) term[j] += std::llround((first[j] - second[j]) * unit);
  return term;
}

}  // namespace

data::Dataset Pair::second() const {
  Rows replaced = rows;
  ensure(place + copies <= rows.size(), "a person of an audit has more rows than the table");
  for (std::size_t i = 0; i < copies; ++i) replaced[place + i] = other;
  const std::vector<std::uint32_t> moved = places();
  if (moved.empty()) return dataset_of(encoding, replaced);
  Rows second(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) second[moved[i]] = replaced[i];
  return dataset_of(encoding, second);
}

std::vector<std::uint32_t> Pair::places() const {
  if (!to) return {};
  const std::size_t first = std::min(*to, rows.size() - copies);
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool own = i >= place && i < place + copies;
    const std::size_t among_others = i < place ? i : i - copies;
    const std::size_t now = own ? first + (i - place) : among_others < first ? among_others : among_others + copies;
    result.push_back(static_cast<std::uint32_t>(now));
  }
  return result;
}

std::vector<double> row_gradient(const loss::Loss& loss, const schema::Encoding& encoding, const Row& row,
                                 std::span<const double> weights) {
  const std::vector<double> x = features(encoding, row);
  std::vector<double> slopes;
  if (loss.kind == loss::LossKind::softmax) {
    const std::size_t classes = weights.size() / x.size();
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      slopes.push_back(std::exp(dot(weights.subspan(k * x.size(), x.size()), x)));
      total += slopes.back();
    }
    for (double& each : slopes) each /= total;
    slopes[static_cast<std::size_t>(row.target)] -= 1;
  } else {
    slopes.push_back(loss::slope(loss, dot(weights, x), target_of(loss, row.target)));
  }
  std::vector<double> gradient;
  for (const double slope : slopes) {
    for (const double each : x) gradient.push_back(slope * each);
  }
  return gradient;
}

Replayed replay(const methods::Plan& plan, const Pair& pair, std::uint64_t seed, const Tamper& tamper) {
  const Tables tables(pair);
  Replayed result;
  result.first = tables.watched(plan, true, {.seed = seed, .tamper = tamper});
  result.second =
      tables.watched(plan, false, {.seed = seed, .frozen = &result.first, .term = [&](const Step& recorded) {
                                     return term_for_second(plan, pair, result.first, recorded);
                                   }});
  if (!result.second.followed) {
    Pair unmoved = pair;
    unmoved.to.reset();
    return replay(plan, unmoved, seed, tamper);
  }
  result.comparison = compare(result.first, result.second, plan);
  return result;
}

}  // namespace dperm::audit
