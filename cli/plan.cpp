// SPDX-License-Identifier: Apache-2.0
// dperm plan: what to expect and what the theorems promise, before any record is read.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/forecast_text.hpp"
#include "cli/json_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/summary.hpp"
#include "cli/tables.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "cli/tune_flags.hpp"
#include "dperm/core/check.hpp"
#include "dperm/methods/exponential_rules/finite_choice.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/planner/compare.hpp"
#include "dperm/planner/generalisation.hpp"
#include "dperm/planner/lower_bound.hpp"
#include "dperm/planner/needed_epsilon.hpp"
#include "dperm/planner/needed_rows.hpp"
#include "dperm/report/picture.hpp"
#include "dperm/report/terminal_plot.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kMostRuns = 8;  // of a tuned plan, without --details

struct PlanFlags {
  const CLI::App* command = nullptr;
  std::shared_ptr<TaskFlags> task;
  std::shared_ptr<TuneFlags> tune;
  std::size_t rows = 0;
  std::optional<double> target_risk, target_accuracy_loss, holdout;
  std::string picture;
  bool plot = false, json = false, details = false;
};

// At least one of the result has a plan; ArgumentError with every method's reason otherwise.
std::vector<planner::Alternative> wanted(const PlanFlags& flags, const planner::Question& question) {
  const auto planners = methods::planners(flags.task->method, flags.task->method_options);
  if (planners.size() == 1) return {planner::choose(question, planners)};
  auto alternatives = planner::compare(question, planners);
  if (!alternatives.front().plan) planner::choose(question, planners);  // says why
  return alternatives;
}

// The same with rows kept out that judge the model.
void keep_out(const PlanFlags& flags, std::vector<planner::Alternative>& alternatives) {
  if (!flags.holdout) return;
  for (planner::Alternative& each : alternatives) {
    if (!each.plan) continue;
    each.plan = methods::with_holdout(*each.plan, flags.rows, {*flags.holdout, {}}, *each.asked->encoding);
  }
}

double half_width(const planner::Question& question) { return schema::target_units(question.schema.target).half_width; }

// What a method needs for a target, everything else as asked.
struct Needed {
  std::optional<std::size_t> rows;
  std::optional<double> epsilon;
};
Needed needed(const methods::Planner& plan, const methods::Task& task, double target, const planner::Measure& measure) {
  return {planner::needed_rows(plan, task, target, measure), planner::needed_epsilon(plan, task, target, measure)};
}

bool is_rule(const planner::Question& question) {
  return methods::model_form(question.problem) == methods::ModelForm::rule;
}

// Rows that keep the true error of the chosen rule within a bound, whatever the distribution of the rows.
struct LearningRows {
  double error, failure_probability;
  std::size_t agnostic, realisable;
};
LearningRows learning_rows(const PlanFlags& flags, const std::vector<planner::Alternative>& alternatives) {
  const methods::Task& task = alternatives.front().plan->task;
  const double beta =
      std::get<methods::ExponentialRulesOptions>(alternatives.front().plan->options).failure_probability;
  const auto rules = static_cast<double>(task.facts.rules);
  const double epsilon = task.budget.epsilon, alpha = *flags.target_risk;
  return {alpha, beta, methods::records_for_agnostic(rules, epsilon, alpha, beta),
          methods::records_for_realisable(rules, epsilon, alpha, beta)};
}

void print_learning(const LearningRows& rows) {
  fmt::print(
      "true error on new rows, with probability {:g}:\n"
      "  at most {:g} above the best rule's       {} rows (any distribution)\n"
      "  at most {:g} where a rule is never wrong {} rows\n",
      1 - rows.failure_probability, rows.error, rows.agnostic, rows.error, rows.realisable);
}

nlohmann::ordered_json forecast_json(const planner::Forecast& prediction) {
  nlohmann::ordered_json json{{"excess_risk", prediction.excess_risk},
                              {"excess_risk_lower", prediction.lower},
                              {"excess_risk_upper", prediction.upper}};
  const std::string told = prediction.accuracy_lost ? "accuracy_lost" : "score_noise";
  json[told] = prediction.told.expected;
  json[told + "_lower"] = prediction.told.lower;
  json[told + "_upper"] = prediction.told.upper;
  return json;
}

void add_needed(nlohmann::ordered_json& entry, const Needed& needed, const std::string& target) {
  if (needed.rows) entry["rows_for_" + target] = *needed.rows;
  if (needed.epsilon) entry["epsilon_for_" + target] = *needed.epsilon;
}

nlohmann::ordered_json alternative_json(const PlanFlags& flags, const planner::Alternative& each) {
  nlohmann::ordered_json entry{{"method", each.method}};
  if (!each.plan) {
    entry["refusal"] = each.refusal;
    return entry;
  }
  if (each.predicted) entry["predicted"] = forecast_json(*each.predicted);
  entry["cost"] = {{"core_seconds", each.cost.seconds},
                   {"passes", each.cost.passes},
                   {"rounds", each.cost.rounds},
                   {"bytes", each.cost.bytes}};
  if (each.worth_from) {
    entry["model_worth_from"] = {{"rows", each.worth_from->rows}};
    if (each.worth_from->epsilon) entry["model_worth_from"]["epsilon"] = *each.worth_from->epsilon;
  }
  entry["plan"] = nlohmann::ordered_json::parse(model::plan_to_json(*each.plan));
  if (const auto risk = planner::population_excess_risk(*each.plan)) entry["population_excess_risk"] = *risk;
  if (flags.target_risk) {
    add_needed(entry, needed(each.planner, each.asked->task, *flags.target_risk, planner::proven_risk), "target_risk");
  }
  if (flags.target_accuracy_loss) {
    add_needed(entry,
               needed(each.planner, each.asked->task, *flags.target_accuracy_loss,
                      planner::predicted_accuracy_loss(each.asked->population)),
               "target_accuracy_loss");
  }
  return entry;
}

void print_json(const PlanFlags& flags, const std::vector<planner::Alternative>& alternatives,
                const planner::Question& question) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const planner::Alternative& each : alternatives) {
    nlohmann::ordered_json entry = alternative_json(flags, each);
    if (flags.target_risk && each.plan && is_rule(question)) {
      const LearningRows rows = learning_rows(flags, alternatives);
      entry["learning"] = {{"true_error", rows.error},
                           {"failure_probability", rows.failure_probability},
                           {"rows_agnostic", rows.agnostic},
                           {"rows_realisable", rows.realisable}};
    }
    list.push_back(std::move(entry));
  }
  fmt::print("{}\n", json_text(list));
}

// What a measure of plans is called, and the measure for one table.
struct Target {
  double value;
  std::function<planner::Measure(const planner::Population&)> measure;
  std::string_view known;
};

void print_needed(const std::vector<planner::Alternative>& alternatives, const Target& target) {
  for (const planner::Alternative& each : alternatives) {
    if (!each.plan) continue;
    const methods::Task& task = each.asked->task;
    const planner::Measure measure = target.measure(each.asked->population);
    const auto [rows, epsilon] = needed(each.planner, task, target.value, measure);
    if (!rows && !epsilon && !std::isfinite(measure(*each.plan))) {
      fmt::print("  {:<24}cannot say: nothing is {} for it\n", each.method, target.known);
      continue;
    }
    fmt::print("  {:<24}{} at epsilon {:g}; {} with {}\n", each.method,
               rows ? counted(*rows, "row") : "no number of rows is enough", task.budget.epsilon,
               epsilon ? fmt::format("epsilon {:.3g}", *epsilon) : "no epsilon is enough",
               counted(task.facts.rows, "row"));
  }
}

void print_plots(const PlanFlags& flags, const planner::ShapedTask& asked) {
  const auto planners = methods::planners("auto", flags.task->method_options);
  const bool margin = loss::is_classification(asked.task.problem.loss.kind);
  const planner::Height height = margin ? planner::Height::accuracy_lost : planner::Height::excess_risk;
  const std::string what = margin ? "predicted points of accuracy lost" : "predicted excess risk";
  fmt::print("\n{}", planner::terminal_plot(planner::curves_over_rows(asked.task, planners, asked.population), height,
                                            what + " against rows"));
  fmt::print("\n{}", planner::terminal_plot(planner::curves_over_epsilon(asked.task, planners, asked.population),
                                            height, what + " against epsilon"));
}

void print_targets(const PlanFlags& flags, const std::vector<planner::Alternative>& alternatives, bool rules) {
  if (flags.target_risk) {
    fmt::print("\nfor a proven excess risk of {:g}:\n", *flags.target_risk);
    print_needed(alternatives, {*flags.target_risk, [](const auto&) { return planner::proven_risk; }, "proven"});
    if (rules) print_learning(learning_rows(flags, alternatives));
  }
  if (flags.target_accuracy_loss) {
    const double points = 100 * *flags.target_accuracy_loss;
    fmt::print("\nfor a predicted loss of {:g} point{} of accuracy:\n", points, points == 1 ? "" : "s");
    print_needed(alternatives, {*flags.target_accuracy_loss, planner::predicted_accuracy_loss, "predicted"});
  }
}

// What options ask for beside the plan.
void print_asked(const PlanFlags& flags, const std::vector<planner::Alternative>& alternatives,
                 const planner::Question& question) {
  print_targets(flags, alternatives, is_rule(question));
  if (flags.plot) print_plots(flags, *alternatives.front().asked);
}

// The command that fits what was planned: what was given here, without the options of a plan alone.
std::string fit_command(const CLI::App& command) {
  static const std::set<std::string> kOnlyHere = {
      "--rows", "--target-risk", "--target-accuracy-loss", "--picture", "--plot", "--details", "--json"};
  std::string text = "dperm fit DATA";
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || kOnlyHere.contains(name)) continue;
    for (const std::string& value : option->results()) text += fmt::format(" {} {}", name, quoted(value));
  }
  return text + " -o model.json";
}

void print_details(const PlanFlags& flags, const std::vector<planner::Alternative>& alternatives,
                   const planner::Question& question) {
  const planner::ShapedTask& asked = *alternatives.front().asked;
  fmt::print("{}", alternatives_table(alternatives));
  // The floor is about all losses of one slope; where this loss promises less it says nothing here.
  const double floor = planner::excess_risk_floor(asked.task);
  if (floor > 0 && std::none_of(alternatives.begin(), alternatives.end(), [&](const planner::Alternative& each) {
        return each.plan && each.plan->utility.excess_risk < floor;
      })) {
    fmt::print(
        "floor: no private method can promise less than {:.4g} for every table and every loss this steep\n"
        "(docs/lower_bound.md); on a typical table, which is what forecasts are about, less can be reached\n",
        floor);
  }
  if (const auto risk = planner::population_excess_risk(*alternatives.front().plan)) {
    fmt::print("new rows from the same source: {} has an excess risk of at most {:.4g} on average, proven\n",
               alternatives.front().method, *risk);
  }
  fmt::print("\n{}: {}", alternatives.front().method,
             forecast_text(alternatives.front(), asked.task, asked.population, half_width(question)));
  print_asked(flags, alternatives, question);
  const methods::Plan& chosen = *alternatives.front().plan;
  fmt::print("\n{}{}\nhow epsilon follows:\n{}", alternatives.size() > 1 ? "what auto takes:\n" : "",
             plan_text(chosen, question.schema.unit), derivation_table(chosen.derivation));
  fmt::print("\nThat epsilon means: {}.\n", meaning_text(chosen.guarantee, question.schema.unit));
}

void print_text(const PlanFlags& flags, const std::vector<planner::Alternative>& alternatives,
                const planner::Question& question) {
  if (flags.details) return print_details(flags, alternatives, question);
  fmt::print("{}", plan_summary(alternatives, question, fit_command(*flags.command)));
  print_asked(flags, alternatives, question);
}

void print_tuned_json(const PlanFlags& flags, const methods::Plan& plan, const std::vector<planner::Alternative>& runs,
                      const std::vector<methods::TuningPlan::Candidate>& candidates) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    nlohmann::ordered_json entry{{"candidate", candidates[i].label}};
    entry.update(alternative_json(flags, runs[i]));
    list.push_back(std::move(entry));
  }
  const nlohmann::ordered_json entry{{"method", methods::method_name(plan.options)},
                                     {"plan", nlohmann::ordered_json::parse(model::plan_to_json(plan))},
                                     {"runs", std::move(list)}};
  fmt::print("{}\n", json_text(nlohmann::ordered_json::array({entry})));
}

// With --tune: what the choice costs, and what is left for a run of each candidate.
void print_tuned(const PlanFlags& flags, const planner::Question& question) {
  require(!flags.target_risk && !flags.target_accuracy_loss && flags.picture.empty() && !flags.plot,
          "--tune plans a choice among settings; targets and pictures are for a plan without it");
  const planner::Alternative chosen = plan_tuned(*flags.tune, *flags.task, question);
  const methods::Plan& tuned = *chosen.plan;
  std::vector<planner::Alternative> runs;
  for (const auto& [label, plan] : tuned.tuning->candidates) {
    runs.push_back({std::string(methods::method_name(plan.options)),
                    {},
                    plan,
                    planner::forecast(plan, chosen.asked->population),
                    "",
                    chosen.asked});
    runs.back().cost = planner::cost_of(plan);
  }
  if (flags.json) return print_tuned_json(flags, tuned, runs, tuned.tuning->candidates);
  fmt::print("{}\nwhat one run of each candidate has, on the rows that train:\n",
             plan_text(tuned, question.schema.unit));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const privacy::Guarantee& alone = runs[i].plan->guarantee;
    const std::string expected = expectation_text(runs[i], half_width(question));
    fmt::print("  {}: epsilon {:.3g}{}{}\n", tuned.tuning->candidates[i].label, alone.epsilon,
               alone.pure ? "" : fmt::format(" at delta {:g}", alone.delta),
               expected.empty() ? "" : "; expect " + expected);
    if (!flags.details && i + 1 == kMostRuns && runs.size() > kMostRuns) {
      fmt::print("  and {} more (--details)\n", runs.size() - kMostRuns);
      break;
    }
  }
  if (!flags.details) {
    fmt::print("\n{}\n",
               wrapped("That epsilon means: " + meaning_text(tuned.guarantee, question.schema.unit) + ".", 110));
    return;
  }
  fmt::print("\nhow epsilon follows:\n{}\nThat epsilon means: {}.\n", derivation_table(tuned.derivation),
             meaning_text(tuned.guarantee, question.schema.unit));
}

void check_flags(const PlanFlags& flags, const planner::Question& question) {
  check_picture("--picture", flags.picture, {flags.task->schema_path});
  if (flags.target_risk) require_positive_finite("target_risk", *flags.target_risk);
  if (flags.target_risk && is_rule(question)) require_in_open_range("target_risk", *flags.target_risk, 0, 1);
  if (!flags.target_accuracy_loss) return;
  require(*flags.target_accuracy_loss > 0 && *flags.target_accuracy_loss < 1,
          "--target-accuracy-loss is a share between 0 and 1; one point of accuracy is 0.01");
  require(loss::is_classification(question.problem.loss.kind),
          "--target-accuracy-loss is for classification; for a real target give --target-risk");
}

void print_methods(const PlanFlags& flags, const planner::Question& question) {
  auto alternatives = wanted(flags, question);
  keep_out(flags, alternatives);
  if (!flags.picture.empty()) {
    const planner::ShapedTask& asked = *alternatives.front().asked;
    model::write_file_atomically(
        flags.picture,
        planner::plan_picture(asked.task, methods::planners("auto", flags.task->method_options), asked.population));
    note(fmt::format("{} written", flags.picture));
  }
  flags.json ? print_json(flags, alternatives, question) : print_text(flags, alternatives, question);
}

void run(const PlanFlags& flags) {
  const auto encoding = load_encoding(flags.task->schema_path);
  const std::size_t rows =
      flags.holdout ? methods::training_rows(flags.rows, *flags.holdout, encoding->schema()) : flags.rows;
  require(!flags.holdout || !flags.tune->given(), "plan shows --holdout and --tune one at a time; fit takes both");
  planner::Question question = make_question(*flags.task, *encoding, rows);
  if (flags.holdout) question.teaching_rows = methods::teaching_rows(flags.rows, *flags.holdout);
  check_flags(flags, question);
  flags.tune->given() ? print_tuned(flags, question) : print_methods(flags, question);
  const methods::Task task{question.problem, methods::facts_of(*encoding, question.problem, question.rows),
                           question.budget};
  note_warnings(task);
  note_unit(encoding->schema());
  const privacy::Guarantee planned{.epsilon = question.budget.epsilon, .delta = question.budget.delta};
  if (!encoding->schema().inferred.empty()) note(inference_text(encoding->schema(), planned));
}

}  // namespace

void add_plan(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("plan", "How accurate each method will be on a table of this size; reads no data");
  auto flags = std::make_shared<PlanFlags>();
  flags->command = command;
  flags->task = add_task_flags(*command);
  flags->tune = add_tune_flags(*command);
  add_integer(*command, "--rows", flags->rows, "number of rows, public")->required();
  add_number(*command, "--holdout", flags->holdout,
             "with this share of the rows (of the persons of a [unit]) kept out, which\njudge the model within the "
             "same budget; the plan is for the others");
  add_number(*command, "--target-risk", flags->target_risk,
             "also say how many rows, or how much epsilon, give this excess risk, proven");
  add_number(*command, "--target-accuracy-loss", flags->target_accuracy_loss,
             "also say how many rows, or how much epsilon, lose this share of right\n"
             "answers, predicted; 0.01 is one point");
  command->add_option("--picture", flags->picture,
                      "draw predicted and proven risk against rows and epsilon into this SVG file");
  command->add_flag("--plot", flags->plot, "draw the forecasts in the terminal");
  command->add_flag("--details", flags->details, "every method, its theorem and how epsilon follows");
  command->add_flag("--json", flags->json, "print plans as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
