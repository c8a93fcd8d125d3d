// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/version_3.hpp"

#include <cmath>

#include "dperm/methods/sgd/sgd_risk.hpp"
#include "dperm/privacy/composition/sampling.hpp"

namespace dperm::model {

namespace {

void fill_in_linear(methods::SgdOptions& sgd, const methods::Task& task,
                    const std::vector<privacy::PrivacyEvent>& events) {
  if (sgd.steps || sgd.epochs || events.size() != 1) return;
  const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&events.front().mechanism);
  if (sampled == nullptr) return;
  sgd.steps = static_cast<std::size_t>(events.front().repetitions);
  if (!sgd.batch && sampled->rate > 0 && sampled->rate <= 1) {
    sgd.batch = privacy::size_of_rate(sampled->rate, task.facts.rows);
  }
}

void fill_in_layers(methods::SgdOptions& sgd, const methods::Task& task) {
  sgd.clip = sgd.clip.value_or(1);
  if (sgd.optimiser.value_or(methods::UpdateRule::adam) != methods::UpdateRule::adam) return;
  const double weights = static_cast<double>(methods::weight_count(task));
  sgd.learning_rate = sgd.learning_rate.value_or(0.12 / std::sqrt(std::sqrt(weights)));
}

}  // namespace

methods::AlgorithmOptions with_settings_of_version_3(methods::AlgorithmOptions options, const methods::Task& task,
                                                     const std::vector<privacy::PrivacyEvent>& events) {
  auto* sgd = std::get_if<methods::SgdOptions>(&options);
  if (sgd == nullptr) return options;
  const methods::ModelForm form = methods::model_form(task.problem);
  const bool plain = sgd->optimiser == methods::UpdateRule::plain;
  if (plain && form != methods::ModelForm::network && methods::is_covered(task)) return options;
  if (form == methods::ModelForm::linear) {
    if (!plain) fill_in_linear(*sgd, task, events);
  } else {
    fill_in_layers(*sgd, task);
  }
  return options;
}

}  // namespace dperm::model
