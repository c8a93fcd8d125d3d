// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd.hpp"

#include <fmt/core.h>

#include <cmath>

#include "dperm/methods/recorded_events.hpp"
#include "dperm/methods/sgd_settings.hpp"
#include "dperm/network/clipped_sum.hpp"
#include "dperm/network/row_table.hpp"

namespace dperm::methods {

namespace {

using Rows = std::vector<std::size_t>;

// [proof methods_sgd.train]
// Every step looks at the records through the curator's sampled release alone; the optimiser sees what was released.
privacy::Released<std::vector<double>> train(const SgdSettings& s, const data::Dataset& dataset,
                                             privacy::Curator& curator, const FitOptions& options) {
  const auto& mechanism = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
  const auto table =
      dataset.tiles().map([&](const data::TileSet& tiles) { return network::RowTable(tiles, options.threads); });
  Optimiser optimiser(s.optimiser, initial_weights(s.shape, s.question.facts.columns, s.init_seed));
  const auto noisy_sum = [&] {
    const network::ClippedQuery query{s.shape, s.question.problem.loss, optimiser.weights(), s.clip};
    const auto of_sample = [&](const Sensitive<Rows>& sample) {
      return table.with(sample, [&](const network::RowTable& rows, const Rows& chosen) {
        return network::clipped_gradient_sum(rows, chosen, query, options.threads);
      });
    };
    return curator.release(of_sample, s.question.facts.rows, mechanism, s.event.what);
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
  return {
      {"weights", static_cast<double>(weight_count(s.question)), "of the model"},
      {"rows n", static_cast<double>(s.question.facts.rows), "public"},
      {"rate q of the sample", mechanism.rate, "expected rows a step / n"},
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
}

// Of a linear model, in encoded units: x = u / sqrt(m), w = sqrt(m) v for the network's features u and weights v. Adam
// divides by the root of a gradient's mean square, which is that of the noise and of the sample; that of the whole
// gradient fades as the course proceeds.
Course course_of(const SgdSettings& s) {
  const auto& mechanism = std::get<privacy::SampledGaussianEvent>(s.event.mechanism);
  const double noise = mechanism.sigma * s.mean_scale;
  const double of_sample = s.clip / std::sqrt(s.expected_batch * static_cast<double>(weight_count(s.question)));
  const double unit = s.weight_unit;
  Course course;
  course.penalty = s.question.problem.l2_penalty;
  course.steps = static_cast<double>(s.steps);
  course.step_size = unit * unit * effective_rate(s.optimiser, std::hypot(noise, of_sample));
  course.step_noise = noise / unit;
  course.averaged = static_cast<double>(s.optimiser.averaged);
  course.radius = loss::norm_bound(s.question.problem.feasible_set, weight_count(s.question));
  course.clip = s.clip / unit;
  course.sample = s.expected_batch;
  course.damped = s.optimiser.rule != UpdateRule::plain;
  return course;
}

}  // namespace

std::span<const OptionSpec> Sgd::options() const { return sgd_options(); }

Plan Sgd::plan(const Question& question, const std::map<std::string, std::string>& given) const {
  const OptionValues options(name(), sgd_options(), given);
  const SgdSettings s = sgd_settings(question, options);
  Plan result = make_plan(*this, s.question, options, {s.event}, derivation(s), s.utility);
  if (model_form(s.question.problem) == ModelForm::linear) result.course = course_of(s);
  return result;
}

FitResult Sgd::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                   const FitOptions& options) const {
  const SgdSettings s = sgd_settings(plan.question, OptionValues(name(), sgd_options(), plan.options));
  check_facts(plan, dataset);
  auto weights = train(s, dataset, curator, options);
  check_events(plan, curator);
  return {std::move(weights), curator.events(), curator.secure()};
}

}  // namespace dperm::methods
