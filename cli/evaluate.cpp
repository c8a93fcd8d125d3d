// SPDX-License-Identifier: Apache-2.0
// dperm evaluate: accuracy or loss of a model, in the open on public data or as a private release.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/tables.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/random/bits_for.hpp"

namespace dperm::cli {

namespace {

struct EvaluateFlags {
  std::string model, metric;
  std::shared_ptr<DataFlags> data;
  bool is_public = false, json = false;
  std::optional<double> epsilon;
  std::optional<std::uint64_t> seed;
};

methods::EvaluationQuery query_for(const EvaluateFlags& flags, const model::Model& model) {
  return {flags.metric.empty() ? methods::default_metric(model.plan.task) : methods::metric_from_name(flags.metric),
          model::fitted(model),
          {flags.data->read.threads}};
}

methods::MetricMeaning meaning_of(const methods::EvaluationQuery& query, const model::Model& model, double value,
                                  std::size_t rows) {
  return methods::metric_meaning(query.metric, query.model.task, model.schema.target, value, rows);
}

// What the unit of a loss is; empty for an accuracy.
std::string in_words(const methods::MetricMeaning& meaning, const std::string& target) {
  if (meaning.error) {
    std::string name(meaning.error->name);
    std::replace(name.begin(), name.end(), '_', ' ');
    return fmt::format("that is a {} of {:.6g} in the unit of {}\n", name, meaning.error->value, target);
  }
  if (!meaning.unit) return "";
  if (*meaning.unit == loss::LossUnit::encoded_square) {
    return "in squares of the encoded target, which runs from -1 to 1\n";
  }
  return fmt::format("{}; scores of zero have {:.4g}\n",
                     *meaning.unit == loss::LossUnit::nats ? "in nats per row" : "per row", meaning.value_of_zero);
}

void add_error(nlohmann::ordered_json& json, const methods::MetricMeaning& meaning) {
  if (meaning.error) json[std::string(meaning.error->name)] = meaning.error->value;
}

void print_public(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                  const methods::EvaluationQuery& query) {
  const double value = DeclaredPublicAccess::open(methods::evaluate(dataset, query));
  const auto meaning = meaning_of(query, model, value, dataset.rows());
  const std::string name(methods::value_name(query.metric));
  if (flags.json) {
    nlohmann::ordered_json json{{name, value}, {"rows", dataset.rows()}, {"private", false}};
    add_error(json, meaning);
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} {:.6f} on {} declared public\n{}", name, value, counted(dataset.rows(), "row"),
               in_words(meaning, model.schema.target.name));
  }
  note("This number is exact: publish it only if the rows it was computed on are public.");
}

nlohmann::ordered_json private_json(const methods::EvaluationQuery& query, const methods::PrivateEvaluation& result,
                                    std::size_t rows) {
  return {{std::string(methods::value_name(query.metric)), result.estimate},
          {"noise_radius_95", result.noise_radius},
          {"rows", rows},
          {"epsilon", result.guarantee.epsilon},
          {"delta", 0},
          {"neighbours", word(result.guarantee.neighbours)},
          {"private", result.secure}};
}

void print_private(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                   const methods::EvaluationQuery& query) {
  const auto bits = random::bits_for(flags.seed);
  const std::size_t unit_rows = model.schema.unit ? model.schema.unit->rows : 1;
  privacy::Curator curator(*bits, privacy::Neighbours::replace_one, unit_rows);
  const auto result = methods::evaluate_privately(dataset, query, *flags.epsilon, curator);
  const auto meaning = meaning_of(query, model, result.estimate, dataset.rows());
  if (flags.json) {
    nlohmann::ordered_json json = private_json(query, result, dataset.rows());
    add_error(json, meaning);
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} {:.4f} on {} (95%: noise within {:.4f}{})\n{}", methods::value_name(query.metric), result.estimate,
               counted(dataset.rows(), "row"), result.noise_radius,
               meaning.sampling_radius ? fmt::format(", sampling error within {:.4f}", *meaning.sampling_radius) : "",
               in_words(meaning, model.schema.target.name));
    if (result.secure) fmt::print("Spent on these rows: {}.\n", guarantee_text(result.guarantee, model.schema.unit));
  }
  if (!result.secure) note("WARNING: made with a fixed seed, so this number is NOT private");
}

void check_flags(const EvaluateFlags& flags) {
  if (flags.is_public == flags.epsilon.has_value()) {
    throw ArgumentError(
        "say either --public (the rows are public: the exact number is shown) or --epsilon E (they are sensitive: a "
        "noisy number is released)");
  }
  if (flags.epsilon) privacy::require_meaningful_epsilon(*flags.epsilon);
}

void run(const EvaluateFlags& flags) {
  check_flags(flags);
  const model::Model model = model::read_model(flags.model);
  const auto query = query_for(flags, model);
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  data::ReadOptions read = flags.data->read;
  read.by_unit = !flags.is_public;
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, read);
  flags.is_public ? print_public(flags, model, dataset, query) : print_private(flags, model, dataset, query);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "Accuracy or loss of a model on labelled data");
  auto flags = std::make_shared<EvaluateFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  flags->data = add_data_flags(*command);
  command->add_flag("--public", flags->is_public, "the rows are public: show the exact number");
  add_number(*command, "--epsilon", flags->epsilon, "the rows are sensitive: release a noisy number, pure epsilon");
  command->add_option("--metric", flags->metric, "accuracy or loss; default by the kind of model")->type_name("NAME");
  add_integer(*command, "--seed", flags->seed, "reproducible noise: the number is NOT private");
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
