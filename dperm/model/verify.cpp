// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "dperm/core/error.hpp"
#include "dperm/core/nearly_equal.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/exponential_location/location_interval.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/schema/encoding.hpp"
#include "dperm/schema/inferred.hpp"

namespace dperm::model {

namespace {

Check check(std::string what, bool passed, std::string detail) {
  return {std::move(what), passed, passed ? "" : std::move(detail)};
}

// Another machine's mathematical library may differ in the last digits; nothing a tamperer could use.
constexpr double kSameNumber = 1e-9;

template <class Value>
bool same(const Value& a, const Value& b) {
  return nearly_equal(a, b, kSameNumber);
}

// The numbers that the plan tells people: its guarantee, its utility bound and the chain between. Words are not
// compared: what is shown to people comes from planning anew.
bool tells_the_same(const methods::Plan& a, const methods::Plan& b) {
  const auto told = [](const std::optional<double>& claimed, const std::optional<double>& found) {
    return !claimed || (found && same(*claimed, *found));  // version 1 has it in words only
  };
  return same(a.guarantee, b.guarantee) && same(a.utility.excess_risk, b.utility.excess_risk) &&
         told(a.utility.probability, b.utility.probability) &&
         told(a.utility.if_rows_within, b.utility.if_rows_within) &&
         std::equal(a.derivation.begin(), a.derivation.end(), b.derivation.begin(), b.derivation.end(),
                    [](const auto& x, const auto& y) { return same(x.value, y.value); });
}

bool in_feasible_set(const Model& model, const loss::FeasibleSet& set) {
  // A projection onto the set must leave the weights in place up to its own rounding.
  std::vector<double> projected = model.weights;
  loss::project(set, projected);
  // Largest coordinates, not sums of squares, which would overflow for huge weights and then accept anything.
  double distance = 0, size = 0;
  for (std::size_t j = 0; j < projected.size(); ++j) {
    distance = std::max(distance, std::abs(projected[j] - model.weights[j]));
    size = std::max(size, std::abs(model.weights[j]));
  }
  return distance <= 1e-9 * (1 + size);
}

// What a model tells about the choice among settings: there if and only if they were chosen, a candidate of the public
// grid with its noise and weights in its set, or the default where there was no run.
bool tuning_follows(const Model& model, const methods::Plan& fresh) {
  const bool tuned = fresh.tuning != nullptr;
  if (!tuned || !model.tuning) return !tuned && !model.tuning;
  if (!std::isfinite(model.tuning->score) || !same(model.tuning->noise, fresh.tuning->score_noise)) return false;
  if (model.tuning->candidate.empty()) {
    const auto* division = std::get_if<privacy::DisjointPartsEvent>(&fresh.events.at(0).mechanism);
    const privacy::PrivacyEvent& chosen = division ? division->parts.at(0).at(0) : fresh.events.at(0);
    const auto* event = std::get_if<privacy::SelectionEvent>(&chosen.mechanism);
    return event && event->distribution == privacy::RepetitionDistribution::poisson && model.tuning->score == 0 &&
           std::all_of(model.weights.begin(), model.weights.end(), [](double w) { return w == 0; });
  }
  const auto& all = fresh.tuning->candidates;
  const auto chosen =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.label == model.tuning->candidate; });
  return chosen != all.end() && in_feasible_set(model, chosen->plan.task.problem.feasible_set);
}

// Counts of rows kept out are there if and only if the plan keeps some out, as many as it counts, in the bins that
// follow from the weights. The counts are released numbers: no file can show that they are honest.
bool evaluation_follows(const Model& model, const methods::Plan& fresh) {
  if (!fresh.holdout || !model.judgement) return !fresh.holdout && !model.judgement;
  const methods::JudgementPlan& plan = fresh.holdout->judgement;
  return model.judgement->plan.rows == plan.rows &&
         same(model.judgement->edges, methods::edges_for(fitted(model), plan)) &&
         model.judgement->sums.size() == std::max<std::size_t>(1, plan.groups.size()) * plan.cells();
}

methods::Plan plan_again(const Model& model) {
  methods::Plan plan = methods::plan_for(model.plan.task, model.plan.options);
  if (!model.plan.holdout) return plan;
  // Of persons the fit is planned for all rows, those of persons kept out being blank.
  const methods::HoldoutPlan& holdout = *model.plan.holdout;
  const std::size_t others = holdout.by_persons() ? 0 : holdout.judgement.rows;
  return methods::with_holdout(plan, plan.task.facts.rows + others, holdout.options, schema::Encoding(model.schema));
}

Check dimensions_follow(const Model& model) {
  const schema::Encoding encoding(model.schema);
  const methods::PublicFacts& facts = model.plan.task.facts;
  return check("the schema's encoding has the model's dimensions",
               methods::facts_of(encoding, model.plan.task.problem, facts.rows) == facts &&
                   model.weights.size() == methods::weight_count(model.plan.task),
               "number of weights or columns differs");
}

// An interval is there where the plan makes one, with its confidence, in order and between the bounds.
bool interval_follows(const Model& model) {
  const auto* options = std::get_if<methods::ExponentialLocationOptions>(&model.plan.options);
  const methods::Problem& problem = model.plan.task.problem;
  const bool mean = problem.loss.kind == loss::LossKind::squared;
  const bool shrunk = problem.l2_penalty > 0 || problem.feasible_set.radius < 1;
  const bool expected = options != nullptr && (mean ? !shrunk : options->interval.has_value());
  // That of a mean costs nothing, and older files have none.
  if (!model.interval) return !expected || mean;
  if (!expected) return false;
  const methods::ReleasedInterval& told = *model.interval;
  return told.confidence == options->interval.value_or(methods::kUsualConfidence) && told.lower >= -1 &&
         told.lower <= told.upper && told.upper <= 1;
}

// How many numbers' bounds and how many lists of values carry the seal of an inference.
struct SealedEntries {
  double numbers = 0, lists = 0;
};
SealedEntries sealed_by(const schema::Schema& schema, const std::string& id) {
  SealedEntries count;
  for (const schema::Column& column : schema.columns) {
    if (column.inferred.empty() || column.inferred != schema::seal_of(column, id)) continue;
    ++(column.values.empty() ? count.numbers : count.lists);
  }
  const schema::Target& target = schema.target;
  if (!target.inferred.empty() && target.inferred == schema::seal_of(target, id)) {
    ++(target.kind == schema::TargetKind::real || target.threshold ? count.numbers : count.lists);
  }
  return count;
}

// What one release about so many columns changes by at least, for all rows of a person.
double least_sensitivity(const schema::Inference& inference, double columns) {
  return std::max<double>(1, inference.unit_rows) * std::sqrt(2 * std::max(1.0, columns)) * (1 - kSameNumber);
}

bool releases_follow(const schema::Schema& schema, const schema::Inference& inference) {
  const SealedEntries sealed = sealed_by(schema, inference.id);
  bool numbers = sealed.numbers == 0, lists = sealed.lists == 0;
  for (const schema::Inference::Release& each : inference.releases) {
    if (each.l2_sensitivity < least_sensitivity(inference, 1)) return false;
    const bool counts = each.mechanism == privacy::SelectedCountsEvent::word;
    const double columns = counts ? sealed.lists : sealed.numbers;
    if (each.l2_sensitivity < least_sensitivity(inference, columns)) continue;
    if (counts && static_cast<double>(each.values) < std::max<double>(1, inference.unit_rows) * columns) continue;
    (counts ? lists : numbers) = true;
  }
  return !inference.releases.empty() && numbers && lists && inference.epsilon > 0 && inference.delta > 0 &&
         inference.delta < 1;
}

// Parsing has checked that every inferred entry carries the seal of its release. Releases that the program has no
// accountant for, that cost more than their cap, or that ask about fewer columns than were sealed, do not pass.
Check inference_follows(const schema::Schema& schema) {
  const char* const what = "what was inferred for the schema cost no more than its cap";
  for (const schema::Inference& each : schema.inferred) {
    if (!releases_follow(schema, each)) return check(what, false, "its releases are not those of its columns");
    const privacy::Guarantee spent = privacy::account(infer::events_of(each), each.delta);
    if (spent.epsilon <= each.epsilon * (1 + kSameNumber)) continue;
    return check(what, false, fmt::format("spent epsilon {:.6g} of {:.6g}", spent.epsilon, each.epsilon));
  }
  return check(what, true, "");
}

// A schema that names its dataset is fitted with a ledger alone, which counts it under that name.
Check dataset_follows(const Model& model) {
  return check("the dataset that the schema names is the one that a ledger counted",
               model.ledger && model.ledger->dataset == model.schema.dataset,
               model.ledger ? fmt::format("the schema says '{}', the ledger's mark '{}'", model.schema.dataset,
                                          model.ledger->dataset)
                            : "the mark of the ledger is missing");
}

// [proof report_verify.checks]
std::vector<Check> checks_against(const Model& model, const methods::Plan& fresh) {
  const privacy::Guarantee spent = privacy::account(model.events, model.plan.task.budget.delta);
  const methods::Budget& budget = model.plan.task.budget;
  return {
      check("sensitivity and noise follow from schema, task and options", same(fresh.events, model.plan.events),
            "planning anew gives other events than the file's plan"),
      check("recorded events equal the planned events", same(model.events, fresh.events),
            "the file records other releases than the plan allows"),
      check("the plan's guarantee, derivation and utility bound follow from the same",
            tells_the_same(model.plan, fresh), "planning anew gives other numbers than the file"),
      check("the guarantee follows from the recorded events", same(spent, model.guarantee),
            fmt::format("the events give epsilon {:.6g} at delta {:g}, the file claims {:.6g} at {:g}", spent.epsilon,
                        spent.delta, model.guarantee.epsilon, model.guarantee.delta)),
      check("the guarantee is within the budget",
            spent.epsilon <= budget.epsilon * (1 + kSameNumber) && spent.delta <= budget.delta,
            fmt::format("spent epsilon {:.6g} of {:.6g}", spent.epsilon, budget.epsilon)),
      check("the weights are finite and lie in the feasible set",
            std::all_of(model.weights.begin(), model.weights.end(), [](double w) { return std::isfinite(w); }) &&
                in_feasible_set(model, model.plan.task.problem.feasible_set),
            "no fit of this plan can give these weights"),
      check("an interval is there where the plan has one, and in order", interval_follows(model),
            "no fit of this plan ends with this interval"),
      check("the choice among settings is one that the plan allows", tuning_follows(model, fresh),
            "no selection of this plan ends with this candidate, score and weights"),
      check("the evaluation on rows kept out is one that the plan allows", evaluation_follows(model, fresh),
            "no evaluation of this plan has these bins and counts"),
  };
}
// [/proof]

}  // namespace

std::vector<Check> verify(const Model& model, const PlanAnew& plan_anew) {
  std::vector<Check> checks;
  if (privacy::is_unprotected(model.events) || privacy::is_unprotected(model.plan.events)) {
    checks.push_back(check("what was released is protected", false, "it left without noise: nothing is promised"));
  }
  const auto cannot_be_planned = [&](const std::exception& error) {
    checks.push_back(check("the plan can be made anew", false, plain(error.what())));
  };
  // A file can ask for the impossible. Whatever else goes wrong is not the file's fault, and must not look like it.
  try {
    checks.push_back(dimensions_follow(model));
    if (!checks.back().passed) return checks;
    for (Check& each : checks_against(model, plan_anew(model))) checks.push_back(std::move(each));
    if (!model.schema.inferred.empty()) checks.push_back(inference_follows(model.schema));
    if (!model.schema.dataset.empty()) checks.push_back(dataset_follows(model));
  } catch (const ArgumentError& error) {
    cannot_be_planned(error);
  } catch (const DataError& error) {
    cannot_be_planned(error);
  }
  checks.push_back(check("the model was made with secure randomness and without unsafe diagnostics", model.is_private,
                         "the file says itself that it is not private"));
  return checks;
}

methods::Plan planned_anew(const Model& model) {
  try {
    return plan_again(model);
  } catch (const ArgumentError& error) {
    throw DataError(fmt::format("the model's plan cannot be made: {}; do not rely on this model", plain(error.what())));
  }
}

std::vector<Check> verify(const Model& model) { return verify(model, plan_again); }

bool all_passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& each) { return each.passed; });
}

std::optional<Check> first_failure(Model model) {
  if (privacy::is_unprotected(model.events)) return std::nullopt;
  model.is_private = true;
  const std::vector<Check> checks = verify(model);
  const auto failed = std::find_if(checks.begin(), checks.end(), [](const Check& each) { return !each.passed; });
  return failed == checks.end() ? std::nullopt : std::optional(*failed);
}

}  // namespace dperm::model
