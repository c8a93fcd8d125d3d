// SPDX-License-Identifier: Apache-2.0
// dperm audit reconstruction: what comes out of a model about one row for someone who knows all others.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/audit_flags.hpp"
#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/audit/log_picture.hpp"
#include "dperm/audit/reconstruction/reconstruction.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kRows = 1000;
constexpr double kDelta = 1e-6;
constexpr const char* kMethod = "objective-perturbation";

struct ReconstructionFlags {
  AuditFlags audit;
  std::vector<double> epsilons = {0.1, 1, 10, 100, 900};
  std::size_t targets = 50, candidates = 100;
  std::string picture;
};

// A census, roughly: what is attacked where no schema is given.
constexpr const char* kCensus = R"(version = 1
[[column]]
name = "age"
kind = "integer"
lower = 17
upper = 90
[[column]]
name = "education_years"
kind = "integer"
lower = 1
upper = 16
[[column]]
name = "hours_per_week"
kind = "integer"
lower = 1
upper = 99
[[column]]
name = "workclass"
kind = "category"
values = ["private", "self-employed", "government", "none"]
[[column]]
name = "marital_status"
kind = "category"
values = ["never", "married", "divorced", "widowed"]
[[column]]
name = "sex"
kind = "category"
values = ["female", "male"]
[target]
column = "income"
kind = "binary"
positive = "high"
)";

audit::ReconstructionOptions options_of(const ReconstructionFlags& flags, const planner::ShapedTask& asked,
                                        std::size_t rows) {
  audit::ReconstructionOptions options{.task = asked.task};
  options.task.facts.rows = rows;
  options.task.budget = methods::kNoPrivacy;
  const TaskFlags& task = *flags.audit.task;
  options.method = methods::planners(task.method == "auto" ? kMethod : task.method, task.method_options).at(0);
  options.epsilons = flags.epsilons;
  options.delta = task.delta > 0 ? task.delta : kDelta;
  options.targets = flags.targets;
  options.candidates = flags.candidates;
  options.seed = flags.audit.seed;
  options.threads = {flags.audit.data.read.threads};
  return options;
}

planner::ShapedTask asked_of(const AuditFlags& flags, std::size_t rows) {
  TaskFlags task = *flags.task;
  task.epsilon = 1;  // each epsilon of the attack comes with its own plan
  task.delta = kDelta;
  const auto encoding = task.schema_path.empty()
                            ? std::make_shared<const schema::Encoding>(schema::parse_schema(kCensus, "built in"))
                            : load_encoding(task.schema_path);
  return planner::shaped(make_question(task, *encoding, rows), planner::OpenShapes::linear);
}

std::string level_name(const audit::ReconstructionLevel& level) {
  return std::isinf(level.epsilon) ? "none" : fmt::format("epsilon {:g}", level.epsilon);
}

std::string table_text(const audit::Reconstruction& result) {
  std::string text = fmt::format("{:<16}{:>15}{:>15}{:>17}{:>20}\n", "privacy", "typical error", "mean error",
                                 "rows exactly", "found among " + std::to_string(result.candidates));
  for (const audit::ReconstructionLevel& each : result.levels) {
    text += fmt::format("{:<16}{:>15.2g}{:>15.2g}{:>17}{:>20}\n", level_name(each), each.typical_error, each.mean_error,
                        fmt::format("{} of {}", each.rows_recovered, result.targets),
                        fmt::format("{} of {}", each.found, result.targets));
  }
  return text + fmt::format("{:<16}{:>15}{:>15.2g}{:>17}{:>20}\n", "no model at all", "", result.prior_error, "",
                            fmt::format("{:.2g} by chance",
                                        static_cast<double>(result.targets) / static_cast<double>(result.candidates)));
}

std::string cell_text(const schema::Encoding& encoding, const schema::RealCode& real, std::size_t index,
                      const std::vector<double>& features) {
  const double scaled = encoding.real_center(index) + encoding.real_half_width(index) * features[real.weight];
  const schema::Column& column = encoding.schema().columns[real.column];
  return fmt::format("{:.7g}", column.scale == schema::Scale::log ? std::expm1(scaled) + column.lower : scaled);
}

std::string category_text(const schema::Encoding& encoding, const schema::CategoryCode& code,
                          const std::vector<std::string>& names, const std::vector<double>& features) {
  std::size_t best = code.first_weight;
  for (std::size_t j = code.first_weight; j < code.first_weight + code.levels; ++j) {
    if (features[j] > features[best]) best = j;
  }
  if (features[best] < 0.5) return "(none)";
  return names[best].substr(encoding.schema().columns[code.column].name.size() + 1);
}

// One made-up row, and what came out of it at every level.
std::string example_text(const audit::Reconstruction& result, const schema::Encoding& encoding) {
  const std::vector<std::string> names = encoding.weight_names();
  std::vector<const audit::OpenRow*> shown = {&result.example};
  std::string text = fmt::format("{:<20}{:>16}", "one of the rows", "as it is");
  for (std::size_t i = 0; i < result.levels.size(); ++i) {
    if (i > 0 && result.levels[i].epsilon > 10) continue;
    shown.push_back(&result.example_recovered[i]);
    text += fmt::format("{:>16}", i == 0 ? "without privacy" : level_name(result.levels[i]));
  }
  text += "\n";
  for (std::size_t r = 0; r < encoding.reals().size(); ++r) {
    const schema::RealCode& real = encoding.reals()[r];
    text += fmt::format("{:<20}", encoding.schema().columns[real.column].name);
    for (const auto* row : shown) text += fmt::format("{:>16}", cell_text(encoding, real, r, row->features));
    text += "\n";
  }
  for (const schema::CategoryCode& code : encoding.categories()) {
    text += fmt::format("{:<20}", encoding.schema().columns[code.column].name);
    for (const auto* row : shown) text += fmt::format("{:>16}", category_text(encoding, code, names, row->features));
    text += "\n";
  }
  return text;
}

std::string sentence(const audit::Reconstruction& result) {
  const audit::ReconstructionLevel& bare = result.levels.front();
  const audit::ReconstructionLevel& least = result.levels.back();
  std::string text = fmt::format(
      "Without privacy the model gives its rows away: whoever knows the other rows computed {} of {} rows to the last "
      "digit.",
      bare.rows_recovered, result.targets);
  if (result.levels.size() == 1) return text;
  return text + fmt::format(
                    " At epsilon {:g} the same attack got {} right; its guesses are off by {:.2g} per feature, where "
                    "someone without any model is off by {:.2g}.",
                    least.epsilon, least.rows_recovered, least.mean_error, result.prior_error);
}

nlohmann::ordered_json json_of(const audit::Reconstruction& result) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const audit::ReconstructionLevel& each : result.levels) {
    levels.push_back({{"epsilon", each.epsilon},
                      {"typical_error", each.typical_error},
                      {"mean_error", each.mean_error},
                      {"rows_recovered", each.rows_recovered},
                      {"found", each.found}});
  }
  return {{"targets", result.targets},
          {"candidates", result.candidates},
          {"prior_error", result.prior_error},
          {"levels", levels}};
}

std::string picture_of(const audit::Reconstruction& result) {
  double low = result.prior_error, least = 1, most = 10;
  audit::LogLine noisy{"from the private model", {}, false, true};
  for (const audit::ReconstructionLevel& each : result.levels) {
    low = std::min(low, each.mean_error);
    if (std::isinf(each.epsilon)) continue;
    noisy.points.emplace_back(each.epsilon, each.mean_error);
    least = std::min(least, each.epsilon);
    most = std::max(most, each.epsilon);
  }
  const double bare = result.levels.front().mean_error;
  audit::LogPicture picture;
  picture.title = "What comes out of a model about one row";
  picture.across = {"epsilon (more privacy to the left)", least, most};
  picture.up = {"error of a recovered feature", std::max(low / 3, 1e-12), 3};
  picture.lines = {noisy,
                   {"without privacy", {{least, bare}, {most, bare}}},
                   {"a guess without a model", {{least, result.prior_error}, {most, result.prior_error}}, true}};
  return audit::svg_of(picture);
}

void run(const ReconstructionFlags& flags) {
  check_audit_flags(flags.audit);
  check_picture("--picture", flags.picture, flags.audit.data.paths);
  require(!flags.epsilons.empty(), "--epsilons needs at least one");
  const std::size_t made_up = flags.audit.rows > 0 ? flags.audit.rows : kRows;
  const planner::ShapedTask asked = asked_of(flags.audit, made_up);
  const data::Dataset dataset = audit_dataset(flags.audit, asked.encoding, "audit reconstruction", made_up);
  const audit::Reconstruction result = audit::reconstruct(dataset, options_of(flags, asked, dataset.rows()));
  if (!flags.picture.empty()) model::write_file_atomically(flags.picture, picture_of(result));
  if (flags.audit.json) {
    fmt::print("{}\n", json_text(json_of(result)));
    return;
  }
  fmt::print("{}\n", table_text(result));
  // Real rows are not printed, not even to their owner: terminals are copied and logged.
  if (flags.audit.data.paths.empty()) fmt::print("{}\n", example_text(result, *asked.encoding));
  fmt::print("{}\n{}\n", wrapped(sentence(result), 100), audit_release_text(flags.audit));
}

}  // namespace

void add_audit_reconstruction(CLI::App& audit) {
  CLI::App* command =
      audit.add_subcommand("reconstruction", "Compute a row from a model and all other rows; then with privacy");
  auto flags = std::make_shared<ReconstructionFlags>();
  add_audit_flags(*command, flags->audit);
  command->add_option("--epsilons", flags->epsilons, "of the private models; default 0.1,1,10,100,900")
      ->delimiter(',')
      ->type_name("LIST");
  add_integer(*command, "--targets", flags->targets, "rows that are attacked; default 50");
  add_integer(*command, "--candidates", flags->candidates, "among which a row is to be found; default 100");
  command->add_option("--picture", flags->picture, "also draw the errors against epsilon")->type_name("FILE.svg");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
