// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::cli {

namespace {

// Names may be written as the flags are, l2-penalty for l2_penalty.
std::string with_option_name(const std::string& axis) {
  std::string result = axis;
  const std::size_t equals = std::min(result.find('='), result.size());
  std::replace(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(equals), '-', '_');
  return result;
}

// The options of tuning itself have a prefix here, and so they have in what is said about them.
methods::AlgorithmOptions tuned_options(const methods::Texts& options) {
  try {
    return methods::options_named("tuned", options);
  } catch (const ArgumentError& error) {
    const std::string marked = "`" + error.field() + "`";
    std::string text = error.what();
    if (error.field().empty() || !text.starts_with(marked)) throw;
    throw ArgumentError("`tune_" + error.field() + text.substr(marked.size() - 1));
  }
}

}  // namespace

std::shared_ptr<TuneFlags> add_tune_flags(CLI::App& command) {
  auto flags = std::make_shared<TuneFlags>();
  constexpr const char* kGroup = "Tuning (docs/tuning.md)";
  command
      .add_option("--tune", flags->grid,
                  "NAME=VALUE,VALUE,...: choose l2_penalty, radius or an option of --method\n"
                  "among public values by a private score on held-out rows, inside the same\n"
                  "budget. May be given several times: all combinations. Every fit then has\n"
                  "about half of epsilon, so good defaults often win")
      ->type_name("GRID")
      ->allow_extra_args(false)
      ->group(kGroup);
  for (const methods::OptionSpec& spec : methods::option_specs<methods::TunedOptions>()) {
    const std::string name(spec.name);
    command
        .add_option_function<std::string>(
            "--tune-" + name, [flags, name](const std::string& text) { flags->options[name] = text; },
            wrapped(fmt::format("{} (default {})", spec.help, spec.default_value), kHelpWidth))
        ->type_name("VALUE")
        ->group(kGroup);
  }
  return flags;
}

planner::Alternative plan_tuned(const TuneFlags& flags, const TaskFlags& asked, const planner::Question& question) {
  if (flags.grid.empty()) throw ArgumentError("--tune-... options need --tune NAME=VALUE,VALUE,...");
  std::vector<std::string> axes;
  for (const std::string& axis : flags.grid) axes.push_back(with_option_name(axis));
  for (const auto& [name, value] : asked.method_options) axes.push_back(name + "=" + value);
  std::map<std::string, std::string> options = flags.options;
  options["method"] = asked.method;
  options["grid"] = fmt::format("{}", fmt::join(axes, ";"));
  const methods::AlgorithmOptions tuned = tuned_options(options);
  const bool curves = methods::method_named(asked.method).takes_curves();
  const auto plan = [tuned](const methods::Task& task) { return methods::plan_for(task, tuned); };
  planner::Alternative chosen = planner::choose(question, {{"tuned", plan, curves}});
  chosen.predicted.reset();  // which of the candidates it will be is not known
  return chosen;
}

}  // namespace dperm::cli
