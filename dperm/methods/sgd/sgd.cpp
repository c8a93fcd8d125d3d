// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/sgd/sgd_settings.hpp"

namespace dperm::methods {

namespace {

// [proof methods_sgd.train]
// Every step looks at the records through the curator's sampled release alone; the optimiser sees what was released.
privacy::Released<std::vector<double>> train(const SgdSettings& s, const data::Dataset& dataset,
                                             privacy::Curator& curator, const FitOptions& options) {
  const auto& mechanism = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
  Optimiser optimiser(s.optimiser, initial_weights(s.shape, s.task.facts.columns, s.init_seed));
  const auto noisy_sum = [&] {
    const network::ClippedQuery query{s.shape, s.task.problem.loss, optimiser.weights(), s.clip};
    const auto of_sample = [&](const Sensitive<SharedSample>& sample) {
      return dataset.sums().with(sample, [&](const engine::RowSums& sums, const RowSample& chosen) {
        return sums.clipped_gradient(query, chosen, options.threads);
      });
    };
    return curator.release(of_sample, s.task.facts.rows, mechanism, s.event.what);
  };
  for (std::size_t t = 1; t < s.steps; ++t) {
    optimiser.advance(noisy_sum().get(), s.mean_scale);
    if (options.progress) options.progress(t, s.steps);
  }
  return noisy_sum().map([&](const std::vector<std::int64_t>& last) {
    optimiser.advance(last, s.mean_scale);
    return model_weights(s, optimiser.result());
  });
}
// [/proof]

std::vector<DerivationStep> derivation(const SgdSettings& s) {
  const auto& mechanism = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
  std::vector<DerivationStep> steps = {
      {"weights", static_cast<double>(weight_count(s.task)), "of the model"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public"},
      {"rate q of the sample", mechanism.rate, "expected rows per step / n"},
      {"clip norm of a row's gradient", s.clip, "chosen or given; longer gradients are shortened to it"},
      {"largest part of one row in a sum (lattice units)", mechanism.contribution,
       "integers of norm at most this, rounding included [clipped_sum.md]"},
      {"noisy sums T", static_cast<double>(s.steps), "chosen from public facts, or given"},
      {"noise sigma (lattice units)", mechanism.sigma,
       "privacy-loss accounting of T sampled Gaussian releases [sampled_release.md]"},
      {"noise multiplier", mechanism.sigma / mechanism.contribution, "sigma / largest part of one row"},
      {"noise of a coordinate of the mean gradient", mechanism.sigma * s.mean_scale,
       "sigma in units of the gradient, divided by the public q n"},
      {"learning rate", s.optimiser.learning_rate, "post-processing: free"},
      {"iterates averaged", static_cast<double>(s.optimiser.averaged), "post-processing: free"},
  };
  if (s.score_factor != 1) {
    steps.push_back({"factor of the scores", s.score_factor, "undoes what clipping stretches; post-processing: free"});
  }
  return steps;
}

// Of a linear model, in encoded units: x = u / sqrt(m), w = sqrt(m) v for the network's features u and weights v. Adam
// divides by the root of a gradient's mean square, which is that of the noise and of the sample; that of the whole
// gradient fades as the steps proceed.
ErrorModel error_model_of(const SgdSettings& s) {
  const auto& mechanism = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
  const double noise = mechanism.sigma * s.mean_scale;
  const double of_sample = s.clip / std::sqrt(s.expected_batch * static_cast<double>(weight_count(s.task)));
  const double unit = s.weight_unit;
  ErrorModel error_model;
  error_model.penalty = s.task.problem.l2_penalty;
  error_model.steps = static_cast<double>(s.steps);
  error_model.step_size = unit * unit * effective_rate(s.optimiser, std::hypot(noise, of_sample));
  error_model.step_noise = noise / unit;
  error_model.averaged = static_cast<double>(s.optimiser.averaged);
  error_model.radius = loss::norm_bound(s.task.problem.feasible_set, weight_count(s.task));
  error_model.clip = s.clip / unit;
  error_model.sample = s.expected_batch;
  error_model.damped = s.optimiser.rule != UpdateRule::plain;
  return error_model;
}

}  // namespace

Plan plan_for(const Task& task, const SgdOptions& options) {
  check_options(options);
  const SgdSettings s = sgd_settings(task, options);
  Plan plan =
      make_plan(options, s.task, {s.event}, derivation(s), s.utility,
                [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
                  return {train(s, dataset, curator, fit_options)};
                });
  if (model_form(s.task.problem) == ModelForm::linear) plan.error_model = error_model_of(s);
  return plan;
}

}  // namespace dperm::methods
