// SPDX-License-Identifier: Apache-2.0
// The program: picks the subcommand and turns every failure into its exit status and one clear message.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/core/process.hpp"
#include "dperm/model/model_json.hpp"

namespace {

enum ExitStatus { kDone = 0, kBadArgument = 2, kBadData = 3, kBudgetRefused = 4, kOurBug = 5 };

int fail(ExitStatus status, const std::string& message) {
  std::fputs(("dperm: " + dperm::cli::limited(message) + "\n").c_str(),
             stderr);  // fputs: must not throw when standard error is closed
  return status;
}

// The parser would only say that a command is missing. `place` is where the command stands, also within `schema`.
void check_command(const CLI::App& app, int argc, char** argv, int place = 1) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (names.empty()) return;
  // A command that does something by itself needs no word after it.
  const bool alone = place > 1 && app.get_require_subcommand_min() == 0;
  if (alone && (argc <= place || std::string(argv[place]).starts_with('-'))) return;
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  const std::string call = place == 1 ? "dperm" : "dperm " + app.get_name();
  if (argc <= place) {
    throw dperm::ArgumentError(fmt::format("name a command: {}. Run {} --help for what they do", list, call));
  }
  const std::string first = argv[place];
  if (std::find(names.begin(), names.end(), first) != names.end()) {
    return check_command(*app.get_subcommand(first), argc, argv, place + 1);
  }
  const auto options = {"-h", "--help", "--help-all", "--version"};
  if (std::find(options.begin(), options.end(), first) != options.end()) return;
  const std::string meant = dperm::did_you_mean(first, {names.begin(), names.end()});
  throw dperm::ArgumentError(
      first.starts_with('-')
          ? fmt::format("name a command before the option {}: {}", first, list)
          : fmt::format("there is no command '{}'{} Choose one of: {}", first, meant.empty() ? "." : meant, list));
}

// The innermost command that was named, and how one calls it.
const CLI::App* named_command(const CLI::App& app, std::string& call) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    call += command->get_name() + " ";
  }
  return command;
}

// An option that the command does not have, with the one that was probably meant; the parser may complain first that
// the one that was meant is missing.
std::string unknown_option(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") break;
    const std::string option = argument.substr(0, argument.find('='));
    if (!option.starts_with("--") || std::find(names.begin(), names.end(), option) != names.end()) continue;
    return fmt::format("there is no option {}{}", option, dperm::did_you_mean(option, {names.begin(), names.end()}));
  }
  return {};
}

// The parser counts values; readers count options.
std::string parse_error_text(const CLI::ParseError& error) {
  const std::string text = error.what();
  // The parser lists what is left from the end; a value follows its option.
  constexpr std::string_view kUnknown = "not expected: ";
  if (const std::size_t list = text.find(kUnknown); list != std::string::npos) {
    const std::string left = text.substr(list + kUnknown.size());
    const std::size_t option = left.starts_with('-') ? 0 : left.find(" -") + 1;  // 0 + 1 past the end: none
    if (option == 0 && !left.starts_with('-')) return fmt::format("cannot tell what '{}' is for", left);
    return fmt::format("there is no option {}", left.substr(option, left.find(' ', option) - option));
  }
  constexpr std::string_view kTooMany = ": At Most 1 required but received ";
  const std::size_t found = text.find(kTooMany);
  if (found == std::string::npos) return text;
  return fmt::format("{} is given {} times; give it once", text.substr(0, found), text.substr(found + kTooMany.size()));
}

int run(int argc, char** argv) {
  CLI::App app{
      "Trains models on sensitive records and proves how little the result reveals about any one of them.\n"
      "Start with: dperm schema init DATA, then dperm plan, then dperm fit.",
      "dperm"};
  app.set_version_flag("--version", std::string("dperm ") + dperm::model::kVersion);
  app.require_subcommand(1);
  dperm::cli::set_help(app);
  app.footer(
      "Results go to standard output, everything else to standard error.\n"
      "Exit status: 0 done, 2 bad argument, 3 bad data, 4 budget refused, 5 a bug of dperm.");
  dperm::cli::add_schema(app);
  dperm::cli::add_plan(app);
  dperm::cli::add_fit(app);
  dperm::cli::add_predict(app);
  dperm::cli::add_evaluate(app);
  dperm::cli::add_verify(app);
  dperm::cli::add_sign(app);
  dperm::cli::add_explain(app);
  dperm::cli::add_report(app);
  dperm::cli::add_account(app);
  dperm::cli::add_calibrate(app);
  dperm::cli::add_ledger(app);
  dperm::cli::add_audit(app);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::string call;
    const std::string unknown = unknown_option(*named_command(app, call), argc, argv);
    return fail(kBadArgument, fmt::format("{}\nRun dperm {}--help for the options.",
                                          unknown.empty() ? parse_error_text(error) : unknown, call));
  }
  dperm::cli::finish_standard_output();
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  dperm::cli::hold_standard_streams();
  dperm::cli::watch_interrupts();
  try {
    dperm::protect_process();
    return run(argc, argv);
  } catch (const dperm::ArgumentError& error) {
    return fail(kBadArgument, dperm::cli::rendered(error.what()));
  } catch (const dperm::DataError& error) {
    return fail(kBadData, error.what());
  } catch (const dperm::BudgetError& error) {
    return fail(kBudgetRefused, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadData, "not enough memory; where rows are read, --tiles PATH keeps them in a mapped file");
  } catch (const std::system_error& error) {  // among others fmt's way to say that printing failed
    return fail(kBadData,
                fmt::format("the system refused an operation on a file or on standard output: {}", error.what()));
  } catch (const std::exception& error) {
    return fail(kOurBug, fmt::format("internal error, please report it: {}", error.what()));
  }
}
