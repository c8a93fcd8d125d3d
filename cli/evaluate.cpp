// SPDX-License-Identifier: Apache-2.0
// dperm evaluate: accuracy or loss of a model, in the open on public data or as a private release.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/question_flags.hpp"
#include "cli/tables.hpp"
#include "dperm/methods/evaluation.hpp"
#include "dperm/report/model_json.hpp"

namespace dperm::cli {

namespace {

struct EvaluateFlags {
  std::string model, metric;
  std::shared_ptr<DataFlags> data;
  bool is_public = false, json = false;
  std::optional<double> epsilon;
  std::optional<std::uint64_t> seed;
};

methods::EvaluationQuery query_for(const EvaluateFlags& flags, const report::Model& model) {
  const loss::Loss& loss = model.plan.question.problem.loss;
  const std::string fallback = loss::is_classification(loss.kind) ? "accuracy" : "loss";
  return {methods::metric_from_name(flags.metric.empty() ? fallback : flags.metric), loss, model.weights,
          {flags.data->read.threads}};
}

std::string metric_name(const methods::EvaluationQuery& query) {
  return query.metric == methods::Metric::accuracy ? "accuracy" : "clipped_loss";
}

void print_public(const EvaluateFlags& flags, const data::Dataset& dataset, const methods::EvaluationQuery& query) {
  const double value = DeclaredPublicAccess::open(methods::evaluate(dataset, query));
  if (flags.json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{{metric_name(query), value}, {"rows", dataset.rows()}, {"private", false}}.dump(2));
    return;
  }
  fmt::print("{} {:.6f} on {} rows declared public\n", metric_name(query), value, dataset.rows());
  fmt::print(stderr, "This number is exact: publish it only if the rows it was computed on are public.\n");
}

void print_private(const EvaluateFlags& flags, const data::Dataset& dataset, const methods::EvaluationQuery& query) {
  std::unique_ptr<random::BitSource> bits = std::make_unique<random::SecureBits>();
  if (flags.seed) bits = std::make_unique<random::SeededBits>(*flags.seed);
  privacy::Curator curator(*bits);
  const auto result = methods::evaluate_privately(dataset, query, *flags.epsilon, curator);
  // Sampling error of a share of n rows is at most 1.96 * 0.5 / sqrt(n); only accuracies have this simple bound.
  const double sampling = 0.98 / std::sqrt(static_cast<double>(dataset.rows()));
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{metric_name(query), result.estimate},
                                              {"noise_radius_95", result.noise_radius},
                                              {"rows", dataset.rows()},
                                              {"epsilon", result.guarantee.epsilon},
                                              {"delta", 0},
                                              {"neighbours", privacy::to_string(result.guarantee.neighbours)},
                                              {"private", result.secure}}
                           .dump(2));
  } else {
    fmt::print("{} {:.4f} on {} rows (noise at most {:.4f} with probability 0.95{})\n", metric_name(query),
               result.estimate, dataset.rows(), result.noise_radius,
               query.metric == methods::Metric::accuracy ? fmt::format(", sampling error at most {:.4f}", sampling) : "");
    fmt::print("{}\n", guarantee_text(result.guarantee));
  }
  if (!result.secure) fmt::print(stderr, "WARNING: made with a fixed seed, so this number is NOT private\n");
}

void run(const EvaluateFlags& flags) {
  const report::Model model = report::read_model(flags.model);
  const auto query = query_for(flags, model);
  if (flags.epsilon) methods::validate({{}, {1, 1, 1}, {*flags.epsilon, 0}});
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, flags.data->read);
  flags.is_public ? print_public(flags, dataset, query) : print_private(flags, dataset, query);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "Accuracy or loss of a model on labelled data");
  auto flags = std::make_shared<EvaluateFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->required();
  flags->data = add_data_flags(*command);
  auto* how = command->add_option_group("how", "one of");
  how->add_flag("--public", flags->is_public, "the rows are public: show the exact number");
  how->add_option("--epsilon", flags->epsilon, "the rows are sensitive: release a noisy number with this pure epsilon");
  how->require_option(1);
  command->add_option("--metric", flags->metric, "accuracy or loss; default by the kind of model");
  command->add_option("--seed", flags->seed, "reproducible noise: the number is NOT private");
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
