// SPDX-License-Identifier: Apache-2.0
// dperm report: one page about one model or several, for people.
#include "cli/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/unverified.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/report/page/page.hpp"

namespace dperm::cli {

namespace {

constexpr std::string_view kPageStart = "<!DOCTYPE html>";

struct ReportFlags {
  std::vector<std::string> models;
  std::string output;
  report::PageOptions page;
};

report::PageModel read(const std::string& path) {
  const model::Model model = model::read_model(path);
  warn_unless_verified(path, model);
  const auto file = nlohmann::json::parse(model::read_file(path));
  return {model, std::filesystem::path(path).filename().string(), file.at("digest").get<std::string>()};
}

void run(const ReportFlags& flags) {
  check_page(flags.output, flags.models);
  std::vector<report::PageModel> models;
  for (const std::string& path : flags.models) models.push_back(read(path));
  model::write_file_atomically(flags.output, report::page(models, flags.page));
  note(fmt::format("{} written", flags.output));
}

}  // namespace

void check_page(const std::string& path, const std::vector<std::string>& inputs) {
  check_output(path, inputs);
  std::string start(kPageStart.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file.read(start.data(), 1)) return;
  file.read(start.data() + 1, static_cast<std::streamsize>(start.size()) - 1);
  if (start == kPageStart) return;
  throw ArgumentError(fmt::format("{} already exists and is no page of dperm; give another path", path));
}

void write_report(const std::string& path, const model::Model& model, const std::string& name) {
  model::write_file_atomically(path, report::page({{model, std::filesystem::path(name).filename().string()}}));
  note(fmt::format("{} written", path));
}

void add_report(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report", "Write a page about models for people: promise, pictures, proof, limits");
  auto flags = std::make_shared<ReportFlags>();
  command
      ->add_option("MODEL", flags->models,
                   "model files written by dperm fit; several are compared and their cost added")
      ->type_name("FILE")
      ->required();
  command->add_option("-o,--output", flags->output, "where to write the page (HTML, self-contained)")
      ->type_name("FILE.html")
      ->required();
  command->add_option("--title", flags->page.title, "of the page; default: what was learned")->type_name("TEXT");
  command
      ->add_option("--notes", flags->page.notes,
                   "where the source tree lies, to link its proof notes: a path or address that ends in /")
      ->type_name("PREFIX");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
