// SPDX-License-Identifier: Apache-2.0
// dperm verify: recomputes a model's guarantee from its public parts.
#include "dperm/model/verify.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/output_file.hpp"
#include "cli/summary.hpp"
#include "cli/tables.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/signature.hpp"
#include "dperm/core/whole_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/trust.hpp"

namespace dperm::cli {

namespace {

struct VerifyFlags {
  std::string model, key, signature;
  bool json = false, details = false;
};

// That the very bytes which are verified were signed.
model::Check signature_check(const VerifyFlags& flags, const std::string& content) {
  const std::string path = flags.signature.empty() ? flags.model + ".sig" : flags.signature;
  const bool holds = is_signed_by(content, whole_file(path), path, whole_file(flags.key), flags.key);
  return {fmt::format("the file was signed with the key {}", flags.key), holds,
          holds ? "" : "somebody else signed it, or it was changed afterwards"};
}

void run(const VerifyFlags& flags) {
  require(!flags.key.empty() || flags.signature.empty(), "--signature goes with --key, the signer's public key");
  const std::string content = whole_file(flags.model);
  const model::Model model = model::parse_model(content, flags.model);
  auto checks = model::verify(model);
  if (!flags.key.empty()) checks.push_back(signature_check(flags, content));
  const bool passed = model::all_passed(checks);
  const std::vector<std::string> on_trust = model::taken_on_trust(model, passed && !flags.key.empty());
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& check : checks) {
      list.push_back({{"check", check.what}, {"passed", check.passed}, {"detail", check.detail}});
    }
    fmt::print("{}\n",
               json_text(nlohmann::ordered_json{{"verified", passed}, {"checks", list}, {"taken_on_trust", on_trust}}));
  } else {
    if (!passed || flags.details) fmt::print("{}", checks_text(checks));
    if (passed) {
      fmt::print("verified: {}\n{}all {} checks passed\n", guarantee_text(model.guarantee, model.schema.unit),
                 inference_text(model.schema, model.guarantee), checks.size());
      note_warnings(model.plan.task);
      fmt::print("This shows that the guarantee follows from schema, task and recorded noise. Taken on trust:\n");
      for (const std::string& each : on_trust) fmt::print("- {}\n", each);
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
  command->add_option("--key", flags->key, "public key of who must have signed the file (dperm sign)")
      ->type_name("FILE");
  command->add_option("--signature", flags->signature, "the signature; default: MODEL.sig")->type_name("FILE");
  command->add_flag("--details", flags->details, "list the checks also where all passed");
  command->add_flag("--json", flags->json, "print the checks as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
