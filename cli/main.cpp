// SPDX-License-Identifier: Apache-2.0
// The program: picks the subcommand and turns every failure into its exit status and one clear message.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.hpp"
#include "dperm/core/error.hpp"
#include "dperm/report/model_json.hpp"

namespace {

enum ExitStatus { kDone = 0, kBadArgument = 2, kBadData = 3, kBudgetRefused = 4, kOurBug = 5 };

int fail(ExitStatus status, const std::string& message) {
  fmt::print(stderr, "dperm: {}\n", message);
  return status;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Trains models on sensitive records and proves that no record can be told from the result.\n"
      "Start with: dperm schema init DATA, then dperm plan, then dperm fit."};
  app.set_version_flag("--version", std::string("dperm ") + dperm::report::kVersion);
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 2 bad argument, 3 bad data, 4 budget refused, 5 a bug of dperm.");
  dperm::cli::add_fit(app);
  dperm::cli::add_predict(app);
  dperm::cli::add_evaluate(app);
  dperm::cli::add_plan(app);
  dperm::cli::add_verify(app);
  dperm::cli::add_explain(app);
  dperm::cli::add_schema(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return fail(kBadArgument, std::string(error.what()) + "\nRun with --help for the options.");
  }
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const dperm::ArgumentError& error) {
    return fail(kBadArgument, error.what());
  } catch (const dperm::DataError& error) {
    return fail(kBadData, error.what());
  } catch (const dperm::BudgetError& error) {
    return fail(kBudgetRefused, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadData, "not enough memory; keep the rows in a mapped file with --tiles PATH");
  } catch (const std::exception& error) {
    return fail(kOurBug, fmt::format("internal error, please report it: {}", error.what()));
  }
}
