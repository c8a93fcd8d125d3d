// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/evaluation/beside_constant.hpp"
#include "dperm/planner/forecast.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

constexpr double kFewPoints = 0.1;  // fewer are not worth a number of their own

std::optional<methods::Plan> planned(const methods::Task& task, const methods::AlgorithmOptions& options) {
  try {
    return methods::plan_for(task, options);
  } catch (const ArgumentError&) {
    return std::nullopt;  // a given penalty, say, does not fit the other size
  }
}

Html bound_words(const Facts& facts) {
  const methods::UtilityBound& bound = facts.model.plan.utility;
  if (std::isinf(bound.excess_risk)) {
    return Html("No accuracy is guaranteed beforehand for every table. Why: ") + with_code(bound.theorem) + ".";
  }
  const methods::Task& task = facts.model.plan.task;
  const bool rule = facts.form == methods::ModelForm::rule;
  const double nothing = rule ? 0.5 : loss::loss_of_zero(task.problem.loss, task.facts.classes);
  const std::string what = rule ? "the share of wrong answers" : "the mean loss on the training rows";
  return Html(
      fmt::format("Proven for every table, {}: {} is at most {} above that of the best {}.{}",
                  methods::holds_text(bound), what, digits(bound.excess_risk), rule ? "rule" : "weights",
                  bound.excess_risk < nothing
                      ? fmt::format(" For scale: {} {}.", rule ? "a coin has" : "weights of zero have", digits(nothing))
                      : " That promises nothing here; with more rows or epsilon it would."));
}

// What came out, as far as it was measured.
Html outcome_words(const Facts& facts) {
  const auto measured = headline_measure(facts);
  if (!measured) return "Not measured: no rows were kept out.";
  Html text = strong(measured->value + " " + measured->bar) + " " + measured->meaning;
  const auto beside = methods::beside_constant(facts.judged->all);
  if (!beside) return text;
  const bool share = facts.judged->all.find("accuracy") != nullptr;
  const std::string constant = share ? "always the same answer is right for " + percent(beside->constant)
                                     : "R2 is " + digits(beside->model, 2) + ", that of a constant 0";
  return text + "; " + constant + "." +
         (beside->no_better() ? Html(" ") + strong("The model is no better than that.")
          : beside->not_clearly_better()
              ? Html(" ") + strong("Within its error bar the model may be no better than that.")
              : Html());
}

}  // namespace

std::string Outlook::number() const {
  if (points && !proven && expected < kFewPoints) return fmt::format("less than {:g}", kFewPoints);
  return (proven ? "at most " : "about ") + digits(expected, 2);
}

std::string Outlook::range() const {
  if (proven) return "";
  return lower > 0 ? fmt::format("{} to {}", digits(lower, 2), digits(upper, 2)) : "less than " + digits(upper, 2);
}

std::optional<Outlook> outlook_of(const model::Model& model, const methods::Plan& plan) {
  const double half_width = schema::target_units(model.schema.target).half_width;
  const std::string own_unit = fmt::format("in the unit of {}", model.schema.target.name);
  if (const auto forecast = planner::forecast(plan, planner::population_of(schema::Encoding(model.schema)))) {
    const double scale = forecast->accuracy_lost ? 100 : half_width;
    return Outlook{scale * forecast->told.expected,
                   scale * forecast->told.lower,
                   scale * forecast->told.upper,
                   false,
                   forecast->accuracy_lost.has_value(),
                   forecast->accuracy_lost ? "points of accuracy lost to privacy"
                                           : "by which privacy moves predictions, root mean square, " + own_unit};
  }
  if (const auto error = planner::proven_mean_error(plan)) {
    return Outlook{half_width * *error, 0, 0, true, false, "error of the mean, root mean square, " + own_unit};
  }
  if (methods::model_form(plan.task.problem) == methods::ModelForm::rule && plan.utility.excess_risk < 0.5) {
    return Outlook{100 * plan.utility.excess_risk, 0, 0, true, true, "points more wrong answers than the best rule"};
  }
  return std::nullopt;
}

std::vector<NextUnit> next_units(const model::Model& model) {
  const methods::Task& task = model.plan.task;
  std::vector<NextUnit> result = {{"as it was fitted", outlook_of(model, model.plan)}};
  const auto add = [&](const std::string& what, const methods::Task& other) {
    // Penalty and set that were chosen for this size need not be the best for another.
    methods::Task anew = other;
    anew.problem.l2_penalty = 0;
    anew.problem.feasible_set = {};
    std::optional<Outlook> best;
    for (const methods::Task* each : {&other, &std::as_const(anew)}) {
      const auto plan = planned(*each, model.plan.options);
      const auto outlook = plan ? outlook_of(model, *plan) : std::nullopt;
      if (outlook && (!best || outlook->expected < best->expected)) best = outlook;
    }
    result.push_back({what, best});
  };
  methods::Task epsilon = task, rows = task, many = task;
  epsilon.budget.epsilon *= 2;
  rows.facts.rows *= 2;
  many.facts.rows *= 10;
  add(fmt::format("twice the epsilon ({})", digits(epsilon.budget.epsilon)), epsilon);
  add(fmt::format("twice the rows ({})", whole(static_cast<double>(rows.facts.rows))), rows);
  add(fmt::format("ten times the rows ({})", whole(static_cast<double>(many.facts.rows))), many);
  return result;
}

Html outlook_section(const Facts& facts, const Place& place) {
  if (facts.is_unprotected()) {
    return paragraph(
        "No privacy was planned, and there is none. What it would have cost: dperm evaluate --excess-risk.");
  }
  if (!facts.verified) {
    return paragraph("The file does not verify, so no plan can be held against it.");
  }
  const std::vector<NextUnit> units = next_units(facts.model);
  const auto& now = units.front().outlook;
  const std::string expected = now ? fmt::format("{} {}{}.", now->number(), now->unit,
                                                 now->range().empty() ? "" : " (most often " + now->range() + ")")
                                   : "No forecast: " + planner::why_no_forecast(facts.model.plan) + ".";
  Html content = terms(
      {{"Promised about privacy", budget_words(facts.model.plan.guarantee.epsilon, facts.model.plan.guarantee.delta)},
       {"Released", facts.model.events == facts.model.plan.events
                        ? Html("exactly what was planned, with the planned noise")
                        : Html("what was planned, up to rounding")},
       {"Expected accuracy", with_code(expected)},
       {"Proven accuracy", bound_words(facts)},
       {"Outcome", facts.one_number ? Html("the number above, with its interval where one was asked for")
                                    : outcome_words(facts)}});
  content += heading(place.level + 1, "What the next unit of budget would buy");
  if (!now) return content + paragraph("There is no forecast for this method and task, so this cannot be told.");
  std::vector<std::vector<Html>> rows;
  for (const NextUnit& each : units) {
    rows.push_back({each.what, each.outlook ? Html(each.outlook->number()) : Html("does not apply"),
                    each.outlook ? Html(each.outlook->range()) : Html()});
  }
  content += paragraph(fmt::format("{}: {}, with the same method, its settings chosen anew. From public facts alone.",
                                   now->proven ? "Proven" : "Forecast", now->unit));
  return content +
         table("What more would buy",
               {{"With"}, {now->proven ? "Bound" : "Expected", true}, {now->proven ? "" : "Most often", true}}, rows);
}

}  // namespace dperm::report
