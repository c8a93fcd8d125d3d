// SPDX-License-Identifier: Apache-2.0
// dperm predict: predictions for new rows, as CSV, JSON lines or Parquet. Post-processing of the model, but about the
// given rows: what is written holds records.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "cli/alarm_text.hpp"
#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "cli/unverified.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/core/utf8.hpp"
#include "dperm/data/carried_columns.hpp"
#include "dperm/data/identifiers.hpp"
#include "dperm/data/inspect.hpp"
#include "dperm/data/table_bytes.hpp"
#include "dperm/methods/evaluation/row_predictions.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::cli {

namespace {

using data::ResultColumn;

struct PredictFlags {
  std::string model, output, keep, interval, label_names;
  std::shared_ptr<DataFlags> data;
  LedgerFlags ledger;
  std::optional<double> threshold;
  bool json = false, probabilities = false, labels = false, overwrite = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    parts.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return parts;
}

// What the classes are called in the table. The schema names the positive values of a binary target only.
std::vector<std::string> label_names(const PredictFlags& flags, const schema::Target& target) {
  if (!flags.label_names.empty()) {
    const std::vector<std::string> given = split(flags.label_names);
    require(given.size() == 2, "--label-names takes two names, NEGATIVE,POSITIVE");
    return given;
  }
  if (target.threshold) return {fmt::format("<={:g}", *target.threshold), fmt::format(">{:g}", *target.threshold)};
  const std::string positive = fmt::format("{}", fmt::join(target.positive, "|"));
  return {"not " + positive, positive};
}

std::vector<std::int64_t> row_numbers(std::size_t rows) {
  std::vector<std::int64_t> numbers(rows);
  for (std::size_t row = 0; row < rows; ++row) numbers[row] = static_cast<std::int64_t>(row) + 1;
  return numbers;
}

// The class of every row by its place: the model's own, or by the threshold.
std::vector<std::size_t> classes(const methods::RowPredictions& all, const PredictFlags& flags) {
  if (!flags.threshold) return all.label;
  std::vector<std::size_t> result;
  for (std::size_t row = 0; row < all.rows; ++row) result.push_back(all.probabilities_of(row)[1] > *flags.threshold);
  return result;
}

ResultColumn prediction_column(const methods::RowPredictions& all, const PredictFlags& flags,
                               const schema::Target& target) {
  if (all.target == schema::TargetKind::real) return {"prediction", all.numbers, 9};
  const std::vector<std::size_t> places = classes(all, flags);
  if (all.target == schema::TargetKind::binary && !flags.labels) {
    return {"prediction", std::vector<std::int64_t>(places.begin(), places.end())};
  }
  const auto names = all.target == schema::TargetKind::binary ? label_names(flags, target) : all.labels;
  std::vector<std::string> cells;
  for (const std::size_t place : places) cells.push_back(names[place]);
  return {"prediction", std::move(cells)};
}

void add_probabilities(std::vector<ResultColumn>& columns, const methods::RowPredictions& all,
                       const PredictFlags& flags, const schema::Target& target) {
  if (!all.margins.empty()) columns.push_back({"margin", all.margins});
  if (all.probabilities.empty()) return;
  const bool binary = all.target == schema::TargetKind::binary;
  if (!flags.probabilities) {
    // Of the positive class, or of the predicted one among several.
    std::vector<double> cells;
    for (std::size_t row = 0; row < all.rows; ++row) {
      cells.push_back(all.probabilities_of(row)[binary ? 1 : all.label[row]]);
    }
    columns.push_back({"probability", std::move(cells)});
    return;
  }
  const auto names = binary && flags.labels ? label_names(flags, target) : all.labels;
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<double> cells;
    for (std::size_t row = 0; row < all.rows; ++row) cells.push_back(all.probabilities_of(row)[k]);
    columns.push_back({"probability_" + names[k], std::move(cells)});
  }
}

methods::RowPredictions predictions(const model::Model& model, const PredictFlags& flags) {
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  data::ReadOptions read = flags.data->read;
  read.target_required = read.by_unit = false;
  read.of_model = true;
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, read);
  const data::Inspection found = data::inspect_features(flags.data->paths, *encoding, read);
  note_alarms(found.alarms, found, model.schema);
  // The rows belong to whoever asks; what is printed is about these rows, not about the training data.
  return DeclaredPublicAccess::open(methods::predict(dataset, model::fitted(model), {read.threads}));
}

// Two quantile models of the same target: what lies between their predictions.
std::vector<model::Model> interval_models(const PredictFlags& flags, const model::Model& model) {
  if (flags.interval.empty()) return {};
  const std::vector<std::string> paths = split(flags.interval);
  require(paths.size() == 2, "--interval takes two model files, LOWER,UPPER");
  std::vector<model::Model> models;
  for (const std::string& path : paths) {
    models.push_back(model::read_model(path));
    require(models.back().plan.task.problem.loss.kind == loss::LossKind::pinball,
            fmt::format("--interval: {} is no quantile model; fit it with --loss pinball --quantile Q", path));
    require(models.back().schema.target == model.schema.target,
            fmt::format("--interval: {} has another target than the model", path));
  }
  const auto quantile = [&](std::size_t i) { return models[i].plan.task.problem.loss.quantile; };
  require(quantile(0) < quantile(1),
          fmt::format("--interval: the first model's quantile must be below the second's; got {:g} and {:g}",
                      quantile(0), quantile(1)));
  return models;
}

void add_interval(std::vector<ResultColumn>& columns, const PredictFlags& flags,
                  const std::vector<model::Model>& models) {
  if (models.empty()) return;
  PredictFlags plain = flags;
  plain.data = std::make_shared<DataFlags>(*flags.data);
  plain.data->read.tiles_path = "";  // theirs may be another encoding
  std::vector<double> lower = predictions(models[0], plain).numbers, upper = predictions(models[1], plain).numbers;
  // Two noisy models may cross: the interval is between them all the same.
  for (std::size_t row = 0; row < lower.size(); ++row) {
    if (upper[row] < lower[row]) std::swap(lower[row], upper[row]);
  }
  columns.push_back({"lower", std::move(lower), 9});
  columns.push_back({"upper", std::move(upper), 9});
}

// How often the interval holds in the rows that have their targets; nothing where none has.
std::optional<std::string> coverage(const std::vector<ResultColumn>& columns, const PredictFlags& flags,
                                    const schema::Schema& schema) {
  const auto names = data::column_names(flags.data->paths, schema.format, flags.data->read.format);
  if (std::ranges::find(names, schema.target.name) == names.end()) return std::nullopt;
  const auto carried = DeclaredPublicAccess::open(
      data::carried_columns(flags.data->paths, schema.format, {schema.target.name}, flags.data->read.format));
  const auto cells = [&](std::size_t from_end) {
    return std::get<std::vector<double>>(columns[columns.size() - from_end].cells);
  };
  const std::vector<double> lower = cells(2), upper = cells(1);
  std::size_t rows = 0, held = 0;
  for (std::size_t row = 0; row < lower.size(); ++row) {
    const double target = schema::parse_number(carried.front().cells[row], schema.target.style);
    if (std::isnan(target)) continue;
    ++rows;
    held += lower[row] <= target && target <= upper[row];
  }
  if (rows == 0) return std::nullopt;
  return fmt::format("{:.1f}% of {} that have it", 100 * static_cast<double>(held) / static_cast<double>(rows),
                     counted(rows, "row"));
}

// Two noisy models do not promise what their quantiles say. About the given rows, as all that is printed.
void note_coverage(const std::vector<ResultColumn>& columns, const PredictFlags& flags,
                   const std::vector<model::Model>& models) {
  if (models.empty()) return;
  const schema::Schema& schema = models.front().schema;
  const auto quantile = [&](std::size_t i) { return models[i].plan.task.problem.loss.quantile; };
  const double meant = 100 * (quantile(1) - quantile(0));
  if (const auto held = coverage(columns, flags, schema)) {
    note(fmt::format("The interval holds '{}' in {}; its two models are for {:.1f}%.", schema.target.name, *held,
                     meant));
  } else {
    note(
        fmt::format("The interval's two models are for {:.1f}%. Noise and clipping can make it hold less often:\nrows "
                    "with '{}' would tell (docs/predictions.md).",
                    meant, schema.target.name));
  }
}

// The columns of the file that a schema names, each once.
std::vector<std::string> named_columns(const schema::Schema& schema) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen = {""};
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  add(schema.target.name);
  if (schema.unit) add(schema.unit->column);
  for (const schema::Column& column : schema.columns) {
    for (const std::string& source : schema::sources_of(column)) add(source);
  }
  for (const std::string& name : schema.identifiers) add(name);
  for (const std::string& name : schema.ignored) add(name);
  return names;
}

// Which columns --keep means. Those of a LIBSVM file depend on its records, and one with a great index would make a
// million of them: all are those of the schema there.
std::vector<std::string> kept_names(const PredictFlags& flags, const schema::Schema& schema) {
  const auto known = data::column_names(flags.data->paths, schema.format, flags.data->read.format);
  if (flags.keep == "all") return known.empty() ? named_columns(schema) : known;
  const std::vector<std::string> names = split(flags.keep);
  std::unordered_set<std::string_view> seen;
  const std::unordered_set<std::string_view> there(known.begin(), known.end());
  for (const std::string& name : names) {
    require(seen.insert(name).second, fmt::format("--keep names column '{}' twice; name it once", name));
    if (known.empty() || there.contains(name)) continue;
    throw ArgumentError(
        fmt::format("--keep: the data has no column '{}'{}", name, did_you_mean(name, {known.begin(), known.end()})));
  }
  return names;
}

void add_kept(std::vector<ResultColumn>& columns, const PredictFlags& flags, const schema::Schema& schema,
              std::size_t rows) {
  if (flags.keep.empty()) return;
  auto kept = DeclaredPublicAccess::open(
      data::carried_columns(flags.data->paths, schema.format, kept_names(flags, schema), flags.data->read.format));
  std::unordered_set<std::string> taken;
  for (const ResultColumn& each : columns) taken.insert(each.name);
  for (data::CarriedColumn& each : kept) {
    ensure(each.cells.size() == rows, "carried columns have other rows than the predictions");
    std::string name = each.name;
    while (!taken.insert(name).second) name += "_in_data";
    columns.push_back({std::move(name), std::move(each.cells)});
  }
}

// Bytes that are no UTF-8 are replaced: a cell or a header may hold anything.
std::string json_cell(const std::string& text) { return json_text(nlohmann::json(text), -1); }

std::string json_lines(const std::vector<ResultColumn>& columns, std::size_t rows) {
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    for (const ResultColumn& each : columns) {
      line += fmt::format("{}{}: ", line.empty() ? "{" : ", ", json_cell(each.name));
      if (const auto* texts = std::get_if<std::vector<std::string>>(&each.cells)) {
        line += json_cell((*texts)[row]);
      } else if (const auto* numbers = std::get_if<std::vector<double>>(&each.cells)) {
        line += fmt::format("{:.{}g}", (*numbers)[row], each.digits);
      } else {
        line += fmt::format("{}", std::get<std::vector<std::int64_t>>(each.cells)[row]);
      }
    }
    out += line + "}\n";
  }
  return out;
}

void check_flags(const PredictFlags& flags, const model::Model& model) {
  const loss::Link link = loss::info(model.plan.task.problem.loss.kind).link;
  if (flags.threshold) {
    require(link == loss::Link::log_odds,
            "--threshold is a probability, and this model gives none; it is for the logistic loss");
    require(*flags.threshold > 0 && *flags.threshold < 1,
            fmt::format("--threshold must be a probability between 0 and 1; got {:g}", *flags.threshold));
  }
  require(!flags.probabilities || link == loss::Link::log_odds || link == loss::Link::class_scores,
          "--probabilities needs a logistic or softmax model; this one gives none");
  require(flags.interval.empty() || link == loss::Link::number, "--interval is for a real target");
  require(is_plain_line(flags.label_names),
          "--label-names must be UTF-8 text in one line; does the terminal use another encoding?");
  require(!flags.json || !flags.output.ends_with(".parquet"), "--json and a .parquet file exclude each other");
}

void check_files(const PredictFlags& flags) {
  std::vector<std::string> inputs = flags.data->paths;
  inputs.insert(inputs.end(), {flags.model, flags.data->read.tiles_path});
  for (const std::string& each : split(flags.interval)) inputs.push_back(each);
  check_output(flags.output, inputs);
  std::error_code ignored;
  if (flags.output.empty() || flags.overwrite || !std::filesystem::exists(flags.output, ignored)) return;
  throw ArgumentError(
      fmt::format("--output {} already exists; give another path, or --overwrite to replace it", flags.output));
}

void run(PredictFlags flags) {
  flags.labels = flags.labels || !flags.label_names.empty();
  check_files(flags);
  const model::Model model = model::read_model(flags.model);
  warn_unless_verified(flags.model, model);
  check_flags(flags, model);
  const std::vector<model::Model> interval = interval_models(flags, model);
  note_look(flags.ledger, "", "predict");
  const methods::RowPredictions all = predictions(model, flags);
  std::vector<ResultColumn> columns = {{"row", row_numbers(all.rows)},
                                       prediction_column(all, flags, model.schema.target)};
  add_probabilities(columns, all, flags, model.schema.target);
  add_interval(columns, flags, interval);
  note_coverage(columns, flags, interval);
  add_kept(columns, flags, model.schema, all.rows);
  if (flags.output.empty()) {
    fmt::print("{}", flags.json ? json_lines(columns, all.rows) : data::csv_bytes(columns));
    return;
  }
  const bool parquet = flags.output.ends_with(".parquet");
  const std::string content = parquet      ? data::parquet_bytes(columns)
                              : flags.json ? json_lines(columns, all.rows)
                                           : data::csv_bytes(columns);
  const std::string elsewhere =
      model::ReservedFile(flags.output, content.size(), model::FileAccess::owner_only).write(content, flags.overwrite);
  if (!elsewhere.empty()) {
    note(fmt::format("WARNING: another program wrote {} meanwhile; these predictions are {}", flags.output, elsewhere));
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("predict", "Predictions for new rows, as CSV or Parquet; 1 is the positive class");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  flags->data = add_data_flags(*command);
  command
      ->add_option(
          "-o,--output", flags->output,
          "where to write, Parquet if its name ends so; readable by you only,\nbecause it holds records; default "
          "standard output")
      ->type_name("FILE");
  command->add_flag("--overwrite", flags->overwrite, "let --output replace an older file");
  command->add_flag("--labels", flags->labels, "binary targets: the schema's values instead of 1 and 0");
  command->add_option("--label-names", flags->label_names, "the same with these names for both")
      ->type_name("NEGATIVE,POSITIVE");
  command->add_flag("--probabilities", flags->probabilities, "a column for every class");
  add_number(*command, "--threshold", flags->threshold,
             "logistic models: positive with a probability above this; default 0.5");
  command
      ->add_option(
          "--interval", flags->interval,
          "real targets: two quantile models (--loss pinball) of the same target;\nadds the columns lower and upper")
      ->type_name("LOWER,UPPER");
  command->add_option("--keep", flags->keep, "carry these columns of the data along, or all (LIBSVM: the schema's)")
      ->type_name("COLUMNS");
  command->add_flag("--json", flags->json, "one JSON object per line instead of CSV");
  add_ledger_flags(*command, flags->ledger);
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
