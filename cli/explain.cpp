// SPDX-License-Identifier: Apache-2.0
// dperm explain: the chain from bounds to sensitivity to noise to epsilon, as a story and on demand as a table; and a
// picture of the effects in the model.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/story.hpp"
#include "cli/tables.hpp"
#include "cli/unverified.hpp"
#include "dperm/core/check.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/report/effects_picture.hpp"

namespace dperm::cli {

namespace {

struct ExplainFlags {
  std::string model, curves;
  bool json = false, details = false;
};

void draw(const ExplainFlags& flags, const model::Model& model) {
  model::write_file_atomically(flags.curves, report::effects_picture(model, effect_on(model)));
  note(fmt::format("{} written", flags.curves));
}

void run(const ExplainFlags& flags) {
  check_picture("--curves", flags.curves, {flags.model});
  model::Model model = model::read_model(flags.model);
  const SlowNote slow("still computing; a model of very many releases can take a minute to verify");
  warn_unless_verified(flags.model, model);
  model.plan = model::planned_anew(model);  // the words come from this program, not from the file
  if (!flags.curves.empty()) draw(flags, model);
  if (flags.json) {
    fmt::print("{}", model::plan_to_json(model.plan));
    return;
  }
  if (model.is_private) {
    fmt::print("{}", story_text(model));
  } else {
    fmt::print("{}", privacy_text(model));
  }
  if (!flags.details) {
    note("--details shows every quantity with its value and theorem.");
    return;
  }
  fmt::print("\n{}\nhow epsilon follows:\n{}\n{}{}{}", plan_text(model.plan, model.schema.unit),
             derivation_table(model.plan.derivation), tuning_text(model), evaluation_text(model),
             model.is_private ? privacy_text(model) : "");
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "Show how a model's epsilon follows from its bounds");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  command->add_flag("--details", flags->details, "also show every quantity with its value and theorem, as a table");
  command->add_flag("--json", flags->json, "print the plan with its derivation as JSON");
  command->add_option("--curves", flags->curves, "also draw the effects of curves, categories and pairs, as SVG")
      ->type_name("FILE.svg");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
