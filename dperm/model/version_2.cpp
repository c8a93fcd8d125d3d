// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/version_2.hpp"

#include <cmath>
#include <utility>

#include "dperm/privacy/composition/sampling.hpp"

namespace dperm::model {

methods::AlgorithmOptions with_settings_of_version_2(methods::AlgorithmOptions options, const methods::Task& task,
                                                     const std::vector<privacy::PrivacyEvent>& events) {
  auto* sgd = std::get_if<methods::SgdOptions>(&options);
  if (sgd == nullptr || methods::model_form(task.problem) != methods::ModelForm::linear || events.size() != 1) {
    return options;
  }
  const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&events.front().mechanism);
  const methods::UpdateRule rule = sgd->optimiser.value_or(methods::UpdateRule::adam);
  if (sampled == nullptr || rule == methods::UpdateRule::plain) return options;
  sgd->optimiser = rule;
  if (!sgd->epochs) sgd->steps = static_cast<std::size_t>(events.front().repetitions);
  if (!sgd->batch && sampled->rate > 0 && sampled->rate <= 1) {
    sgd->batch = privacy::size_of_rate(sampled->rate, task.facts.rows);
  }
  sgd->clip = sgd->clip.value_or(1);
  const double weights = static_cast<double>(methods::weight_count(task));
  sgd->learning_rate = sgd->learning_rate.value_or(
      rule == methods::UpdateRule::adam ? 0.12 / std::sqrt(std::sqrt(weights)) : 0.3 / *sgd->clip);
  sgd->average_fraction = sgd->average_fraction.value_or(0.1);
  return options;
}

}  // namespace dperm::model
