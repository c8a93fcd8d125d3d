// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/model_json.hpp"

#include <nlohmann/json.hpp>

#include "dperm/methods/algorithms.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/model/digest.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::model {

namespace {

using Json = nlohmann::ordered_json;

template <class Choice>
Json choice_json(const char* name, const Choice& choice) {
  return {{"mechanism", name},
          {"range", choice.range},
          {"scale_numerator", choice.scale_numerator},
          {"scale_denominator", choice.scale_denominator}};
}

// The part that both kinds of perturbed objectives share.
template <class Objective>
Json objective_json(const char* name, const Objective& objective) {
  const bool monotone = objective.sign == privacy::GradientSign::monotone;
  const bool multinomial = objective.sign == privacy::GradientSign::multinomial;
  Json json = {{"mechanism", name},
               {"sign", monotone      ? "monotone"
                        : multinomial ? "multinomial"
                                      : "two-sided"},
               {"gradient", objective.gradient},
               {"curvature", objective.curvature},
               {"penalty", objective.penalty}};
  if (multinomial) json["classes"] = objective.classes;
  return json;
}

Json events_json(const std::vector<privacy::PrivacyEvent>& events);

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
    Json json = objective_json("objective-perturbation", term->objective);
    json["sigma"] = term->objective.sigma;
    json["slack_delta"] = term->slack_delta;
    return json;
  }
  if (const auto* term = std::get_if<privacy::PureObjectiveEvent>(&mechanism)) {
    Json json = objective_json("pure-objective-perturbation", term->objective);
    json["scale"] = term->objective.scale;
    return json;
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
    const bool poisson = selection->distribution == privacy::RepetitionDistribution::poisson;
    Json json{{"mechanism", "selection"},
              {"repetition_distribution", poisson ? "poisson" : "truncated-negative-binomial"},
              {"shape", selection->shape},
              {"parameter", selection->parameter},
              {"base_epsilon", selection->base_epsilon},
              {"base_mu", selection->base_mu}};
    for (const auto& events : selection->alternatives) {
      json["alternatives"].push_back(Json{{"events", events_json(events)}});
    }
    return json;
  }
  if (const auto* density = std::get_if<privacy::RegularisedExponentialEvent>(&mechanism)) {
    return {{"mechanism", "regularised-exponential"},
            {"gradient_difference", density->gradient_difference},
            {"inverse_temperature", density->inverse_temperature},
            {"penalty", density->penalty},
            {"log_error", density->log_error},
            {"total_variation", density->total_variation}};
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
              {"unit", kUnit},
              {"accountant", guarantee.accountant}};
  if (guarantee.mu) result["mu"] = *guarantee.mu;
  if (guarantee.rho) result["rho"] = *guarantee.rho;
  return result;
}

Json loss_json(const loss::Loss& loss) {
  Json result{{"name", std::string(loss::name(loss.kind))}};
  for (const loss::LossParameter& each : loss::info(loss.kind).parameters) {
    result[std::string(each.name)] = loss.*each.member;
  }
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

Json task_json(const methods::Task& task) {
  Json result{{"loss", loss_json(task.problem.loss)},
              {"l2_penalty", task.problem.l2_penalty},
              {"feasible_set", set_json(task.problem.feasible_set)},
              {"rows", task.facts.rows},
              {"weights", task.facts.dimension},
              {"columns", task.facts.columns},
              {"epsilon", task.budget.epsilon},
              {"delta", task.budget.delta}};
  const methods::Problem& problem = task.problem;
  if (!problem.hidden.empty()) {
    result["hidden"] = problem.hidden;
    result["activation"] = network::name(problem.activation);
  }
  if (task.facts.classes > 0) result["classes"] = task.facts.classes;
  if (!problem.rules.empty()) {
    result["rules"] = problem.rules;
    result["rule_count"] = task.facts.rules;
  }
  return result;
}

Json plan_json(const methods::Plan& plan) {
  Json derivation = Json::array();
  for (const methods::DerivationStep& step : plan.derivation) {
    derivation.push_back({{"quantity", step.quantity}, {"value", step.value}, {"reason", step.reason}});
  }
  return {{"method", methods::method_name(plan.options)},
          {"algorithm", methods::algorithm_name(plan.options)},
          {"options", methods::option_texts(plan.options)},
          {"task", task_json(plan.task)},
          {"events", events_json(plan.events)},
          {"guarantee", guarantee_json(plan.guarantee)},
          {"utility",
           {{"excess_risk", plan.utility.excess_risk},
            {"holds", methods::holds_text(plan.utility)},
            {"theorem", plan.utility.theorem}}},
          {"derivation", derivation}};
}

// One entry a weight; with softmax class by class.
Json coefficients_json(const Model& model) {
  Json result = Json::array();
  const schema::Encoding encoding(model.schema);
  const bool multiclass = methods::model_form(model.plan.task.problem) == methods::ModelForm::multiclass;
  for (std::size_t first = 0; first < model.weights.size(); first += encoding.dimension()) {
    for (const Coefficient& each :
         coefficients(encoding, std::span(model.weights).subspan(first, encoding.dimension()))) {
      Json entry{{"name", each.name}, {"value", each.original}, {"per", each.per}, {"encoded", each.encoded}};
      if (multiclass) entry["class"] = model.schema.target.values[first / encoding.dimension()];
      result.push_back(std::move(entry));
    }
  }
  return result;
}

void add_parameters(Json& file, const Model& model) {
  switch (methods::model_form(model.plan.task.problem)) {
    case methods::ModelForm::linear:
    case methods::ModelForm::multiclass:
      file["coefficients"] = coefficients_json(model);
      return;
    case methods::ModelForm::network:
      file["network_weights"] = model.weights;
      return;
    case methods::ModelForm::rule:
      file["rule"] = {{"number", static_cast<std::uint64_t>(model.weights.at(0))}, {"text", rule_text(model)}};
      return;
  }
}

}  // namespace

std::string to_json(const Model& model) {
  Json file{{"format", "dperm-model"},   {"format_version", kModelFormatVersion},
            {"dperm_version", kVersion}, {"private", model.is_private},
            {"remarks", model.remarks},  {"guarantee", guarantee_json(model.guarantee)}};
  add_parameters(file, model);
  if (model.tuning) {
    file["tuning"] = {
        {"candidate", model.tuning->candidate}, {"score", model.tuning->score}, {"score_noise", model.tuning->noise}};
  }
  file["events"] = events_json(model.events);
  file["plan"] = plan_json(model.plan);
  file["schema"] = schema::to_toml(model.schema);
  file["digest"] = digest(nlohmann::json(file).dump());
  return file.dump(2) + "\n";
}

std::string plan_to_json(const methods::Plan& plan) { return plan_json(plan).dump(2) + "\n"; }

}  // namespace dperm::model
