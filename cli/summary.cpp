// SPDX-License-Identifier: Apache-2.0
#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/effect_lines.hpp"
#include "cli/forecast_text.hpp"
#include "cli/measures_text.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/methods/evaluation/beside_constant.hpp"
#include "dperm/privacy/composition/attacker.hpp"
#include "dperm/report/attacker.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/task_words.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kLabelWidth = 10, kTextWidth = 100, kMostEffects = 8, kMostRule = 300;

double half_width(const planner::Alternative& chosen) {
  return schema::target_units(chosen.asked->encoding->schema().target).half_width;
}

// What is promised for every table, if it is anything.
std::string proven_text(const methods::Plan& plan) {
  const bool rule = methods::model_form(plan.task.problem) == methods::ModelForm::rule;
  const double excess = plan.utility.excess_risk;
  if (std::isinf(excess)) {
    return "nothing for every table: " + rendered(plan.utility.theorem);
  }
  const double zero = rule ? 0.5 : loss::loss_of_zero(plan.task.problem.loss, plan.task.facts.classes);
  if (excess >= zero)
    return "nothing of use for every table: with more rows or epsilon the theorem would say something";
  return fmt::format("for every table: {} at most {:.4g} above that of the best {}, {}{}",
                     rule ? "share of wrong answers" : "mean loss", excess, rule ? "rule" : "weights",
                     rendered(methods::holds_text(plan.utility)),
                     rule ? "" : fmt::format(" (the loss of zero weights is {:.2g})", zero));
}

std::string learn_text(const planner::Alternative& chosen) {
  const schema::Schema& schema = chosen.asked->encoding->schema();
  if (std::holds_alternative<methods::ConstantOptions>(chosen.plan->options) && !schema.columns.empty()) {
    return fmt::format("one answer for all rows about {}, which looks at no column", schema.target.name);
  }
  return report::task_words(schema, chosen.plan->task.problem);
}

std::string kept_out_text(const methods::Plan& plan) {
  if (!plan.holdout) return "";
  if (plan.holdout->by_persons()) {
    return fmt::format("; those of {:.3g}% of the persons are kept out and judge the model",
                       100 * plan.holdout->options.share);
  }
  return fmt::format("; another {} are kept out and judge the model", counted(plan.holdout->judgement.rows, "row"));
}

std::string size_text(const methods::Plan& plan) {
  const std::string weights = methods::model_form(plan.task.problem) == methods::ModelForm::rule
                                  ? counted(plan.task.facts.rules, "rule")
                                  : counted(methods::weight_count(plan.task), "weight");
  return fmt::format("{}, {}, by {}{}", counted(plan.task.facts.rows, "row"), weights,
                     methods::method_name(plan.options), kept_out_text(plan));
}

// A minute's tenth more or less is no news.
std::string seconds_text(double seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 100) return fmt::format("about {:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("about {:.0f} min", seconds / 60) : fmt::format("about {:.1f} h", seconds / 3600);
}

constexpr double kMuchMemory = 4e9;  // from here on it is said how to do with less

std::string bytes_text(double bytes) {
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  const bool tera = bytes >= 1e12;
  const double units = bytes / (tera ? 1e12 : 1e9);
  return fmt::format("{:.{}f} {}", units, units < 10 ? 1 : 0, tera ? "TB" : "GB");
}

std::string time_text(const planner::Cost& cost, const planner::Question& question) {
  return fmt::format("{} on {}, once the rows are read; {} of memory, rows included{}",
                     seconds_text(planner::seconds_on(cost, question.cores, question.pass_overhead)),
                     counted(static_cast<std::size_t>(question.cores), "core"), bytes_text(cost.bytes),
                     cost.bytes > kMuchMemory ? " (less with --tiles FILE, which keeps them on disk)" : "");
}

std::string promise_text(const privacy::Guarantee& guarantee, const Unit& unit) {
  const std::string who =
      unit ? fmt::format("one person (column {}, at most {})", unit->column, counted(unit->rows, "row")) : "one row";
  const bool replaced = guarantee.neighbours == privacy::Neighbours::replace_one;
  return fmt::format("epsilon {:.4g}{} for {}, {}; the number of rows is public", guarantee.epsilon,
                     guarantee.delta > 0 ? fmt::format(", delta {:.3g},", guarantee.delta) : " (pure)", who,
                     replaced ? "replaced by any other" : "there or left blank");
}

std::string guess(double advantage, const Unit& unit) {
  return report::guess_text(privacy::right_guesses(advantage), unit);
}

// The other methods, in their order, with the one number that tells them apart.
std::string others_text(const std::vector<planner::Alternative>& alternatives) {
  std::vector<std::string> texts;
  for (const planner::Alternative& each : alternatives) {
    if (&each == &alternatives.front() || !each.plan) continue;
    // Its number is against the best model of lines, which is behind that of curves.
    const char* const lines = each.straight_cost > 0 ? " (straight lines)" : "";
    texts.push_back(each.predicted
                        ? fmt::format("{} {}{}", each.method, told_text(*each.predicted, half_width(each)), lines)
                        : each.method + lines);
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string warning_text(const planner::Alternative& chosen) {
  const std::string text = too_small_text(chosen);
  return text.empty() ? "" : red(labelled("", "WARNING: " + text));
}

std::string number_text(const model::Model& model) {
  const schema::Encoding encoding(model.schema);
  const schema::TargetUnits units = schema::target_units(model.schema.target);
  const double scale = units.half_width, value = units.middle + scale * model.weights.at(0);
  const std::string what = report::task_words(model.schema, model.plan.task.problem);
  if (!model.interval) {
    const double rounded = std::abs(value) < 1e-9 * scale ? 0 : value;
    return fmt::format("{}: {:.6g}; noise for privacy is part of it, and no interval was asked for", what, rounded);
  }
  const double lower = units.middle + scale * model.interval->lower,
               upper = units.middle + scale * model.interval->upper;
  const double radius = (upper - lower) / 2;
  return fmt::format("{}: {} ({:g}% interval {} to {}, noise and drawing of the rows counted)", what,
                     report::rounded_to(value, radius), 100 * model.interval->confidence,
                     report::rounded_to(lower, radius), report::rounded_to(upper, radius));
}

std::string learned_text(const model::Model& model) {
  const schema::Encoding encoding(model.schema);
  const methods::Problem& problem = model.plan.task.problem;
  const methods::ModelForm form = methods::model_form(problem);
  if (form == methods::ModelForm::rule) {
    const std::string rule = model::rule_text(model);
    return labelled("learned", fmt::format("{} is predicted positive if {}", model.schema.target.name,
                                           rule.size() <= kMostRule ? rule : "a long rule holds (--details)"));
  }
  if (form == methods::ModelForm::network) {
    return labelled("learned", fmt::format("{}; its {} weights are in the model file",
                                           report::task_words(model.schema, problem), model.weights.size()));
  }
  if (encoding.dimension() == 1 && model.schema.target.kind == schema::TargetKind::real) {
    return labelled("learned", number_text(model));
  }
  std::string text = labelled(
      "learned",
      fmt::format("effects on {}, largest first; {}", effect_on(model),
                  privacy::is_unprotected(model.events) ? "without noise" : "noise for privacy is part of them"));
  for (const std::string& line : effect_lines(model, kMostEffects))
    text += fmt::format("{:{}}{}\n", "", kLabelWidth, line);
  return text;
}

// The two or three measures that people ask for first.
std::string judged_text(const model::Model& model) {
  const auto evaluated = model::evaluation(model);
  if (!evaluated) return "";
  std::vector<std::string> texts;
  for (const char* name : {"accuracy", "auc", "r2", "root_mean_square_error"}) {
    const methods::Measure* const each = evaluated->all.find(name);
    if (each != nullptr) texts.push_back(fmt::format("{} {}", measure_words(name), rounded_measure(*each)));
  }
  std::string text =
      fmt::format("{}, on {} kept out (95% error bars, noise and sampling)", fmt::join(texts, ", "),
                  judged_rows_text(evaluated->all, model.judgement->plan.rows, model.schema.unit.has_value()));
  const std::string constant = constant_text(evaluated->all);
  return labelled("judged", text) + (constant.empty() ? "" : red(labelled("", constant)));
}

}  // namespace

std::string labelled(std::string_view label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, kLabelWidth, wrapped(text, kTextWidth, kLabelWidth));
}

void note_unit(const schema::Schema& schema, const std::vector<std::string>& undeclared) {
  std::vector<std::string> names = schema.identifiers;
  names.insert(names.end(), undeclared.begin(), undeclared.end());
  if (schema.unit || names.empty()) return;
  note(wrapped(
      fmt::format(
          "note: {} {} persons or records{}, and the schema has no [unit]: one row is protected. Where a person "
          "has several rows, protect the person (docs/unit.md).",
          fmt::join(names, ", "), names.size() == 1 ? "names" : "name", undeclared.empty() ? "" : ", it seems"),
      100));
}

void note_warnings(const methods::Task& task) {
  for (const methods::BudgetWarning& each : methods::budget_warnings(task.budget, task.facts.rows)) {
    note(each.loud ? red_note("WARNING: " + each.text) : "warning: " + each.text);
  }
}

std::string plan_summary(const std::vector<planner::Alternative>& alternatives, const planner::Question& question,
                         const std::string& again) {
  const planner::Alternative& chosen = alternatives.front();
  const methods::Plan& plan = *chosen.plan;
  std::string text = labelled("learn", learn_text(chosen));
  text += labelled("from", size_text(plan));
  text += labelled("expect", forecast_sentence(chosen, half_width(chosen)));
  text += warning_text(chosen);
  text += labelled("time", time_text(chosen.cost, question));
  text += labelled("proven", proven_text(plan));
  if (privacy::is_unprotected(plan.events)) {
    text = red(labelled("privacy", guarantee_text(plan.guarantee, question.schema.unit))) + text;
  } else {
    text += labelled("privacy", promise_text(plan.guarantee, question.schema.unit));
    text += labelled("", guess(report::advantage(plan), question.schema.unit));
  }
  if (const std::string others = others_text(alternatives); !others.empty()) text += labelled("others", others);
  if (planner::network_may_pay(plan.task)) {
    text += labelled("", "--hidden 32, a network, often sees more in so large a table; its effects cannot be read");
  }
  return text + labelled("next", again) + labelled("", "--details: every method, its theorem and how epsilon follows");
}

std::string fit_heading(const planner::Alternative& chosen) {
  const std::string expected = expectation_text(chosen, half_width(chosen));
  return labelled("learn", learn_text(chosen)) + labelled("from", size_text(*chosen.plan)) +
         (expected.empty() ? "" : labelled("expect", expected)) + warning_text(chosen);
}

std::string model_summary(const model::Model& model) {
  std::string text;
  if (privacy::is_unprotected(model.events)) {
    return red(labelled("privacy", fmt::format("NOT private: {}", fmt::join(model.remarks, "; ")))) +
           learned_text(model);
  }
  text += learned_text(model);
  if (model.tuning) text += labelled("chosen", tuning_text(model));
  text += judged_text(model);
  if (!model.is_private)
    return text + labelled("privacy", red(fmt::format("NOT private: {}", fmt::join(model.remarks, "; "))));
  const privacy::Guarantee total = model::total_guarantee(model);
  text += labelled("spent", promise_text(total, model.schema.unit));
  if (!model.schema.inferred.empty()) {
    text += labelled("", fmt::format("of which epsilon {:.4g} for this model, the rest for bounds and values before",
                                     model.guarantee.epsilon));
  }
  return text + labelled("", guess(report::total_advantage(model), model.schema.unit));
}

}  // namespace dperm::cli
