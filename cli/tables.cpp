// SPDX-License-Identifier: Apache-2.0
#include "cli/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/effect_tables.hpp"
#include "cli/measures_text.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/report/attacker.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::cli {

namespace {

// Of the table of methods.
constexpr std::size_t kNameWidth = 24, kReasonIndent = 26, kLineWidth = 110;

std::string set_text(const loss::FeasibleSet& set) {
  switch (set.kind) {
    case loss::SetKind::ball:
      return fmt::format("weights of norm at most {:.4g}", set.radius);
    case loss::SetKind::box:
      return fmt::format("weights between -{0:.4g} and {0:.4g}", set.radius);
    case loss::SetKind::unconstrained:
      break;
  }
  return "any weights";
}

std::string penalty_text(double l2_penalty) {
  return l2_penalty > 0 ? fmt::format("l2_penalty {:.4g}", l2_penalty) : "no penalty";
}

// The loss with the parameter that says what is asked, and the network where there is one.
std::string problem_text(const methods::Problem& problem) {
  std::string text = loss::describe(problem.loss);
  for (std::size_t i = 0; i < problem.hidden.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? ", network with hidden layers of " : " and ", problem.hidden[i]);
  }
  return text;
}

std::string bound_in_words(const methods::Plan& plan) {
  const double excess_risk = plan.utility.excess_risk;
  if (std::isinf(excess_risk)) {
    return fmt::format("nothing is proven for every table: {}\n", rendered(plan.utility.theorem));
  }
  const double zero = loss::loss_of_zero(plan.task.problem.loss, plan.task.facts.classes);
  const bool free = plan.task.problem.feasible_set.kind == loss::SetKind::unconstrained;
  return fmt::format(
      "proven: mean loss on the training rows at most {:.4g} above that of the best weights{}, {}\n"
      "          For scale: weights of zero have a loss of at most {:.3g}{}\n",
      excess_risk,
      free ? fmt::format(" of norm up to {:.4g}", methods::default_radius(plan.task.problem, plan.task.facts)) : "",
      rendered(methods::holds_text(plan.utility)), zero,
      excess_risk < zero ? "" : ", so this bound promises nothing here; more rows or epsilon would help");
}

// The same as plan_text, in words that fit a rule.
std::string rule_plan_text(const methods::Plan& plan, const Unit& unit) {
  const methods::PublicFacts& facts = plan.task.facts;
  const std::string& rules = plan.task.problem.rules;
  const double excess = plan.utility.excess_risk;
  return fmt::format(
      "method    {}\n"
      "problem   zero-one loss, the best rule of {}\n"
      "size      {}, {}\n"
      "privacy   {}\n"
      "accuracy  proven: share of wrong answers at most {:.4g} above that of the best rule, {}\n{}",
      methods::method_name(plan.options), rules.find('\n') == std::string::npos ? "class " + rules : "a list",
      counted(facts.rows, "row"), counted(facts.rules, "rule"), guarantee_text(plan.guarantee, unit), excess,
      rendered(methods::holds_text(plan.utility)),
      excess < 0.5
          ? ""
          : "          A coin is wrong half of the time, so this promises nothing; more rows or epsilon would help\n");
}

// The same for settings chosen from a grid.
std::string tuned_plan_text(const methods::Plan& plan, const Unit& unit) {
  const auto& options = std::get<methods::TunedOptions>(plan.options);
  return fmt::format(
      "method    {}, tuned over {} settings, from {} to {}\n"
      "problem   {} loss\n"
      "size      {}\n"
      "privacy   {}\n"
      "runs      {} on average, in secret, each with a part of the budget; a share of {} of the rows scores them and\n"
      "          trains none. Nothing is proven about accuracy: defaults are often better (docs/tuning.md)\n",
      options.method, options.candidates.size(), options.candidates.front().label, options.candidates.back().label,
      loss::name(plan.task.problem.loss.kind), counted(plan.task.facts.rows, "row"),
      guarantee_text(plan.guarantee, unit), options.repetitions, options.holdout);
}

// Six digits, never below the value: an epsilon is a bound.
std::string digits_above(double value) {
  std::string text = fmt::format("{:.6g}", value);
  if (!(value > 0) || !std::isfinite(value) || std::stod(text) >= value) return text;
  return fmt::format("{:.6g}", std::stod(text) + std::pow(10, std::floor(std::log10(value)) - 5));
}

// One line a reason.
std::string why_no_forecast(const std::vector<planner::Alternative>& alternatives) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with the methods it holds for
  for (const planner::Alternative& each : alternatives) {
    if (!each.plan || each.predicted) continue;
    const std::string reason = planner::why_no_forecast(*each.plan);
    if (!reasons.empty() && reasons.back().first == reason) {
      reasons.back().second += ", " + each.method;
    } else {
      reasons.emplace_back(reason, each.method);
    }
  }
  std::string text;
  for (const auto& [reason, methods] : reasons) {
    text += wrapped(fmt::format("no prediction for {}: {}", methods, reason), kLineWidth) + "\n";
  }
  return text;
}

bool has_real_target(const std::vector<planner::Alternative>& alternatives) {
  return std::any_of(alternatives.begin(), alternatives.end(), [](const planner::Alternative& each) {
    return each.plan && !loss::is_classification(each.plan->task.problem.loss.kind);
  });
}

// Methods that take lines where others take curves stand further back, and so do second choices.
std::string order_remark(const std::vector<planner::Alternative>& alternatives) {
  double straight_cost = 0;
  std::vector<double> risks;
  for (const planner::Alternative& each : alternatives) {
    straight_cost = std::max(straight_cost, each.straight_cost);
    if (each.predicted) risks.push_back(each.expected_risk());
  }
  // Paced steps come first, or second choices last.
  const bool behind = !risks.empty() && risks.front() <= *std::min_element(risks.begin(), risks.end());
  return (straight_cost > 0 ? fmt::format(", {:g} added for lines", straight_cost) : "") +
         (std::is_sorted(risks.begin(), risks.end()) ? ""
          : behind                                   ? ", those that clip last (\"Choice\" there)"
                                                     : ", but for sgd, measured best (\"Choice\" there)");
}

// What the number says about the population: an interval, or that there is none.
std::string interval_text(const model::Model& model) {
  if (!model.interval) {
    const bool quantile = model.plan.task.problem.loss.kind != loss::LossKind::squared;
    return fmt::format("Noise for privacy is part of it; there is no classical standard error.{}\n",
                       quantile ? " --interval 0.95 gives an interval, for half of epsilon." : "");
  }
  const schema::TargetUnits units = schema::target_units(model.schema.target);
  const auto unit = [&](double encoded) { return units.middle + units.half_width * encoded; };
  const double radius = (unit(model.interval->upper) - unit(model.interval->lower)) / 2;
  const bool mean = model.plan.task.problem.loss.kind == loss::LossKind::squared;
  return fmt::format(
      "{:g}% interval: {} to {}, for all people from whom these rows were drawn at random; values beyond the\n"
      "bounds count as the bound. It counts the noise for privacy and the drawing of the rows{}.\n",
      100 * model.interval->confidence, report::rounded_to(unit(model.interval->lower), radius),
      report::rounded_to(unit(model.interval->upper), radius),
      mean ? " (with the largest spread\nthat the bounds and this mean allow, so it is wide rather than narrow)" : "");
}

std::string coefficient_table(const model::Model& model) {
  const schema::Encoding encoding(model.schema);
  if (encoding.dimension() == 1 && model.schema.target.kind == schema::TargetKind::real) {
    const schema::Target& target = model.schema.target;
    const double value = model::coefficients(encoding, model.weights)[0].original;
    const bool is_rounding = std::abs(value) < 1e-9 * (target.upper - target.lower);  // a bound of 0, or a middle of 0
    return fmt::format("{} of {}: {:.6g}\n{}", loss::constant_answer(model.plan.task.problem.loss), target.name,
                       is_rounding ? 0 : value, interval_text(model));
  }
  const char* const noise =
      model.weight_noise.empty()
          ? "Noise for privacy is part of it; there is no classical standard error.\n"
          : "noise (1 sd): how far noise for privacy alone has moved it, as a standard deviation. It does "
            "not count that\nother rows would have given other values, nor what a penalty shrinks.\n";
  return effects_table(model) + fmt::format("value: effect on {}.\n{}", effect_on(model), noise);
}

}  // namespace

std::string guarantee_text(const privacy::Guarantee& guarantee, const Unit& unit) {
  if (std::isinf(guarantee.epsilon)) return "NONE: no noise is added, and nobody is protected";
  const std::string epsilon = digits_above(guarantee.epsilon);
  const std::string budget = guarantee.delta > 0 ? fmt::format("(epsilon {}, delta {:.3g})", epsilon, guarantee.delta)
                                                 : fmt::format("pure (epsilon {})", epsilon);
  const std::string who =
      unit ? fmt::format("one person's rows (column {}, at most {}) are", unit->column, unit->rows) : "one row is";
  return fmt::format(
      "{}-differential privacy when {} {} (number of rows public{})", budget, who,
      guarantee.neighbours == privacy::Neighbours::replace_one ? "replaced by any other" : "there or left blank",
      guarantee.pure ? "" : fmt::format("; {} accounting", guarantee.accountant));
}

std::string meaning_text(const privacy::Guarantee& guarantee, const Unit& unit) {
  constexpr double kLevel = 0.05;
  return fmt::format(
      "a test at the 5% level of what {} has power at most {:.3g}, even for someone who knows all others",
      unit ? "one person's rows hold" : "one row holds", std::ceil(report::power_at(guarantee, kLevel) * 1e4) / 1e4);
}

std::string tuning_text(const model::Model& model) {
  if (!model.tuning) return "";
  if (model.tuning->candidate.empty()) {
    return "Chosen: nothing. The random number of runs was 0, and the model is a public default; nothing else was\n"
           "learned from the data. Fitting again spends the budget again.\n";
  }
  return fmt::format(
      "Chosen: {}; score on held-out rows {:.4g}, noise {:.2g}. Being the best of several, it is a bit "
      "optimistic.\n",
      model.tuning->candidate, model.tuning->score, model.tuning->noise);
}

std::string inference_text(const schema::Schema& schema, const privacy::Guarantee& guarantee) {
  if (schema.inferred.empty()) return {};
  std::string text;
  for (const schema::Inference& each : schema.inferred) {
    text +=
        fmt::format("Before: epsilon {:g}, delta {:g} for bounds and values in the schema, inferred from {} rows.\n",
                    each.epsilon, each.delta, each.rows);
  }
  const infer::Total total = infer::total(schema, guarantee);
  return text + fmt::format("In total: epsilon {:.4g}, delta {:.3g}, if it is the same people's table.\n",
                            total.epsilon, total.delta);
}

std::string evaluation_text(const model::Model& model) {
  const auto evaluated = model::evaluation(model);
  if (!evaluated) return "";
  return fmt::format("On {} that were kept out (95% error bars for noise and bins):\n{}",
                     judged_rows_text(evaluated->all, model.judgement->plan.rows, model.schema.unit.has_value()),
                     measures_text(*evaluated, false, model.schema.target.name));
}

std::string privacy_text(const model::Model& model) {
  if (!model.is_private) return fmt::format("NOT private: {}\n", fmt::join(model.remarks, "; "));
  return fmt::format("Spent: {}.\n{}That means: {}.\n", guarantee_text(model.guarantee, model.schema.unit),
                     inference_text(model.schema, model.guarantee),
                     meaning_text(model::total_guarantee(model), model.schema.unit));
}

std::string alternatives_table(const std::vector<planner::Alternative>& alternatives) {
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("-");
  };
  const bool answers = std::any_of(alternatives.begin(), alternatives.end(), [](const planner::Alternative& each) {
    return each.predicted && each.predicted->accuracy_lost;
  });
  const auto points = [&](const std::optional<planner::Forecast>& predicted) {
    if (!answers) return std::string();
    return fmt::format("{:>13}", predicted ? fmt::format("{:.2g}", 100 * *predicted->accuracy_lost) : "-");
  };
  std::string text = fmt::format("{:<{}}{:>15}{}{:>11}{:>10}{:>9}  {}\n", "method", kNameWidth, "predicted risk",
                                 answers ? "  points lost" : "", "at most", "epsilon", "seconds", "releases");
  for (const planner::Alternative& each : alternatives) {
    if (!each.plan) {
      text +=
          fmt::format("{:<{}}{}\n", each.method, kNameWidth,
                      wrapped("not applicable: " + rendered(each.refusal), kLineWidth - kReasonIndent, kReasonIndent));
      continue;
    }
    std::vector<std::string> releases;
    for (const auto& event : each.plan->events)
      releases.push_back(fmt::format("{} x {}", event.repetitions, event.what));
    text += fmt::format("{:<{}}{:>15}{}{:>11}{:>10.4g}{:>9.2g}  {}\n", each.method, kNameWidth,
                        each.predicted ? number(each.predicted->excess_risk) : "no prediction", points(each.predicted),
                        number(each.plan->utility.excess_risk), each.plan->guarantee.epsilon, each.cost.seconds,
                        fmt::join(releases, ", "));
  }
  return text + why_no_forecast(alternatives) +
         fmt::format(
             "risk: mean loss above that of the same model without privacy{}.\n"
             "Predicted: for a typical table with these columns (docs/forecast.md); methods are in this order{}.\n"
             "{}At most: proven for every table.\n"
             "Seconds: of one core, predicted, once the rows are read.\n",
             has_real_target(alternatives) ? ", the target scaled to [-1, 1]" : "", order_remark(alternatives),
             answers ? "Points lost: of accuracy, predicted. " : "");
}

namespace {

std::string holdout_text(const methods::Plan& plan) {
  if (!plan.holdout) return "";
  if (plan.holdout->by_persons()) {
    return fmt::format(
        "kept out  the rows of each person with probability {:.3g}, by a secret coin: they train nothing (blank, and\n"
        "          counted above) and judge the model within the same budget\n",
        plan.holdout->options.share);
  }
  return fmt::format("kept out  {} more, drawn in secret, train nothing and judge the model within the same budget\n",
                     counted(plan.holdout->judgement.rows, "row"));
}

std::string fit_plan_text(const methods::Plan& plan, const Unit& unit) {
  const methods::Task& task = plan.task;
  if (std::holds_alternative<methods::TunedOptions>(plan.options)) return tuned_plan_text(plan, unit);
  if (methods::model_form(task.problem) == methods::ModelForm::rule) return rule_plan_text(plan, unit);
  const methods::Problem& problem = task.problem;
  return fmt::format(
      "method    {}\n"
      "problem   {}, {}, {} (encoded units)\n"
      "size      {}, {}\n"
      "privacy   {}\n"
      "accuracy  {}",
      methods::method_name(plan.options), problem_text(problem), penalty_text(problem.l2_penalty),
      set_text(problem.feasible_set), counted(task.facts.rows, "row"), counted(methods::weight_count(task), "weight"),
      guarantee_text(plan.guarantee, unit), bound_in_words(plan));
}

}  // namespace

std::string plan_text(const methods::Plan& plan, const Unit& unit) {
  return fit_plan_text(plan, unit) + holdout_text(plan);
}

std::string derivation_table(const std::vector<methods::DerivationStep>& steps) {
  std::size_t width = 0;
  for (const auto& step : steps) width = std::max(width, step.quantity.size());
  std::string text;
  for (const auto& step : steps) {
    text += fmt::format("{:<{}}  {:>14.8g}  {}\n", step.quantity, width, step.value, step.reason);
  }
  return text;
}

std::string effect_on(const model::Model& model) {
  const std::string& target = model.schema.target.name;
  switch (loss::info(model.plan.task.problem.loss.kind).link) {
    case loss::Link::class_scores:
      return fmt::format("each class's score; the largest is predicted as {}", target);
    case loss::Link::log_odds:
      return fmt::format("the log-odds that {} is positive", target);
    case loss::Link::margin:
    case loss::Link::answer:
      return fmt::format("the score; above 0 {} is predicted positive", target);
    case loss::Link::number:
      return fmt::format("{}, in its own unit", target);
  }
  throw InternalError("a link without words");
}

std::string parameter_table(const model::Model& model) {
  switch (methods::model_form(model.plan.task.problem)) {
    case methods::ModelForm::linear:
    case methods::ModelForm::multiclass:
      return coefficient_table(model);
    case methods::ModelForm::network:
      return fmt::format("a neural network of {} weights; it is in the model file\n", model.weights.size());
    case methods::ModelForm::rule:
      return fmt::format("rule: {} is predicted positive if\n  {}\n", model.schema.target.name,
                         model::rule_text(model));
  }
  throw InternalError("a model form without a table");
}

std::string checks_text(const std::vector<model::Check>& checks) {
  std::string text;
  for (const model::Check& check : checks) {
    text += fmt::format("{}  {}{}\n", check.passed ? "ok    " : "FAILED", check.what,
                        check.passed ? "" : ": " + check.detail);
  }
  return text;
}

}  // namespace dperm::cli
