// SPDX-License-Identifier: Apache-2.0
#include "cli/task_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "cli/numbers.hpp"
#include "cli/text.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/rules_file.hpp"
#include "dperm/planner/cost.hpp"
#include "dperm/rules/class_spec.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::cli {

namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr const char* kReadingGroup = "Reading data";
constexpr const char* kModelGroup = "Penalty, curves, networks and rules";

std::string flag_name(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

// One flag for every option of every method, from the methods' own tables.
void add_method_flags(CLI::App& command, const std::shared_ptr<TaskFlags>& flags) {
  std::set<std::string_view> seen;
  for (const methods::Method* method : methods::all_methods()) {
    std::string shared;  // described further up, with another method
    for (const methods::OptionSpec& spec : method->options()) {
      if (seen.contains(spec.name)) shared += (shared.empty() ? ", also " : " ") + flag_name(spec.name);
    }
    for (const methods::OptionSpec& spec : method->options()) {
      if (!seen.insert(spec.name).second) continue;
      const std::string name(spec.name);
      command
          .add_option_function<std::string>(
              flag_name(spec.name), [flags, name](const std::string& text) { flags->method_options[name] = text; },
              wrapped(fmt::format("{} (default {})", spec.help, spec.default_value), kHelpWidth))
          ->type_name("VALUE")
          ->group(fmt::format("Options of {}{}", method->name(), shared));
    }
  }
}

// What --help calls the kinds of targets.
constexpr std::array kTargetsInHelp = {std::pair{schema::TargetKind::binary, "binary target"},
                                       std::pair{schema::TargetKind::real, "real target"},
                                       std::pair{schema::TargetKind::classes, "target of kind class"}};

// One flag for every parameter of a loss, from the losses' own lists.
void add_loss_flags(CLI::App& command, TaskFlags& flags) {
  for (const loss::LossInfo& loss : loss::all_losses()) {
    for (const loss::LossParameter& each : loss.parameters) {
      const auto [place, is_new] = flags.loss_parameters.try_emplace(std::string(each.name));
      if (!is_new) continue;
      add_number(command, flag_name(each.name), place->second, fmt::format("{}: {}", loss.name, each.help))
          ->group(kModelGroup);
    }
  }
}

// "binary target: logistic (default), hinge, ...": one line per kind of target.
std::string loss_help() {
  std::string text;
  for (const auto& [target, words] : kTargetsInHelp) {
    std::string line = fmt::format("{}: ", words);
    const std::vector<loss::LossKind> losses = loss::losses_for(target);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const bool is_default = i == 0 && losses.size() > 1;
      line += fmt::format("{}{}{}", i == 0 ? "" : ", ", loss::name(losses[i]), is_default ? " (default)" : "");
    }
    text += (text.empty() ? "" : ";\n") + wrapped(line, kHelpWidth);
  }
  return text;
}

// Neither epsilon nor delta has a default: they are asked for, but where there is nothing to promise.
void add_method_and_budget(CLI::App& command, TaskFlags& flags) {
  CLI::Option* epsilon =
      add_number(command, "--epsilon", flags.epsilon, "privacy: an attacker's odds change by at most exp(epsilon)")
          ->required();
  CLI::Option* delta = add_number(command, "--delta", flags.delta,
                                  "privacy: chance of more than that, far below 1/rows; 0: pure epsilon")
                           ->required();
  command
      .add_option("--method", flags.method,
                  wrapped("auto: chosen from public facts; or a name that dperm plan lists, or constant: the best "
                          "answer that looks "
                          "at no feature",
                          kHelpWidth))
      ->type_name("NAME")
      ->capture_default_str()
      ->each([epsilon, delta](const std::string& name) {
        if (name != kNonPrivate) return;
        epsilon->required(false);
        delta->required(false);
      });
}

// A class by its name stays as it is; a file of rules is read.
std::string class_text(const std::string& given, const schema::Encoding& encoding) {
  std::error_code ignored;
  const bool is_file = !given.empty() && !rules::is_class_name(given) && std::filesystem::exists(given, ignored);
  return is_file ? model::read_rules(given, encoding) : given;
}

// "64,32"
std::vector<std::size_t> widths_of(const std::string& text) {
  std::vector<std::size_t> widths;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    widths.push_back(parse_integer("--hidden", text.substr(first, end - first)));
    first = end + 1;
  }
  return widths;
}

}  // namespace

std::shared_ptr<TaskFlags> add_task_flags(CLI::App& command) {
  auto flags = std::make_shared<TaskFlags>();
  command.add_option("--schema", flags->schema_path, "schema.toml: public bounds and categories")
      ->type_name("FILE")
      ->required();
  add_method_and_budget(command, *flags);
  command.add_option("--loss", flags->loss, loss_help())->type_name("NAME");
  add_number(
      command, "--time-limit", flags->time_limit,
      "seconds that a fit may take once the rows are read, predicted from public\nfacts: auto takes what keeps to "
      "it, and what cannot is refused")
      ->type_name("SECONDS");
  add_number(command, "--l2-penalty", flags->l2_penalty,
             "factor of ||w||^2 / 2; default: chosen from public facts (encoded units)")
      ->group(kModelGroup);
  auto* radius = add_number(command, "--radius", flags->radius, "only weights with ||w|| at most this (encoded units)");
  radius->group(kModelGroup);
  add_number(command, "--box", flags->box, "only weights with every |w_j| at most this (encoded units)")
      ->excludes(radius)
      ->group(kModelGroup);
  add_loss_flags(command, *flags);
  command
      .add_option("--shape", flags->shape,
                  "numbers whose shape the schema leaves open: linear, curve (piecewise\n"
                  "linear), steps, or curve:8 with the number of pieces; default: chosen\n"
                  "from public facts")
      ->type_name("SHAPE")
      ->group(kModelGroup);
  command
      .add_option_function<std::string>(
          "--hidden", [flags](const std::string& text) { flags->hidden = widths_of(text); },
          "neural network: widths of its hidden layers, e.g. 64,32; default none")
      ->type_name("WIDTHS")
      ->group(kModelGroup);
  command.add_option("--activation", flags->activation, "of hidden layers: tanh or relu")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(kModelGroup);
  command
      .add_option("--class", flags->rules,
                  "zero-one loss: the rules to choose from: stumps (default),\n"
                  "intervals(column), thresholds(column, parts=N), conjunctions(literals=2),\n"
                  "rectangles(column, column), halfspaces(coefficients=1), or a file with one\n"
                  "rule per line, such as age >= 37 and city = north (docs/methods.md)")
      ->type_name("CLASS")
      ->group(kModelGroup);
  add_method_flags(command, flags);
  return flags;
}

std::shared_ptr<const schema::Encoding> load_encoding(const std::string& schema_path) {
  return std::make_shared<const schema::Encoding>(schema::read_schema(schema_path));
}

namespace {

// Neither number has a default; without privacy neither has a meaning.
methods::Budget budget_of(const TaskFlags& flags) {
  if (flags.method != kNonPrivate) return {flags.epsilon, flags.delta};
  require(flags.epsilon == 0 && flags.delta == 0, "--method non-private has no epsilon and no delta: leave them out");
  return methods::kNoPrivacy;
}

}  // namespace

planner::Question make_question(const TaskFlags& flags, const schema::Encoding& encoding, std::size_t rows) {
  planner::Question question;
  question.schema = schema::with_shape_text(encoding.schema(), flags.shape);
  methods::Problem& problem = question.problem;
  problem.loss.kind = flags.loss.empty() ? methods::default_loss(encoding.schema().target.kind, !flags.rules.empty())
                                         : loss::loss_from_name(flags.loss);
  for (const auto& [parameter, value] : flags.loss_parameters) {
    if (value) loss::set_parameter(problem.loss, parameter, *value);
  }
  problem.l2_penalty = flags.l2_penalty;
  if (flags.radius) problem.feasible_set = {loss::SetKind::ball, *flags.radius};
  if (flags.box) problem.feasible_set = {loss::SetKind::box, *flags.box};
  problem.hidden = flags.hidden;
  problem.activation = network::activation_from_name(flags.activation);
  const bool unnamed = problem.loss.kind == loss::LossKind::zero_one && flags.rules.empty();
  problem.rules = unnamed ? "stumps" : class_text(flags.rules, encoding);
  question.rows = rows;
  question.budget = budget_of(flags);
  if (flags.time_limit) require_positive_finite("time_limit", *flags.time_limit);
  question.time_limit = flags.time_limit;
  question.cores = planner::cores_here();
  methods::validate_asked({problem, methods::facts_of(encoding, problem, rows), question.budget});
  return question;
}

void add_data_argument(CLI::App& command, DataFlags& flags) {
  command
      .add_option("DATA", flags.paths,
                  "CSV, Parquet, Arrow or LIBSVM files; text also .gz, .bz2; globs in quotes;\n- is standard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--format", flags.read.format, kFormatHelp)->type_name("KIND")->group(kReadingGroup);
  command
      .add_option_function<std::string>(
          "--threads",
          [&flags](const std::string& text) {
            const std::uint64_t threads = parse_integer("--threads", text);
            require(threads <= kMostThreads, fmt::format("--threads must be at most {}; got {}", kMostThreads, text));
            flags.read.threads = static_cast<int>(threads);
          },
          "0, the default: all cores. The result does not depend on it")
      ->type_name("INTEGER")
      ->group(kReadingGroup);
}

std::shared_ptr<DataFlags> add_data_flags(CLI::App& command) {
  auto flags = std::make_shared<DataFlags>();
  add_data_argument(command, *flags);
  command
      .add_option("--tiles", flags->read.tiles_path,
                  "keep encoded rows in this file (readable by you only): for data larger\n"
                  "than memory, and a second run skips parsing")
      ->type_name("FILE")
      ->group(kReadingGroup);
  command
      .add_flag("--strict", flags->read.strict,
                "refuse records that do not fit the schema; the refusal itself reveals\nsomething about them")
      ->group(kReadingGroup);
  return flags;
}

}  // namespace dperm::cli
