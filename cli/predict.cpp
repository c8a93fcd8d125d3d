// SPDX-License-Identifier: Apache-2.0
// dperm predict: scores and predictions for new rows, as CSV. Post-processing of the model, but about the given rows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/question_flags.hpp"
#include "dperm/engine/sums.hpp"
#include "dperm/report/atomic_file.hpp"
#include "dperm/report/coefficients.hpp"
#include "dperm/report/model_json.hpp"

namespace dperm::cli {

namespace {

struct PredictFlags {
  std::string model, output;
  std::shared_ptr<DataFlags> data;
  bool json = false;
};

// The columns of one prediction, by the kind of model.
std::string header(const report::Model& model) {
  const loss::LossKind kind = model.plan.question.problem.loss.kind;
  if (kind == loss::LossKind::logistic) return "row,prediction,probability\n";
  if (loss::is_classification(kind)) return "row,prediction,margin\n";
  return "row,prediction\n";
}

void append_row(std::string& out, const report::Model& model, std::size_t row, double score) {
  const loss::LossKind kind = model.plan.question.problem.loss.kind;
  auto end = std::back_inserter(out);
  if (kind == loss::LossKind::logistic) {
    fmt::format_to(end, "{},{},{:.6g}\n", row, score > 0 ? 1 : 0, 1 / (1 + std::exp(-score)));
  } else if (loss::is_classification(kind)) {
    fmt::format_to(end, "{},{},{:.6g}\n", row, score > 0 ? 1 : 0, score);
  } else {
    const report::TargetUnits units = report::target_units(model.schema.target);
    const double prediction = units.middle + units.half_width * std::clamp(score, -1.0, 1.0);
    fmt::format_to(end, "{},{:.9g}\n", row, prediction);
  }
}

std::string json_lines(const std::string& csv) {
  // The CSV holds numbers only, so each line becomes one flat object.
  std::string out;
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < csv.size();) {
    const std::size_t end = csv.find('\n', begin);
    std::vector<std::string> cells = CLI::detail::split(csv.substr(begin, end - begin), ',');
    if (names.empty()) {
      names = cells;
    } else {
      for (std::size_t j = 0; j < cells.size(); ++j) cells[j] = fmt::format("\"{}\": {}", names[j], cells[j]);
      out += fmt::format("{{{}}}\n", fmt::join(cells, ", "));
    }
    begin = end + 1;
  }
  return out;
}

void run(const PredictFlags& flags) {
  std::vector<std::string> inputs = flags.data->paths;
  inputs.insert(inputs.end(), {flags.model, flags.data->read.tiles_path});
  check_output(flags.output, inputs);
  const report::Model model = report::read_model(flags.model);
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  data::ReadOptions read = flags.data->read;
  read.target_required = false;
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, read);
  // The rows belong to whoever asks; what is printed is about these rows, not about the training data.
  const auto scores = DeclaredPublicAccess::open(dataset.tiles().map(
      [&](const data::TileSet& tiles) { return engine::scores(tiles, model.weights, {read.threads}); }));
  std::string text = header(model);
  for (std::size_t row = 0; row < scores.size(); ++row) append_row(text, model, row + 1, scores[row]);
  if (flags.json) text = json_lines(text);
  if (flags.output.empty()) {
    fmt::print("{}", text);
  } else {
    report::write_file_atomically(flags.output, text);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "predict", "Predictions for new rows, as CSV; 1 is the positive class. They tell about these rows");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  flags->data = add_data_flags(*command);
  command->add_option("-o,--output", flags->output, "where to write; default standard output")->type_name("FILE");
  command->add_flag("--json", flags->json, "one JSON object a line instead of CSV");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
