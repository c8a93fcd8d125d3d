// SPDX-License-Identifier: Apache-2.0
// dperm plan: what the theorems promise, before any record is read.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/question_flags.hpp"
#include "cli/tables.hpp"
#include "dperm/core/check.hpp"
#include "dperm/plan/compare.hpp"
#include "dperm/plan/lower_bound.hpp"
#include "dperm/plan/needed_epsilon.hpp"
#include "dperm/plan/needed_rows.hpp"
#include "dperm/plan/picture.hpp"
#include "dperm/report/atomic_file.hpp"
#include "dperm/report/model_json.hpp"

namespace dperm::cli {

namespace {

struct PlanFlags {
  std::shared_ptr<QuestionFlags> question;
  std::size_t rows = 0;
  std::optional<double> target_risk;
  std::string picture;
  bool json = false;
};

// At least one of the result has a plan; ArgumentError with every method's reason otherwise.
std::vector<plan::Alternative> wanted(const PlanFlags& flags, const methods::Question& question) {
  const QuestionFlags& asked = *flags.question;
  const methods::Plan chosen = plan::choose(asked.method, question, asked.method_options);
  if (asked.method == "auto") return plan::compare(question, asked.method_options);
  return {{asked.method, chosen, ""}};
}

std::optional<std::size_t> rows_for(const PlanFlags& flags, const plan::Alternative& alternative,
                                    const methods::Question& question) {
  if (!flags.target_risk || !alternative.plan) return std::nullopt;
  return plan::needed_rows(alternative.method, question, flags.question->method_options, *flags.target_risk);
}

std::optional<double> epsilon_for(const PlanFlags& flags, const plan::Alternative& alternative,
                                  const methods::Question& question) {
  if (!flags.target_risk || !alternative.plan) return std::nullopt;
  return plan::needed_epsilon(alternative.method, question, flags.question->method_options, *flags.target_risk);
}

void print_json(const PlanFlags& flags, const std::vector<plan::Alternative>& alternatives,
                const methods::Question& question) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const plan::Alternative& each : alternatives) {
    nlohmann::ordered_json entry{{"method", each.method}};
    if (each.plan) entry["plan"] = nlohmann::ordered_json::parse(report::plan_to_json(*each.plan));
    if (!each.plan) entry["refusal"] = each.refusal;
    if (const auto rows = rows_for(flags, each, question)) entry["rows_for_target_risk"] = *rows;
    if (const auto epsilon = epsilon_for(flags, each, question)) entry["epsilon_for_target_risk"] = *epsilon;
    list.push_back(std::move(entry));
  }
  fmt::print("{}\n", list.dump(2));
}

void print_inverses(const PlanFlags& flags, const std::vector<plan::Alternative>& alternatives,
                    const methods::Question& question) {
  fmt::print("\nfor an excess risk of {:g}:\n", *flags.target_risk);
  for (const plan::Alternative& each : alternatives) {
    if (!each.plan) continue;
    const auto rows = rows_for(flags, each, question);
    const auto epsilon = epsilon_for(flags, each, question);
    fmt::print("  {:<24}{} at epsilon {:g}; {} with {} rows\n", each.method,
               rows ? fmt::format("{} rows", *rows) : "no number of rows is enough", question.budget.epsilon,
               epsilon ? fmt::format("epsilon {:.3g}", *epsilon) : "no epsilon is enough", question.facts.rows);
  }
}

void print_text(const PlanFlags& flags, const std::vector<plan::Alternative>& alternatives,
                const methods::Question& question) {
  fmt::print("{}", alternatives_table(alternatives));
  fmt::print("floor: no private method can promise less than {:.4g} for all losses of this slope\n",
             plan::excess_risk_floor(question));
  if (flags.target_risk) print_inverses(flags, alternatives, question);
  const methods::Plan& chosen = *alternatives.front().plan;
  fmt::print("\n{}{}\nhow epsilon follows:\n{}", alternatives.size() > 1 ? "best bound:\n" : "", plan_text(chosen),
             derivation_table(chosen.derivation));
  fmt::print("\nThat epsilon means: {}.\n", meaning_text(chosen.guarantee));
}

void run(const PlanFlags& flags) {
  if (flags.target_risk) require_positive_finite("--target-risk", *flags.target_risk);
  const auto encoding = load_encoding(flags.question->schema_path);
  const methods::Question question = make_question(*flags.question, *encoding, flags.rows);
  const auto alternatives = wanted(flags, question);
  if (!flags.picture.empty()) {
    report::write_file_atomically(flags.picture, plan::plan_picture(question, flags.question->method_options));
    note(fmt::format("{} written", flags.picture));
  }
  flags.json ? print_json(flags, alternatives, question) : print_text(flags, alternatives, question);
  for (const std::string& warning : budget_warnings(question)) note(fmt::format("WARNING: {}", warning));
}

}  // namespace

void add_plan(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("plan", "What each method promises for so many rows; reads no data, costs nothing");
  auto flags = std::make_shared<PlanFlags>();
  flags->question = add_question_flags(*command);
  add_whole(*command, "--rows", flags->rows, "number of rows, public")->required();
  add_number(*command, "--target-risk", flags->target_risk,
             "also say how many rows, or how much epsilon, give this excess risk");
  command->add_option("--picture", flags->picture,
                      "draw the promised risk against rows and epsilon into this SVG file");
  command->add_flag("--json", flags->json, "print plans as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
