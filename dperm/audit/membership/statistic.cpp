// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/membership/statistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "dperm/core/check.hpp"

namespace dperm::audit {

namespace {

engine::RowModel row_model(const methods::FittedModel& model) {
  switch (methods::model_form(model.task.problem)) {
    case methods::ModelForm::network:
      return engine::NetworkModel{methods::network_shape(model.task), model.weights};
    case methods::ModelForm::multiclass:
      return engine::LinearModel{model.weights, model.task.facts.classes};
    case methods::ModelForm::linear:
      return engine::LinearModel{model.weights};
    case methods::ModelForm::rule:
      break;
  }
  require(false, "membership is attacked in models with scores, not in rules");
  return engine::LinearModel{model.weights};
}

// ln p - ln(1 - p) for the share p of the right class.
double log_odds(std::span<const double> scores, std::size_t right) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k != right) largest = std::max(largest, scores[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k != right) sum += std::exp(scores[k] - largest);
  }
  return scores[right] - largest - std::log(sum);
}

}  // namespace

RowStatistics statistics_of(const engine::RowSums& sums, const methods::FittedModel& model, Threads threads) {
  const engine::RowModel rows = row_model(model);
  const engine::RowAnswers said = sums.answers(rows, std::nullopt, threads);
  const std::size_t width = engine::outputs_per_row(rows);
  const loss::Loss& loss = model.task.problem.loss;
  RowStatistics result;
  for (std::size_t i = 0; i < said.targets.size(); ++i) {
    const std::span<const double> scores = std::span(said.outputs).subspan(i * width, width);
    const std::int32_t target = said.targets[i];
    if (width > 1) {
      const auto right = std::min<std::size_t>(static_cast<std::size_t>(std::max(target, 0)), width - 1);
      result.sureness.push_back(log_odds(scores, right));
      result.kind.push_back(static_cast<std::uint32_t>(right));
      result.right.push_back(
          static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin()) == right);
    } else if (loss::is_classification(loss.kind)) {
      const double sign = target > 0 ? 1 : -1;
      result.sureness.push_back(sign * scores[0]);
      result.kind.push_back(target > 0 ? 1 : 0);
      result.right.push_back(sign * scores[0] > 0);
    } else {
      result.sureness.push_back(-loss::value(loss, scores[0], static_cast<double>(target) / schema::kTargetOne));
      result.kind.push_back(0);
      result.right.push_back(false);
    }
  }
  return result;
}

}  // namespace dperm::audit
