// SPDX-License-Identifier: Apache-2.0
// dperm explain: the chain from bounds to sensitivity to noise to epsilon, in words.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/commands.hpp"
#include "cli/tables.hpp"
#include "dperm/report/model_json.hpp"

namespace dperm::cli {

namespace {

struct ExplainFlags {
  std::string model;
  bool json = false;
};

void run(const ExplainFlags& flags) {
  const report::Model model = report::read_model(flags.model);
  if (flags.json) {
    fmt::print("{}", report::plan_to_json(model.plan));
    return;
  }
  const privacy::Guarantee& guarantee = model.guarantee;
  fmt::print("{}\nhow epsilon follows:\n{}\n", plan_text(model.plan), derivation_table(model.plan.derivation));
  fmt::print("What it means. Whatever someone knows beforehand, seeing this model changes the odds of any claim about one\n"
             "row (its presence being public) by a factor of at most exp({:.4g}) = {:.4g}{}. A row is the unit: if a person\n"
             "has several rows, the person's protection is weaker by that factor.\n",
             guarantee.epsilon, std::exp(guarantee.epsilon),
             guarantee.delta > 0 ? fmt::format(", except with probability {:.3g}", guarantee.delta) : "");
  for (const std::string& remark : model.remarks) fmt::print("WARNING: {}\n", remark);
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "Show how a model's epsilon follows from its bounds");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->required();
  command->add_flag("--json", flags->json, "print the plan with its derivation as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
