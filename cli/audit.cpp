// SPDX-License-Identifier: Apache-2.0
// dperm audit: attacks releases that dperm makes, and says how far the attacks come.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "cli/audit_flags.hpp"
#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/audit/controls/controls.hpp"
#include "dperm/audit/one_run/one_run.hpp"
#include "dperm/audit/pictures.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/planner/compare.hpp"

namespace dperm::cli {

namespace {

using Json = nlohmann::ordered_json;

struct MainFlags : AuditFlags {
  std::string control, pictures;
  std::size_t runs = 0, canaries = 2000;
  bool one_run = false;
};

double error_of(const AuditFlags& flags) { return 1 - flags.confidence; }
double epsilon_of(const AuditFlags& flags) { return flags.task->epsilon > 0 ? flags.task->epsilon : 1; }

// The share of right guesses where both tables are equally likely.
double right_share(const audit::Guesses& g) {
  return static_cast<double>(g.hits + g.without - g.alarms) / static_cast<double>(g.with + g.without);
}

std::string outcome(const audit::MethodAudit& each) {
  if (!each.comparison.difference.empty()) return "FLAGGED: " + each.comparison.difference;
  if (each.comparison.worst_share > 1) return "FLAGGED: beyond its sensitivity";
  return each.game.epsilon > each.proved ? "FLAGGED: above what is proved" : "holds";
}

Json json_of(const audit::MethodAudit& each) {
  Json checks = Json::array();
  for (const audit::StepCheck& check : each.comparison.checks) {
    checks.push_back({{"what", check.what},
                      {"mechanism", check.mechanism},
                      {"releases", check.releases},
                      {"declared_sensitivity", check.declared},
                      {"measured_sensitivity", check.measured}});
  }
  const audit::Guesses& g = each.game.guesses;
  return {{"case", each.name},
          {"proved_epsilon", each.proved},
          {"delta", each.delta},
          {"epsilon_at_least", each.game.epsilon},
          {"mu_at_least", each.game.mu},
          {"exact_epsilon", each.exact ? Json(*each.exact) : Json()},
          {"sensitivity_share", each.share},
          {"flow_difference", each.comparison.difference},
          {"releases", checks},
          {"guesses", {{"hits", g.hits}, {"with", g.with}, {"alarms", g.alarms}, {"without", g.without}}},
          {"runs", each.game.runs},
          {"runs_per_cpu_second", static_cast<double>(each.game.runs) / std::max(1e-9, each.game.cpu_seconds)},
          {"holds", each.passed()}};
}

std::string table(const std::vector<audit::MethodAudit>& audits) {
  std::string text = fmt::format("{:<32} {:>7} {:>8} {:>6} {:>7} {:>12} {:>9} {:>10}  {}\n", "case", "proved",
                                 "at least", "", "exact", "sensitivity", "runs", "runs/s", "");
  for (const audit::MethodAudit& each : audits) {
    text += fmt::format("{:<32} {:>7.3f} {:>8.3f} {:>5.0f}% {:>7} {:>11.0f}% {:>9} {:>10.0f}  {}\n", each.name,
                        each.proved, each.game.epsilon, 100 * each.game.epsilon / each.proved,
                        each.exact ? fmt::format("{:.3f}", *each.exact) : "-", 100 * each.share, each.game.runs,
                        static_cast<double>(each.game.runs) / std::max(1e-9, each.game.cpu_seconds), outcome(each));
  }
  return text;
}

// For people who have never heard of epsilon.
std::string sentence(const std::vector<audit::MethodAudit>& audits) {
  const auto best = std::max_element(audits.begin(), audits.end(), [](const auto& a, const auto& b) {
    return right_share(a.game.guesses) < right_share(b.game.guesses);
  });
  const double allowed = 1 / (1 + std::exp(-best->proved));
  const bool holds = std::all_of(audits.begin(), audits.end(), [](const auto& each) { return each.passed(); });
  return fmt::format(
      "{} Someone who knows every record but one, and everything that is released, guessed which of two values that "
      "one "
      "has: a coin is right in 50 of 100 cases, our best attack in {:.0f}, and the proof allows {:.0f}.",
      holds ? "No attack came further than is proved." : "AN ATTACK CAME FURTHER THAN IS PROVED.",
      100 * right_share(best->game.guesses), 100 * allowed + 100 * best->delta);
}

std::vector<audit::Subject> asked_subjects(const MainFlags& flags) {
  std::vector<audit::Subject> subjects;
  if (!flags.task->schema_path.empty()) {
    const auto encoding = load_encoding(flags.task->schema_path);
    const std::size_t rows = flags.rows > 0 ? flags.rows : 100;
    const planner::Alternative chosen = planner::choose(
        make_question(*flags.task, *encoding, rows), methods::planners(flags.task->method, flags.task->method_options));
    subjects.push_back({.name = chosen.method,
                        .encoding = chosen.asked->encoding,
                        .plan = *chosen.plan,
                        .rows = rows,
                        .slow = true,
                        .most_runs = 1000});
    return subjects;
  }
  const std::string& method = flags.task->method;
  const std::vector<std::string> names = audit::subject_names();
  const bool exact = std::find(names.begin(), names.end(), method) != names.end();
  for (const std::string& name : names) {
    // One case, or a family of them: output stands for all of output perturbation.
    if (exact ? name == method : method == "auto" || name.starts_with(method + "-")) {
      subjects.push_back(audit::subject(name, epsilon_of(flags)));
    }
  }
  if (subjects.empty()) audit::subject(method, epsilon_of(flags));  // says which there are
  return subjects;
}

std::string picture_path(const MainFlags& flags, std::string_view what, const std::string& method = "") {
  const std::string name = method.empty() ? fmt::format("{}.svg", what) : fmt::format("{}-{}.svg", what, method);
  return (std::filesystem::path(flags.pictures) / name).string();
}

// Before the attacks, which take their time.
void check_pictures(const MainFlags& flags, const std::vector<audit::Subject>& subjects) {
  if (flags.pictures.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(flags.pictures, problem);
  require(std::filesystem::is_directory(flags.pictures, problem),
          fmt::format("--pictures {} is no folder, and none can be made there; give another path", flags.pictures));
  check_picture("--pictures", picture_path(flags, "bounds"), {});
  for (const audit::Subject& each : subjects) {
    for (const char* what : {"loss", "rates"}) check_picture("--pictures", picture_path(flags, what, each.name), {});
  }
}

void write_pictures(const MainFlags& flags, const std::vector<audit::MethodAudit>& audits) {
  const auto write = [&](const std::string& path, const std::string& svg) {
    model::write_file_atomically(path, svg);
    note(fmt::format("{} written", path));
  };
  write(picture_path(flags, "bounds"), audit::bounds_picture(audits));
  for (const audit::MethodAudit& each : audits) {
    write(picture_path(flags, "loss", each.name), audit::loss_picture(each));
    write(picture_path(flags, "rates", each.name), audit::roc_picture(each));
  }
}

void run_methods(const MainFlags& flags) {
  const std::vector<audit::Subject> subjects = asked_subjects(flags);
  check_pictures(flags, subjects);
  std::vector<audit::MethodAudit> audits;
  for (const audit::Subject& each : subjects) {
    note(fmt::format("attacking {} ...", each.name));
    audits.push_back(audit::audit_plan(each, {.epsilon = epsilon_of(flags),
                                              .error = error_of(flags),
                                              .runs = flags.runs,
                                              .threads = flags.data.read.threads,
                                              .seed = flags.seed}));
  }
  if (flags.json) {
    Json all = Json::array();
    for (const audit::MethodAudit& each : audits) all.push_back(json_of(each));
    fmt::print("{}\n", json_text(Json{{"confidence", flags.confidence}, {"rows", "made up"}, {"cases", all}}));
  } else {
    fmt::print("{}\n{}\n", table(audits), wrapped(sentence(audits), 100));
  }
  if (!flags.pictures.empty()) write_pictures(flags, audits);
  note(fmt::format("Lower bounds at {:.12g}% confidence. {}", 100 * flags.confidence, audit_release_text(flags)));
}

void run_controls(const MainFlags& flags) {
  Json all = Json::array();
  bool caught = true;
  for (const std::string& name : flags.control == "all" ? audit::control_names() : std::vector{flags.control}) {
    const audit::ControlResult result = audit::run_control(name, {.epsilon = epsilon_of(flags),
                                                                  .error = error_of(flags),
                                                                  .threads = flags.data.read.threads,
                                                                  .seed = flags.seed});
    caught = caught && result.caught();
    all.push_back({{"control", result.name},
                   {"defect", result.defect},
                   {"check", result.check},
                   {"flagged", result.broken.flagged},
                   {"evidence", result.broken.evidence},
                   {"right_variant_flagged", result.right.flagged},
                   {"right_variant_evidence", result.right.evidence},
                   {"seconds", result.seconds}});
    if (flags.json) continue;
    fmt::print("{}: {}\n  {} by the {}: {}\n  the right variant {}: {}\n  {:.1f} s\n", result.name, result.defect,
               result.broken.flagged ? "CAUGHT" : "MISSED", result.check, result.broken.evidence,
               result.right.flagged ? "is FLAGGED too" : "passes", result.right.evidence, result.seconds);
  }
  if (flags.json) fmt::print("{}\n", json_text(all));
  note(caught ? "Every broken variant was caught, and every right one passed."
              : "NOT every broken variant was caught while its right one passed.");
}

void run_once(const MainFlags& flags) {
  const double delta = flags.task->delta > 0 ? flags.task->delta : 1e-7;
  const audit::OneRun result =
      audit::one_run_audit(epsilon_of(flags), delta, flags.canaries, error_of(flags), flags.seed);
  if (flags.json) {
    fmt::print("{}\n", json_text(Json{{"canaries", result.canaries},
                                      {"guessed", result.guessed},
                                      {"right", result.right},
                                      {"epsilon_at_least", result.epsilon},
                                      {"proved_epsilon", result.proved},
                                      {"delta", delta},
                                      {"confidence", flags.confidence}}));
  } else {
    fmt::print(
        "one fit, {} canaries: {} guesses, {} right. epsilon is at least {:.3f} with {:.12g}% confidence; proved "
        "{:.3f}\n",
        result.canaries, result.guessed, result.right, result.epsilon, 100 * flags.confidence, result.proved);
  }
  note(audit_release_text(flags));
}

void run(const MainFlags& flags) {
  check_audit_flags(flags);
  if (!flags.data.paths.empty()) {
    throw ArgumentError(
        "the worst case is looked for among all tables of a schema, whatever yours holds: leave --data out");
  }
  require(flags.task->schema_path.empty() || flags.task->epsilon > 0, "a plan of your own needs --epsilon and --delta");
  require(flags.control.empty() || !flags.one_run, "--control and --one-run are two audits; take one");
  if (!flags.control.empty()) return run_controls(flags);
  if (flags.one_run) return run_once(flags);
  run_methods(flags);
}

}  // namespace

void add_audit(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("audit", "Attack dperm's own releases: lower bounds beside the proved epsilon");
  command->require_subcommand(0, 1);
  auto flags = std::make_shared<MainFlags>();
  add_audit_flags(*command, *flags);
  command
      ->add_option("--control", flags->control,
                   wrapped(fmt::format("run a deliberately broken variant, which must be caught, and the right one "
                                       "beside it: all, {}",
                                       fmt::join(audit::control_names(), ", ")),
                           kHelpWidth))
      ->type_name("NAME");
  command->add_flag("--one-run", flags->one_run, "many canaries in a single fit instead of many fits");
  add_integer(*command, "--canaries", flags->canaries, "of --one-run; default 2000");
  add_integer(*command, "--runs", flags->runs, "fits on each table of a game; default: enough to see 80% of epsilon");
  command
      ->add_option("--pictures", flags->pictures, "also draw bounds, rates and privacy losses into this folder, as SVG")
      ->type_name("FOLDER");
  command->footer(
      "Without --schema every method is attacked on small tables of its own (--method NAME: one of them); with it,\n"
      "the plan that dperm fit would take. docs/audit.md says what the attacks are.");
  add_audit_membership(*command);
  add_audit_reconstruction(*command);
  command->callback([flags, command] {
    if (command->get_subcommands().empty()) run(*flags);
  });
}

}  // namespace dperm::cli
