// SPDX-License-Identifier: Apache-2.0
// dperm predict: scores and predictions for new rows, as CSV. Post-processing of the model, but about the given rows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/task_flags.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::cli {

namespace {

struct PredictFlags {
  std::string model, output;
  std::shared_ptr<DataFlags> data;
  bool json = false;
};

// What is said about one row: a prediction (a number or a class's name) and, by the kind of model, one number more.
struct Answer {
  std::string prediction;
  bool is_text = false;
  double more = 0;
};

// "probability", "margin" or nothing.
std::string_view more_name(const model::Model& model) {
  const loss::LossKind kind = model.plan.task.problem.loss.kind;
  if (kind == loss::LossKind::logistic || kind == loss::LossKind::softmax) return "probability";
  if (kind == loss::LossKind::zero_one || !loss::is_classification(kind)) return "";
  return "margin";
}

Answer answer(const model::Model& model, std::span<const double> outputs) {
  const loss::LossKind kind = model.plan.task.problem.loss.kind;
  const double score = outputs[0];
  if (kind == loss::LossKind::softmax) {
    const std::size_t best = methods::predicted_class(outputs);
    double total = 0;
    for (const double each : outputs) total += std::exp(each - outputs[best]);
    return {model.schema.target.values[best], true, 1 / total};
  }
  if (loss::is_classification(kind)) {
    return {score > 0 ? "1" : "0", false, kind == loss::LossKind::logistic ? 1 / (1 + std::exp(-score)) : score};
  }
  const model::TargetUnits units = model::target_units(model.schema.target);
  return {fmt::format("{:.9g}", units.middle + units.half_width * std::clamp(score, -1.0, 1.0))};
}

std::string csv_cell(const Answer& answer) {
  if (answer.prediction.find_first_of(",\"\n\r") == std::string::npos) return answer.prediction;
  std::string out = "\"";
  for (const char c : answer.prediction) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void append_csv(std::string& out, std::string_view more, std::size_t row, const Answer& answer) {
  out += fmt::format("{},{}", row, csv_cell(answer));
  out += more.empty() ? "\n" : fmt::format(",{:.6g}\n", answer.more);
}

void append_json(std::string& out, std::string_view more, std::size_t row, const Answer& answer) {
  const std::string prediction = answer.is_text ? nlohmann::json(answer.prediction).dump() : answer.prediction;
  out += fmt::format("{{\"row\": {}, \"prediction\": {}", row, prediction);
  out += more.empty() ? "}\n" : fmt::format(", \"{}\": {:.6g}}}\n", more, answer.more);
}

void run(const PredictFlags& flags) {
  std::vector<std::string> inputs = flags.data->paths;
  inputs.insert(inputs.end(), {flags.model, flags.data->read.tiles_path});
  check_output(flags.output, inputs);
  const model::Model model = model::read_model(flags.model);
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  data::ReadOptions read = flags.data->read;
  read.target_required = false;
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, read);
  // The rows belong to whoever asks; what is printed is about these rows, not about the training data.
  const auto outputs = DeclaredPublicAccess::open(dataset.sums().map([&](const engine::RowSums& sums) {
    return methods::outputs(sums, *encoding, model::fitted(model), {read.threads});
  }));
  const std::size_t width = methods::outputs_per_row(model.plan.task);
  const std::string_view more = more_name(model);
  std::string text = flags.json ? "" : fmt::format("row,prediction{}{}\n", more.empty() ? "" : ",", more);
  for (std::size_t row = 0; row < dataset.rows(); ++row) {
    const Answer each = answer(model, std::span(outputs).subspan(row * width, width));
    flags.json ? append_json(text, more, row + 1, each) : append_csv(text, more, row + 1, each);
  }
  if (flags.output.empty()) {
    fmt::print("{}", text);
  } else {
    model::write_file_atomically(flags.output, text);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Predictions for new rows, as CSV; 1 is the positive class");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  flags->data = add_data_flags(*command);
  command->add_option("-o,--output", flags->output, "where to write; default standard output")->type_name("FILE");
  command->add_flag("--json", flags->json, "one JSON object a line instead of CSV");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
