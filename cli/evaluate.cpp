// SPDX-License-Identifier: Apache-2.0
// dperm evaluate: accuracy or loss of a model, in the open on public data or as a private release.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
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
#include "dperm/model/coefficients.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

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
  const loss::Loss& loss = model.plan.task.problem.loss;
  const std::string fallback = loss::is_classification(loss.kind) ? "accuracy" : "loss";
  return {methods::metric_from_name(flags.metric.empty() ? fallback : flags.metric),
          model::fitted(model),
          {flags.data->read.threads}};
}

std::string metric_name(const methods::EvaluationQuery& query) {
  return query.metric == methods::Metric::accuracy ? "accuracy" : "clipped_loss";
}

// The mean loss of a regression as an error people know, in the target's own unit.
struct KnownError {
  std::string name;
  double value;
};
std::optional<KnownError> known_error(const methods::EvaluationQuery& query, const model::Model& model, double mean) {
  if (query.metric == methods::Metric::accuracy) return std::nullopt;
  const double half_width = model::target_units(model.schema.target).half_width;
  switch (query.model.task.problem.loss.kind) {
    case loss::LossKind::absolute:
      return KnownError{"mean_absolute_error", half_width * mean};
    case loss::LossKind::pinball:
      return KnownError{"mean_pinball_loss", half_width * mean};
    case loss::LossKind::squared:
      return KnownError{"root_mean_square_error", half_width * std::sqrt(mean)};
    default:
      return std::nullopt;
  }
}

// Of a loss that is no error in the target's unit.
std::string unit_text(const methods::Task& task) {
  const loss::Loss& loss = task.problem.loss;
  if (loss.kind == loss::LossKind::huber) return "in squares of the encoded target, which runs from -1 to 1\n";
  const bool softmax = loss.kind == loss::LossKind::softmax;
  const double zero = softmax ? std::log(static_cast<double>(task.facts.classes)) : loss::value(loss, 0, 1);
  return fmt::format("{}; scores of zero have {:.4g}\n",
                     softmax || loss.kind == loss::LossKind::logistic ? "in nats a row" : "a row", zero);
}

// What the unit of a loss is.
std::string in_words(const methods::EvaluationQuery& query, const std::optional<KnownError>& error,
                     const model::Model& model) {
  if (query.metric == methods::Metric::accuracy) return "";
  if (!error) return unit_text(query.model.task);
  std::string name = error->name;
  std::replace(name.begin(), name.end(), '_', ' ');
  return fmt::format("that is a {} of {:.6g} in the unit of {}\n", name, error->value, model.schema.target.name);
}

void print_public(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                  const methods::EvaluationQuery& query) {
  const double value = DeclaredPublicAccess::open(methods::evaluate(dataset, query));
  const auto error = known_error(query, model, value);
  if (flags.json) {
    nlohmann::ordered_json json{{metric_name(query), value}, {"rows", dataset.rows()}, {"private", false}};
    if (error) json[error->name] = error->value;
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} {:.6f} on {} declared public\n{}", metric_name(query), value, counted(dataset.rows(), "row"),
               in_words(query, error, model));
  }
  note("This number is exact: publish it only if the rows it was computed on are public.");
}

nlohmann::ordered_json private_json(const methods::EvaluationQuery& query, const methods::PrivateEvaluation& result,
                                    std::size_t rows) {
  return {{metric_name(query), result.estimate},
          {"noise_radius_95", result.noise_radius},
          {"rows", rows},
          {"epsilon", result.guarantee.epsilon},
          {"delta", 0},
          {"neighbours", word(result.guarantee.neighbours)},
          {"private", result.secure}};
}

void print_private(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                   const methods::EvaluationQuery& query) {
  std::unique_ptr<random::BitSource> bits = std::make_unique<random::SecureBits>();
  if (flags.seed) bits = std::make_unique<random::SeededBits>(*flags.seed);
  privacy::Curator curator(*bits);
  const auto result = methods::evaluate_privately(dataset, query, *flags.epsilon, curator);
  const auto error = known_error(query, model, result.estimate);
  // Sampling error of a share of n rows is at most 1.96 * 0.5 / sqrt(n); only accuracies have this simple bound.
  const double sampling = 0.98 / std::sqrt(static_cast<double>(dataset.rows()));
  if (flags.json) {
    nlohmann::ordered_json json = private_json(query, result, dataset.rows());
    if (error) json[error->name] = error->value;
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} {:.4f} on {} (95%: noise within {:.4f}{})\n{}", metric_name(query), result.estimate,
               counted(dataset.rows(), "row"), result.noise_radius,
               query.metric == methods::Metric::accuracy ? fmt::format(", sampling error within {:.4f}", sampling) : "",
               in_words(query, error, model));
    if (result.secure) fmt::print("Spent on these rows: {}.\n", guarantee_text(result.guarantee));
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
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, flags.data->read);
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
