// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <variant>

#include "dperm/methods/algorithms.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::model {

namespace {

Check check(std::string what, bool passed, std::string detail) {
  return {std::move(what), passed, passed ? "" : std::move(detail)};
}

// Another machine's mathematical library may differ in the last digits; nothing a tamperer could use.
constexpr double kSameNumber = 1e-9;

bool close(double a, double b) { return a == b || std::abs(a - b) <= kSameNumber * std::max(std::abs(a), std::abs(b)); }

bool close(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || close(*a, *b));
}

// What both kinds of perturbed objectives say about a record.
template <class Objective>
bool same_record(const Objective& a, const Objective& b) {
  return a.sign == b.sign && a.classes == b.classes && close(a.gradient, b.gradient) &&
         close(a.curvature, b.curvature) && close(a.penalty, b.penalty);
}

bool same(const std::vector<privacy::PrivacyEvent>& a, const std::vector<privacy::PrivacyEvent>& b);

bool same(const privacy::Mechanism& a, const privacy::Mechanism& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<privacy::GaussianEvent>(&a)) {
    const auto& y = std::get<privacy::GaussianEvent>(b);
    return close(x->l2_sensitivity, y.l2_sensitivity) && close(x->sigma, y.sigma);
  }
  if (const auto* x = std::get_if<privacy::KNormEvent>(&a)) {
    const auto& y = std::get<privacy::KNormEvent>(b);
    return close(x->l2_sensitivity, y.l2_sensitivity) && close(x->scale, y.scale);
  }
  if (const auto* x = std::get_if<privacy::ObjectivePerturbationEvent>(&a)) {
    const auto& y = std::get<privacy::ObjectivePerturbationEvent>(b);
    return same_record(x->objective, y.objective) && close(x->objective.sigma, y.objective.sigma) &&
           close(x->slack_delta, y.slack_delta);
  }
  if (const auto* x = std::get_if<privacy::PureObjectiveEvent>(&a)) {
    const auto& y = std::get<privacy::PureObjectiveEvent>(b);
    return same_record(x->objective, y.objective) && close(x->objective.scale, y.objective.scale);
  }
  if (const auto* x = std::get_if<privacy::SelectionEvent>(&a)) {
    const auto& y = std::get<privacy::SelectionEvent>(b);
    return x->distribution == y.distribution && close(x->shape, y.shape) && close(x->parameter, y.parameter) &&
           close(x->base_epsilon, y.base_epsilon) && close(x->base_mu, y.base_mu) &&
           std::equal(x->alternatives.begin(), x->alternatives.end(), y.alternatives.begin(), y.alternatives.end(),
                      [](const auto& left, const auto& right) { return same(left, right); });
  }
  if (const auto* x = std::get_if<privacy::RegularisedExponentialEvent>(&a)) {
    const auto& y = std::get<privacy::RegularisedExponentialEvent>(b);
    return close(x->gradient_difference, y.gradient_difference) &&
           close(x->inverse_temperature, y.inverse_temperature) && close(x->penalty, y.penalty) &&
           close(x->log_error, y.log_error) && close(x->total_variation, y.total_variation);
  }
  if (const auto* x = std::get_if<privacy::SampledGaussianEvent>(&a)) {
    const auto& y = std::get<privacy::SampledGaussianEvent>(b);
    return close(x->contribution, y.contribution) && close(x->sigma, y.sigma) && close(x->rate, y.rate) &&
           x->sampling == y.sampling;
  }
  return a == b;
}

bool same(const std::vector<privacy::PrivacyEvent>& a, const std::vector<privacy::PrivacyEvent>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.what == y.what && x.neighbours == y.neighbours && x.repetitions == y.repetitions &&
           same(x.mechanism, y.mechanism);
  });
}

bool same(const privacy::Guarantee& a, const privacy::Guarantee& b) {
  return close(a.epsilon, b.epsilon) && close(a.delta, b.delta) && a.neighbours == b.neighbours && a.pure == b.pure &&
         a.accountant == b.accountant && close(a.mu, b.mu) && close(a.rho, b.rho);
}

// The numbers that the plan tells people: its guarantee, its utility bound and the chain between. Words are not
// compared: what is shown to people comes from planning anew.
bool tells_the_same(const methods::Plan& a, const methods::Plan& b) {
  return same(a.guarantee, b.guarantee) && close(a.utility.excess_risk, b.utility.excess_risk) &&
         std::equal(a.derivation.begin(), a.derivation.end(), b.derivation.begin(), b.derivation.end(),
                    [](const auto& x, const auto& y) { return close(x.value, y.value); });
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
  if (!std::isfinite(model.tuning->score) || !close(model.tuning->noise, fresh.tuning->score_noise)) return false;
  if (model.tuning->candidate.empty()) {
    const auto* event = std::get_if<privacy::SelectionEvent>(&fresh.events.at(0).mechanism);
    return event && event->distribution == privacy::RepetitionDistribution::poisson && model.tuning->score == 0 &&
           std::all_of(model.weights.begin(), model.weights.end(), [](double w) { return w == 0; });
  }
  const auto& all = fresh.tuning->candidates;
  const auto chosen =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.label == model.tuning->candidate; });
  return chosen != all.end() && in_feasible_set(model, chosen->plan.task.problem.feasible_set);
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
            tells_the_same(model.plan, fresh), "planning anew gives other numbers or reasons than the file tells"),
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
      check("the choice among settings is one that the plan allows", tuning_follows(model, fresh),
            "no selection of this plan ends with this candidate, score and weights"),
  };
}
// [/proof]

}  // namespace

std::vector<Check> verify(const Model& model) {
  std::vector<Check> checks;
  const schema::Encoding encoding(model.schema);
  const methods::PublicFacts& facts = model.plan.task.facts;
  checks.push_back(check("the schema's encoding has the model's dimensions",
                         methods::facts_of(encoding, model.plan.task.problem, facts.rows) == facts &&
                             model.weights.size() == methods::weight_count(model.plan.task),
                         "number of weights or columns differs"));
  if (!checks.back().passed) return checks;
  try {
    const methods::Plan fresh = methods::plan_for(model.plan.task, model.plan.options);
    for (Check& each : checks_against(model, fresh)) checks.push_back(std::move(each));
  } catch (const std::exception& error) {
    checks.push_back(check("the plan can be made anew", false, error.what()));
  }
  checks.push_back(check("the model was made with secure randomness and without unsafe diagnostics", model.is_private,
                         "the file says itself that it is not private"));
  return checks;
}

bool all_passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& each) { return each.passed; });
}

}  // namespace dperm::model
