// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/reconstruction/last_row.hpp"

#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::audit {

namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 20;  // whose sums of solver resolution are not rounded

double root_columns(const methods::Task& task) { return std::sqrt(static_cast<double>(task.facts.columns)); }

double norm(std::span<const double> w) {
  double square = 0;
  for (const double each : w) square += each * each;
  return std::sqrt(square);
}

// The y in [-1, 1] at which the loss has this slope: slopes of regression losses fall in y.
double target_with_slope(const loss::Loss& loss, double score, double slope) {
  if (loss::is_classification(loss.kind)) return slope < 0 ? 1 : -1;
  double low = -1, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (loss::slope(loss, score, middle) > slope ? low : high) = middle;
  }
  return (low + high) / 2;
}

double score_of(const methods::Task& task, std::span<const double> weights, const std::vector<double>& features) {
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * features[j];
  return sum / root_columns(task);
}

}  // namespace

OpenRow open_row(const engine::RowSums& sums, const methods::Problem& problem, std::size_t number) {
  const std::vector<std::size_t> one = {number};
  const auto row = sums.select(one);
  const engine::GramSums moments = row->second_moments(engine::kWholeRows, {1});
  OpenRow result;
  // The first line of the second moments is the intercept's, 32767, times every feature.
  for (std::size_t j = 0; j < sums.dimension(); ++j) {
    result.features.push_back(static_cast<double>(moments.upper_triangle[j]) / static_cast<double>(engine::kGramUnit));
  }
  const std::int64_t target = row->target_sum(INT32_MAX, {1});
  result.target = loss::is_classification(problem.loss.kind) ? (target > 0 ? 1 : -1)
                                                             : static_cast<double>(target) / schema::kTargetOne;
  return result;
}

std::vector<double> gradient_of_others(const engine::RowSums& sums, const methods::Task& task,
                                       std::span<const double> weights, std::size_t left_out, Threads threads) {
  require(sums.rows() <= kMostRows, "reconstruction is for tables of up to a million rows");
  const double bound = loss::constants(task.problem.loss, norm(weights)).lipschitz;
  const engine::GradientQuery query{task.problem.loss, bound, weights};
  const std::vector<std::size_t> one = {left_out};
  // Sums of the engine are integers that do not depend on how rows are divided: all less the last is what whoever has
  // the others would get from them.
  const std::vector<std::int64_t> all = sums.gradient(query, engine::Resolution::solver, threads);
  const std::vector<std::int64_t> last = sums.select(one)->gradient(query, engine::Resolution::solver, {1});
  const double unit = bound / (engine::row_steps(engine::Resolution::solver) * root_columns(task));
  std::vector<double> result(all.size());
  for (std::size_t j = 0; j < all.size(); ++j) result[j] = static_cast<double>(all[j] - last[j]) * unit;
  return result;
}

std::vector<double> missing_gradient(const methods::Task& task, std::span<const double> weights,
                                     std::span<const double> others) {
  std::vector<double> result(weights.size());
  const double penalty = static_cast<double>(task.facts.rows) * task.problem.l2_penalty;
  for (std::size_t j = 0; j < weights.size(); ++j) result[j] = -(penalty * weights[j] + others[j]);
  return result;
}

OpenRow row_with_gradient(const methods::Task& task, std::span<const double> weights,
                          std::span<const double> gradient) {
  OpenRow row;
  const double of_intercept = gradient[0];  // slope / sqrt(m)
  for (const double each : gradient) row.features.push_back(of_intercept == 0 ? 0 : each / of_intercept);
  row.target =
      target_with_slope(task.problem.loss, score_of(task, weights, row.features), of_intercept * root_columns(task));
  return row;
}

std::vector<double> gradient_of(const methods::Task& task, std::span<const double> weights, const OpenRow& row) {
  const double slope = loss::slope(task.problem.loss, score_of(task, weights, row.features), row.target);
  std::vector<double> result;
  for (const double each : row.features) result.push_back(slope * each / root_columns(task));
  return result;
}

}  // namespace dperm::audit
