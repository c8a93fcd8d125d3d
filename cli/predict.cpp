// SPDX-License-Identifier: Apache-2.0
// dperm predict: scores and predictions for new rows, as CSV. Post-processing of the model, but about the given rows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/task_flags.hpp"
#include "dperm/methods/evaluation/row_predictions.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::cli {

namespace {

struct PredictFlags {
  std::string model, output;
  std::shared_ptr<DataFlags> data;
  bool json = false;
};

// The column beside the prediction: "probability" (of the positive class, or of the predicted one among several),
// "margin" or nothing.
std::string_view more_name(const methods::RowPredictions& all) {
  if (!all.probabilities.empty()) return "probability";
  return all.margins.empty() ? "" : "margin";
}

double more(const methods::RowPredictions& all, std::size_t row) {
  if (all.probabilities.empty()) return all.margins[row];
  return all.probabilities_of(row)[all.target == schema::TargetKind::binary ? 1 : all.label[row]];
}

std::string prediction(const methods::RowPredictions& all, std::size_t row) {
  return all.target == schema::TargetKind::real ? fmt::format("{:.9g}", all.numbers[row]) : all.labels[all.label[row]];
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_text(const methods::RowPredictions& all) {
  const std::string_view beside = more_name(all);
  std::string out = fmt::format("row,prediction{}{}\n", beside.empty() ? "" : ",", beside);
  for (std::size_t row = 0; row < all.rows; ++row) {
    out += fmt::format("{},{}", row + 1, csv_cell(prediction(all, row)));
    out += beside.empty() ? "\n" : fmt::format(",{:.6g}\n", more(all, row));
  }
  return out;
}

std::string json_text(const methods::RowPredictions& all) {
  const bool is_name = all.target == schema::TargetKind::classes;
  const std::string_view beside = more_name(all);
  std::string out;
  for (std::size_t row = 0; row < all.rows; ++row) {
    const std::string text = prediction(all, row);
    out += fmt::format("{{\"row\": {}, \"prediction\": {}", row + 1, is_name ? nlohmann::json(text).dump() : text);
    out += beside.empty() ? "}\n" : fmt::format(", \"{}\": {:.6g}}}\n", beside, more(all, row));
  }
  return out;
}

void run(const PredictFlags& flags) {
  std::vector<std::string> inputs = flags.data->paths;
  inputs.insert(inputs.end(), {flags.model, flags.data->read.tiles_path});
  check_output(flags.output, inputs);
  const model::Model model = model::read_model(flags.model);
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  data::ReadOptions read = flags.data->read;
  read.target_required = read.by_unit = false;
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, read);
  // The rows belong to whoever asks; what is printed is about these rows, not about the training data.
  const methods::RowPredictions all =
      DeclaredPublicAccess::open(methods::predict(dataset, model::fitted(model), {read.threads}));
  const std::string text = flags.json ? json_text(all) : csv_text(all);
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
  command->add_flag("--json", flags->json, "one JSON object per line instead of CSV");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
