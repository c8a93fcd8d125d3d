// SPDX-License-Identifier: Apache-2.0
// dperm verify: recomputes a model's guarantee from its public parts.
#include "dperm/model/verify.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/summary.hpp"
#include "cli/tables.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::cli {

namespace {

struct VerifyFlags {
  std::string model;
  bool json = false, details = false;
};

void run(const VerifyFlags& flags) {
  const model::Model model = model::read_model(flags.model);
  const auto checks = model::verify(model);
  const bool passed = model::all_passed(checks);
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& check : checks) {
      list.push_back({{"check", check.what}, {"passed", check.passed}, {"detail", check.detail}});
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"verified", passed}, {"checks", list}}.dump(2));
  } else {
    if (!passed || flags.details) fmt::print("{}", checks_text(checks));
    if (passed) {
      fmt::print("verified: {}\n{}all {} checks passed\n", guarantee_text(model.guarantee, model.schema.unit),
                 inference_text(model.schema, model.guarantee), checks.size());
      note_warnings(model.plan.task);
      note(
          "This shows that the guarantee follows from schema, task and recorded noise. That the noise was drawn\n"
          "as recorded rests on the program that made the file.");
    }
  }
  if (privacy::is_unprotected(model.events)) {
    throw DataError(flags.model +
                    ": made without privacy, so there is no guarantee to verify; do not publish it, or anything "
                    "computed from it");
  }
  if (!passed)
    throw DataError(
        fmt::format("{}: the guarantee does not hold as written; do not rely on this model. Fit it again, "
                    "or get the original file",
                    flags.model));
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("verify", "Recompute a model's guarantee; refuse a file whose claims do not follow");
  auto flags = std::make_shared<VerifyFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  command->add_flag("--details", flags->details, "list the checks also where all passed");
  command->add_flag("--json", flags->json, "print the checks as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
