// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/model_json.hpp"

#include <nlohmann/json.hpp>

#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/model/evaluated_json.hpp"
#include "dperm/model/event_json.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::model {

namespace {

using Json = nlohmann::ordered_json;

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
  if (task.facts.unit_rows > 0) result["unit_rows"] = task.facts.unit_rows;
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

Json utility_json(const methods::UtilityBound& utility) {
  Json result{{"excess_risk", utility.excess_risk},
              {"holds", plain(methods::holds_text(utility))},
              {"theorem", plain(utility.theorem)}};
  if (utility.probability) result["probability"] = *utility.probability;
  if (utility.if_rows_within) result["if_rows_within"] = *utility.if_rows_within;
  return result;
}

Json holdout_json(const methods::HoldoutPlan& holdout) {
  Json result{{"share", holdout.options.share},
              {"rows", holdout.judgement.rows},
              {"threshold", holdout.options.judged.threshold}};
  if (!holdout.options.judged.groups.empty()) result["groups"] = holdout.options.judged.groups;
  return result;
}

Json plan_json(const methods::Plan& plan) {
  Json derivation = Json::array();
  for (const methods::DerivationStep& step : plan.derivation) {
    derivation.push_back({{"quantity", step.quantity}, {"value", step.value}, {"reason", step.reason}});
  }
  Json result{{"method", methods::method_name(plan.options)},
              {"algorithm", methods::algorithm_name(plan.options)},
              {"options", methods::option_texts(plan.options)},
              {"task", task_json(plan.task)}};
  if (plan.holdout) result["holdout"] = holdout_json(*plan.holdout);
  result["events"] = events_json(plan.events);
  result["guarantee"] = guarantee_json(plan.guarantee, plan.task.facts.unit_rows);
  result["utility"] = utility_json(plan.utility);
  result["derivation"] = derivation;
  return result;
}

// One entry per weight; with softmax class by class.
Json coefficients_json(const Model& model) {
  Json result = Json::array();
  const schema::Encoding encoding(model.schema);
  const bool multiclass = methods::model_form(model.plan.task.problem) == methods::ModelForm::multiclass;
  std::size_t weight = 0;
  for (std::size_t first = 0; first < model.weights.size(); first += encoding.dimension()) {
    for (const Coefficient& each :
         coefficients(encoding, std::span(model.weights).subspan(first, encoding.dimension()))) {
      Json entry{{"name", each.name}, {"value", each.original}, {"per", each.per}, {"encoded", each.encoded}};
      if (!model.weight_noise.empty()) entry["encoded_noise"] = model.weight_noise.at(weight++);
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
  Json file{
      {"format", "dperm-model"},   {"format_version", kModelFormatVersion},
      {"dperm_version", kVersion}, {"private", model.is_private},
      {"remarks", model.remarks},  {"guarantee", guarantee_json(model.guarantee, model.plan.task.facts.unit_rows)}};
  if (!model.schema.inferred.empty()) {
    const infer::Total total = infer::total(model.schema, model.guarantee);
    file["total_guarantee"] = {{"epsilon", total.epsilon}, {"delta", total.delta}};
  }
  add_parameters(file, model);
  if (model.tuning) {
    file["tuning"] = {
        {"candidate", model.tuning->candidate}, {"score", model.tuning->score}, {"score_noise", model.tuning->noise}};
  }
  if (model.judgement) {
    Json& evaluation = file["evaluation"] = evaluated_json(*model::evaluation(model));
    evaluation["edges"] = model.judgement->edges;
    evaluation["released"] = model.judgement->sums;
  }
  if (model.interval) {
    file["interval"] = {
        {"lower", model.interval->lower}, {"upper", model.interval->upper}, {"confidence", model.interval->confidence}};
  }
  if (model.ledger) {
    file["ledger"] = {{"id", model.ledger->ledger},
                      {"dataset", model.ledger->dataset},
                      {"entry", model.ledger->entry},
                      {"head", model.ledger->head}};
  }
  file["events"] = events_json(model.events);
  file["plan"] = plan_json(model.plan);
  file["schema"] = schema::to_toml(model.schema);
  file["digest"] = digest(nlohmann::json(file).dump());
  return file.dump(2) + "\n";
}

std::string events_to_json(const std::vector<privacy::PrivacyEvent>& events) {
  return Json{{"events", events_json(events)}}.dump(2) + "\n";
}

std::string plan_to_json(const methods::Plan& plan) { return plan_json(plan).dump(2) + "\n"; }

}  // namespace dperm::model
