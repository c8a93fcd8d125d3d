// SPDX-License-Identifier: Apache-2.0
// dperm explain: the chain from bounds to sensitivity to noise to epsilon, in words; and a picture of the
// effects in the model.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/tables.hpp"
#include "cli/unverified.hpp"
#include "dperm/core/check.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/report/effects_picture.hpp"

namespace dperm::cli {

namespace {

struct ExplainFlags {
  std::string model, curves;
  bool json = false;
};

void draw(const ExplainFlags& flags, const model::Model& model) {
  model::write_file_atomically(flags.curves, report::effects_picture(model, effect_on(model)));
  note(fmt::format("{} written", flags.curves));
}

// What was asked of the records before the fit, release by release.
std::string inferred_releases(const schema::Schema& schema) {
  std::string text;
  for (const schema::Inference& inference : schema.inferred) {
    text += fmt::format("The schema rests on questions to the records of {} rows (release {}):\n", inference.rows,
                        inference.id);
    for (const privacy::PrivacyEvent& event : infer::events_of(inference)) {
      text += fmt::format("  {}: {}\n", event.what, privacy::to_string(event.mechanism));
    }
    text += "  Another model with this schema adds its own epsilon, but not this release again.\n";
  }
  return text;
}

void run(const ExplainFlags& flags) {
  require(flags.curves.empty() || flags.curves.ends_with(".svg"),
          fmt::format("--curves draws SVG; name the file .svg, got '{}'", flags.curves));
  model::Model model = model::read_model(flags.model);
  warn_unless_verified(flags.model, model);
  model.plan = model::planned_anew(model);  // the words come from this program, not from the file
  if (!flags.curves.empty()) draw(flags, model);
  if (flags.json) {
    fmt::print("{}", model::plan_to_json(model.plan));
    return;
  }
  fmt::print("{}\nhow epsilon follows:\n{}\n{}{}{}", plan_text(model.plan, model.schema.unit),
             derivation_table(model.plan.derivation), tuning_text(model), evaluation_text(model), privacy_text(model));
  if (!model.is_private) return;
  fmt::print("{}", inferred_releases(model.schema));
  const privacy::Guarantee total = model::total_guarantee(model);
  const std::string others = total.delta > 0 ? " and a larger delta" : "";
  fmt::print(
      "In odds: whatever someone believed about {} beforehand, this model changes the odds by a factor of at\n"
      "most exp(epsilon) = {:.4g}{}.\n{}\n"
      "Every further release from the same rows adds to what is spent.\n",
      model.schema.unit ? "one person" : "one row", std::exp(total.epsilon),
      total.delta > 0 ? fmt::format(", up to a chance of the order of delta = {:.3g}", total.delta) : "",
      model.schema.unit
          ? fmt::format("A person is the unit: all rows with the same {}, of which the first {} count.",
                        model.schema.unit->column, model.schema.unit->rows)
          : fmt::format("A row is the unit: someone with k rows is protected at k times this epsilon{}.", others));
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "Show how a model's epsilon follows from its bounds");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  command->add_flag("--json", flags->json, "print the plan with its derivation as JSON");
  command->add_option("--curves", flags->curves, "also draw the effects of curves, categories and pairs, as SVG")
      ->type_name("FILE.svg");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
