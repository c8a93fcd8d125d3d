// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/model_json.hpp"

#include <nlohmann/json.hpp>

#include "dperm/privacy/accountant.hpp"
#include "dperm/report/coefficients.hpp"
#include "dperm/report/digest.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::report {

namespace {

using Json = nlohmann::ordered_json;

template <class Choice>
Json choice_json(const char* name, const Choice& choice) {
  return {{"mechanism", name},
          {"oscillation", choice.oscillation},
          {"scale_numerator", choice.scale_numerator},
          {"scale_denominator", choice.scale_denominator}};
}

Json mechanism_json(const privacy::Mechanism& mechanism) {
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&mechanism)) {
    return {{"mechanism", "gaussian"}, {"l2_sensitivity", gaussian->l2_sensitivity}, {"sigma", gaussian->sigma}};
  }
  if (const auto* laplace = std::get_if<privacy::LaplaceEvent>(&mechanism)) {
    return {{"mechanism", "laplace"},
            {"l1_sensitivity", laplace->l1_sensitivity},
            {"scale_numerator", laplace->scale_numerator},
            {"scale_denominator", laplace->scale_denominator}};
  }
  if (const auto* choice = std::get_if<privacy::ExponentialEvent>(&mechanism))
    return choice_json("exponential", *choice);
  if (const auto* choice = std::get_if<privacy::PermuteAndFlipEvent>(&mechanism)) {
    return choice_json("permute-and-flip", *choice);
  }
  if (const auto* term = std::get_if<privacy::ObjectivePerturbationEvent>(&mechanism)) {
    const privacy::PerturbedObjective& objective = term->objective;
    return {{"mechanism", "objective-perturbation"},
            {"sign", objective.sign == privacy::GradientSign::monotone ? "monotone" : "two-sided"},
            {"gradient", objective.gradient},
            {"curvature", objective.curvature},
            {"penalty", objective.penalty},
            {"sigma", objective.sigma},
            {"slack_delta", term->slack_delta}};
  }
  if (const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&mechanism)) {
    return {{"mechanism", "sampled-gaussian"},
            {"contribution", sampled->contribution},
            {"sigma", sampled->sigma},
            {"rate", sampled->rate},
            {"sampling", privacy::to_string(sampled->sampling)}};
  }
  if (const auto* sampled = std::get_if<privacy::SampledLaplaceEvent>(&mechanism)) {
    return {{"mechanism", "sampled-laplace"},
            {"contribution", sampled->contribution},
            {"scale", sampled->scale},
            {"rate", sampled->rate},
            {"sampling", privacy::to_string(sampled->sampling)}};
  }
  if (const auto* response = std::get_if<privacy::RandomisedResponseEvent>(&mechanism)) {
    return {{"mechanism", "randomised-response"}, {"epsilon", response->epsilon}};
  }
  if (const auto* selection = std::get_if<privacy::SelectionEvent>(&mechanism)) {
    const bool poisson = selection->law == privacy::RepetitionLaw::poisson;
    return {{"mechanism", "selection"},
            {"repetition_law", poisson ? "poisson" : "truncated-negative-binomial"},
            {"shape", selection->shape},
            {"parameter", selection->parameter},
            {"base_epsilon", selection->base_epsilon},
            {"base_mu", selection->base_mu}};
  }
  const auto& k_norm = std::get<privacy::KNormEvent>(mechanism);
  return {{"mechanism", "k-norm"}, {"l2_sensitivity", k_norm.l2_sensitivity}, {"scale", k_norm.scale}};
}

Json events_json(const std::vector<privacy::PrivacyEvent>& events) {
  Json result = Json::array();
  for (const privacy::PrivacyEvent& event : events) {
    Json each{{"what", event.what}};
    each.update(mechanism_json(event.mechanism));
    each["neighbours"] = privacy::to_string(event.neighbours);
    each["repetitions"] = event.repetitions;
    result.push_back(std::move(each));
  }
  return result;
}

Json guarantee_json(const privacy::Guarantee& guarantee) {
  Json result{{"epsilon", guarantee.epsilon},
              {"delta", guarantee.delta},
              {"pure", guarantee.pure},
              {"neighbours", privacy::to_string(guarantee.neighbours)},
              {"unit", "one row"},
              {"accountant", guarantee.accountant}};
  if (guarantee.mu) result["mu"] = *guarantee.mu;
  if (guarantee.rho) result["rho"] = *guarantee.rho;
  return result;
}

Json loss_json(const loss::Loss& loss) {
  Json result{{"name", std::string(loss::name(loss.kind))}};
  if (loss.kind == loss::LossKind::smoothed_hinge) result["smoothing"] = loss.smoothing;
  if (loss.kind == loss::LossKind::pinball) result["quantile"] = loss.quantile;
  if (loss.kind == loss::LossKind::huber) result["threshold"] = loss.threshold;
  return result;
}

Json set_json(const loss::FeasibleSet& set) {
  switch (set.kind) {
    case loss::SetKind::ball:
      return {{"kind", "ball"}, {"radius", set.radius}};
    case loss::SetKind::box:
      return {{"kind", "box"}, {"radius", set.radius}};
    case loss::SetKind::unconstrained:
      break;
  }
  return {{"kind", "unconstrained"}};
}

Json question_json(const methods::Question& question) {
  return {{"loss", loss_json(question.problem.loss)},
          {"l2_penalty", question.problem.l2_penalty},
          {"feasible_set", set_json(question.problem.feasible_set)},
          {"rows", question.facts.rows},
          {"weights", question.facts.dimension},
          {"columns", question.facts.columns},
          {"epsilon", question.budget.epsilon},
          {"delta", question.budget.delta}};
}

Json plan_json(const methods::Plan& plan) {
  Json derivation = Json::array();
  for (const methods::DerivationStep& step : plan.derivation) {
    derivation.push_back({{"quantity", step.quantity}, {"value", step.value}, {"reason", step.reason}});
  }
  return {
      {"method", plan.method},
      {"options", plan.options},
      {"question", question_json(plan.question)},
      {"events", events_json(plan.events)},
      {"guarantee", guarantee_json(plan.guarantee)},
      {"utility",
       {{"excess_risk", plan.utility.excess_risk}, {"holds", plan.utility.holds}, {"theorem", plan.utility.theorem}}},
      {"derivation", derivation}};
}

Json coefficients_json(const Model& model) {
  Json result = Json::array();
  for (const Coefficient& each : coefficients(schema::Encoding(model.schema), model.weights)) {
    result.push_back({{"name", each.name}, {"value", each.original}, {"per", each.per}, {"encoded", each.encoded}});
  }
  return result;
}

}  // namespace

Model make_model(const schema::Schema& schema, const methods::Plan& plan, const methods::FitResult& result) {
  Model model{schema,
              plan,
              result.weights.get(),
              result.events,
              privacy::account(result.events, plan.question.budget.delta),
              result.secure,
              {}};
  if (!result.secure) {
    model.remarks.push_back("made with a fixed seed: the noise can be reproduced, so this model is NOT private");
  }
  return model;
}

std::string to_json(const Model& model) {
  Json file{{"format", "dperm-model"},
            {"format_version", kModelFormatVersion},
            {"dperm_version", kVersion},
            {"private", model.is_private},
            {"remarks", model.remarks},
            {"guarantee", guarantee_json(model.guarantee)},
            {"coefficients", coefficients_json(model)},
            {"events", events_json(model.events)},
            {"plan", plan_json(model.plan)},
            {"schema", schema::to_toml(model.schema)}};
  file["digest"] = digest(nlohmann::json(file).dump());
  return file.dump(2) + "\n";
}

std::string plan_to_json(const methods::Plan& plan) { return plan_json(plan).dump(2) + "\n"; }

}  // namespace dperm::report
