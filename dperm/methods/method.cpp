// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/method.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/exponential/exponential.hpp"
#include "dperm/methods/gradient_descent/gradient_descent.hpp"
#include "dperm/methods/objective_perturbation/objective_perturbation.hpp"
#include "dperm/methods/output_perturbation/output_perturbation.hpp"
#include "dperm/methods/sgd/sgd.hpp"
#include "dperm/methods/sufficient_statistics/sufficient_statistics.hpp"
#include "dperm/methods/tuned/tuned.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/noise/k_norm.hpp"

namespace dperm::methods {

std::span<const Method* const> all_methods() {
  static const GradientDescent gradient_descent;
  static const ObjectivePerturbation objective_perturbation;
  static const OutputPerturbation output_perturbation;
  static const SufficientStatistics sufficient_statistics;
  static const Exponential exponential;
  static const Sgd sgd;
  static const std::array<const Method*, 6> methods = {&objective_perturbation, &sufficient_statistics, &exponential,
                                                       &gradient_descent,       &output_perturbation,   &sgd};
  return methods;
}

const Method& method_named(std::string_view name) {
  static const Tuned tuned;
  if (name == tuned.name()) return tuned;
  std::vector<std::string_view> names;
  for (const Method* method : all_methods()) {
    if (method->name() == name) return *method;
    names.push_back(method->name());
  }
  throw ArgumentError(fmt::format("there is no method '{}'; choose auto, {}", name, fmt::join(names, ", ")));
}

namespace {

// Noise that the samplers cannot make is refused when it is planned, before any record is read.
void require_samplable(const Plan& plan) {
  for (const privacy::PrivacyEvent& event : plan.events) {
    double noise = random::kMinimumSigma;
    if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&event.mechanism)) noise = gaussian->sigma;
    if (const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&event.mechanism)) noise = sampled->sigma;
    if (const auto* k_norm = std::get_if<privacy::KNormEvent>(&event.mechanism)) {
      noise = k_norm->scale;
      require(weight_count(plan.task) <= random::kMaximumKNormDimension,
              "noise of pure epsilon is limited to 131072 weights; take a delta above 0 or fewer categories");
    }
    require(noise >= random::kMinimumSigma && noise <= random::kMaximumSigma,
            "this task needs noise beyond the exact samplers' range (2^50 lattice steps); take a larger epsilon or "
            "delta");
  }
}

}  // namespace

Plan make_plan(const Method& method, const Task& resolved, const OptionValues& options,
               std::vector<privacy::PrivacyEvent> events, std::vector<DerivationStep> derivation,
               UtilityBound utility) {
  Plan plan;
  plan.method = method.name();
  plan.task = resolved;
  plan.options = options.texts();
  plan.events = std::move(events);
  require_samplable(plan);
  plan.guarantee = privacy::account(plan.events, resolved.budget.delta);
  plan.derivation = std::move(derivation);
  plan.utility = std::move(utility);
  return plan;
}

double default_radius(const Problem& problem, const PublicFacts& facts) {
  // 5 was measured on Adult: the non-private optimum has norm 6.5 sqrt(m); 2.7 sqrt(m) costs one point of accuracy at
  // epsilon 1, 5 and 10 sqrt(m) are equally good.
  double per_column = loss::is_classification(problem.loss.kind) ? 5 : 1;
  // All classes' weights together; on covertype with 7 classes 10 is 0.8 points better than 5 at epsilon 1, on the
  // digits as good.
  if (problem.loss.kind == loss::LossKind::softmax) per_column = 10;
  return per_column * std::sqrt(static_cast<double>(facts.columns));
}

}  // namespace dperm::methods
