// SPDX-License-Identifier: Apache-2.0
// dperm fit: data and task in, private model out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/summary.hpp"
#include "cli/tables.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "cli/tune_flags.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/identifiers.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/ledger/earlier.hpp"
#include "dperm/ledger/fingerprint.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/one_answer.hpp"
#include "dperm/planner/compare.hpp"
#include "dperm/random/bits_for.hpp"

namespace dperm::cli {

namespace {

struct FitFlags {
  LedgerFlags ledger;
  std::string request;  // what was asked, in words
  std::shared_ptr<TaskFlags> task;
  std::shared_ptr<TuneFlags> tune;
  std::shared_ptr<DataFlags> data;
  std::string output, report;
  std::optional<std::uint64_t> seed;
  std::optional<double> holdout;
  methods::JudgementOptions judged;
  bool json = false, quiet = false, details = false, overwrite = false, unsafe_diagnostics = false, unsafe = false;
};

// What --unsafe-diagnostics adds: an exact number about the training data.
void add_diagnostics(model::Model& model, const data::Dataset& dataset, Threads threads) {
  const methods::EvaluationQuery query{methods::default_metric(model.plan.task), model::fitted(model), threads};
  model::add_training_metric(model, query.metric, DeclaredPublicAccess::open(methods::evaluate(dataset, query)));
}

std::vector<std::string> outputs_must_avoid(const FitFlags& flags) {
  std::vector<std::string> inputs = flags.data->paths;
  inputs.push_back(flags.task->schema_path);
  inputs.push_back(flags.data->read.tiles_path);
  inputs.push_back(flags.task->rules);
  inputs.push_back(flags.ledger.path);
  return inputs;
}

// Follows from the released weights and the schema: no record is asked.
std::string one_answer_text(const model::Model& model) {
  const auto answer = model::one_answer(model);
  if (!answer) return "";
  const bool binary = model.schema.target.kind == schema::TargetKind::binary;
  return fmt::format(
      "{}\n",
      wrapped(fmt::format("WARNING: this model predicts {} for every row that the schema admits, as its weights "
                          "show. More rows, a larger epsilon, narrower public bounds or fewer columns may help.",
                          binary ? fmt::format("{}", *answer) : "'" + model.schema.target.values[*answer] + "'"),
              100));
}

// All that is known about it.
std::string model_text(const model::Model& model) {
  return fmt::format("{}\n{}{}{}", parameter_table(model), tuning_text(model), evaluation_text(model),
                     privacy_text(model));
}

void show(const FitFlags& flags, const model::Model& model, const std::string& json) {
  if (flags.json) {
    fmt::print("{}", json);
  } else if (!flags.quiet) {
    fmt::print("{}{}", flags.details ? model_text(model) : model_summary(model), one_answer_text(model));
  }
  for (const std::string& remark : model.remarks) note(fmt::format("WARNING: {}", remark));
  if (flags.quiet || flags.output.empty()) return;
  if (flags.holdout) {
    note(fmt::format("{} written, with its evaluation", flags.output));
    return;
  }
  note(fmt::format("{0} written. How accurate is it? dperm evaluate {0} HELD_OUT_DATA --epsilon E", flags.output));
}

void check_flags(const FitFlags& flags) {
  if (flags.output.empty() && !flags.json) {
    throw ArgumentError(
        "name the model file with --output (or print it with --json): otherwise budget would be spent on a model "
        "that is lost");
  }
  if (flags.unsafe != (flags.task->method == kNonPrivate)) {
    throw ArgumentError(flags.unsafe ? "--unsafe is for --method non-private; every other method protects, leave it out"
                                     : "--method non-private adds no noise and protects nobody: the model can tell "
                                       "anyone what single rows hold. Where that is what you want, for your own eyes, "
                                       "add --unsafe");
  }
  if (flags.holdout) methods::held_out_rows(1000000, *flags.holdout);
  if (!flags.holdout && flags.judged != methods::JudgementOptions{}) {
    throw ArgumentError(
        "--holdout-groups and --holdout-threshold say how rows kept out judge the model; they need --holdout SHARE");
  }
  if (flags.holdout && flags.unsafe_diagnostics) throw ArgumentError("--unsafe-diagnostics keeps no rows out");
  check_output(flags.output, outputs_must_avoid(flags));
  std::vector<std::string> others = outputs_must_avoid(flags);
  others.push_back(flags.output);
  check_page(flags.report, others);
  if (!flags.overwrite) refuse_to_replace(flags.output);
}

planner::Alternative planned_fit(const FitFlags& flags, const planner::Question& question) {
  if (flags.tune->given()) return plan_tuned(*flags.tune, *flags.task, question);
  return planner::choose(question, methods::planners(flags.task->method, flags.task->method_options));
}

// For a table of `rows` rows, some of which may be kept out of the fit.
planner::Alternative planned(const FitFlags& flags, const schema::Encoding& encoding, std::size_t rows) {
  const std::size_t training = flags.holdout ? methods::training_rows(rows, *flags.holdout, encoding.schema()) : rows;
  planner::Question question = make_question(*flags.task, encoding, training);
  if (flags.holdout) question.teaching_rows = methods::teaching_rows(rows, *flags.holdout);
  planner::Alternative chosen = planned_fit(flags, question);
  if (flags.holdout) {
    chosen.plan = methods::with_holdout(*chosen.plan, rows, {*flags.holdout, flags.judged}, *chosen.asked->encoding);
  }
  return chosen;
}

// What is about to be learned.
std::string heading(const FitFlags& flags, const planner::Alternative& chosen) {
  const std::string details = flags.details ? plan_text(*chosen.plan, chosen.asked->encoding->schema().unit) : "";
  std::string text = details + fit_heading(chosen);
  text.pop_back();  // a note ends its line itself
  return text;
}

// What a model file will have, roughly: schema and plan, and a line for every weight.
std::size_t expected_bytes(const methods::Plan& plan, const schema::Schema& schema) {
  constexpr std::size_t kRest = std::size_t{64} << 10, kWeight = 400;
  return kRest + 2 * schema::to_toml(schema).size() + kWeight * methods::weight_count(plan.task);
}

// The model is safe by then; that printing failed must not hide it.
void show_written(const FitFlags& flags, const model::Model& model, const std::string& json) {
  try {
    show(flags, model, json);
    finish_standard_output();
  } catch (const std::exception& error) {
    if (flags.output.empty()) {
      throw DataError(fmt::format(
          "{}. There is no whole model on standard output, and its budget is spent{}", error.what(),
          flags.ledger.request_id.empty() ? "" : "; the ledger keeps it: ask again under the same --request-id"));
    }
    throw DataError(fmt::format("{}. The model is written all the same: {}", error.what(), flags.output));
  }
}

void write_and_show(FitFlags flags, const model::Model& model, const std::string& json,
                    std::optional<model::ReservedFile>& reserved) {
  const std::string elsewhere = reserved ? reserved->write(json, flags.overwrite) : "";
  if (!elsewhere.empty()) {
    note(fmt::format("WARNING: another program wrote {} meanwhile; this model is {}", flags.output, elsewhere));
    flags.output = elsewhere;
  }
  if (reserved) if_interrupted(fmt::format("The model is written: {}", flags.output));
  show_written(flags, model, json);
  if (!flags.report.empty()) write_report(flags.report, model, flags.output.empty() ? "model.json" : flags.output);
}

// With what the files say that it names, besides the records.
std::string asked_text(const FitFlags& flags, const planner::Question& question, const schema::Encoding& encoding) {
  return fmt::format("{}\n{}\n{}", flags.request, question.problem.rules, schema::to_toml(encoding.schema()));
}

// A request that came to its end earlier is answered from the ledger: no record is read and nothing is spent.
bool answered_before(const FitFlags& flags, const std::string& asked, const std::optional<Counted>& counted) {
  if (!counted) return false;
  const auto kept = counted->ledger.result(counted->dataset, flags.ledger.request_id, asked);
  if (!kept) return false;
  note(fmt::format("The ledger has the model of request '{}': it is returned, and nothing is spent.",
                   flags.ledger.request_id));
  std::optional<model::ReservedFile> reserved;
  if (!flags.output.empty()) reserved.emplace(flags.output, kept->size());
  write_and_show(flags, model::parse_model(*kept, counted->ledger.path()), *kept, reserved);
  return true;
}

// Noise of its own that others can make again. A schema inferred with such noise does not make the fit free: its own
// noise is secret, and what is in the schema file anyone could have written.
bool is_unprotected(const FitFlags& flags) { return flags.unsafe || flags.seed || flags.unsafe_diagnostics; }

std::string unprotected_text(const FitFlags& flags) {
  return flags.unsafe ? "fit --method non-private" : flags.seed ? "fit --seed" : "fit --unsafe-diagnostics";
}

// What the ledger must know, and may refuse, before a record is read.
void ask_ledger(const FitFlags& flags, std::optional<Counted>& counted) {
  if (!counted) return;
  if (flags.data->read.strict) note_look(counted, "fit --strict");
  if (is_unprotected(flags)) return;
  counted->ledger.require_room(counted->dataset, flags.task->epsilon, flags.task->delta);
}

// On the disk before noise is drawn.
ledger::Mark reserve(const FitFlags& flags, const std::string& asked, const schema::Encoding& encoding,
                     const planner::Alternative& chosen, std::size_t rows, Counted& counted) {
  const schema::Schema& schema = encoding.schema();
  if (is_unprotected(flags)) {
    return counted.ledger.look(counted.dataset, unprotected_text(flags), true);
  }
  const methods::Plan& plan = *chosen.plan;
  ledger::Request request{.command = "fit",
                          .id = flags.ledger.request_id,
                          .text = asked,
                          .events = plan.events,
                          .epsilon = plan.guarantee.epsilon,
                          .delta = plan.guarantee.delta,
                          .unit = ledger::unit_of(schema),
                          .shared = shared_releases(schema),
                          .about = ledger::about(plan, chosen.asked->encoding->schema())};
  request.at = [&](double epsilon) {
    FitFlags other = flags;
    other.task = std::make_shared<TaskFlags>(*flags.task);
    other.task->epsilon = epsilon;
    return planned(other, encoding, rows).plan->events;
  };
  return counted.ledger.reserve(counted.dataset, request);
}

// Before the model is there: what ends this pass over rows and files loses none.
void remember_table(const FitFlags& flags, const data::Dataset& table, const ledger::Mark& mark, Counted& counted) {
  ledger::remember_table(counted.ledger, mark, flags.data->paths, [&](const std::string& key) {
    return DeclaredPublicAccess::open(ledger::row_fingerprint(key, table));
  });
}

void run(const FitFlags& flags) {
  if_interrupted("Nothing was released and nothing is spent.");
  check_flags(flags);
  const auto encoding = load_encoding(flags.task->schema_path);
  // A wrong task is refused before any record is read.
  const std::string asked = asked_text(flags, make_question(*flags.task, *encoding, 1), *encoding);
  std::optional<Counted> counted = counted_by(flags.ledger, encoding->schema().dataset);
  if (answered_before(flags, asked, counted)) return;
  ask_ledger(flags, counted);
  data::ReadOptions read = flags.data->read;
  if (!flags.quiet) read.progress = reading_progress();
  const data::Dataset table = data::read_dataset(flags.data->paths, encoding, read);
  if (read.progress) clear_progress();
  const planner::Alternative chosen = planned(flags, *encoding, table.rows());
  const methods::Plan& plan = *chosen.plan;
  const data::Dataset dataset = table.read_as(chosen.asked->encoding);
  const FileInUse tiles(flags.data->read.tiles_path);
  const auto bits = random::bits_for(flags.seed);
  privacy::Curator curator(*bits, plan.guarantee.neighbours, methods::group_of(plan.task.facts));
  const Threads threads{flags.data->read.threads};
  const methods::Progress progress = flags.quiet ? methods::Progress{} : terminal_progress();
  std::optional<model::ReservedFile> reserved;
  if (!flags.output.empty()) {
    reserved.emplace(flags.output, expected_bytes(plan, dataset.encoding().schema()));
  } else {
    reserve_standard_output(expected_bytes(plan, dataset.encoding().schema()));
  }
  if_interrupted(flags.unsafe ? "No model is written."
                              : fmt::format("No model is written, but noise may have been drawn: count epsilon {:g}, "
                                            "delta {:g} as spent.",
                                            plan.task.budget.epsilon, plan.task.budget.delta));
  std::optional<ledger::Mark> mark;  // after the place for the model: a full disk costs nothing
  if (counted) mark = reserve(flags, asked, *encoding, chosen, table.rows(), *counted);
  if (!flags.quiet) note(heading(flags, chosen));
  note_warnings(plan.task);
  if (!flags.quiet) {
    const schema::Schema& schema = encoding->schema();
    const auto names = data::column_names(flags.data->paths, schema.format, read.format);
    note_unit(schema, data::undeclared_identifiers(names, schema, table.rows()));
  }
  if (mark) remember_table(flags, table, *mark, *counted);

  const methods::FitResult result = methods::fit(plan, dataset, curator, {threads, progress, flags.unsafe});
  if (progress) clear_progress();
  tiles.require_unchanged();
  model::Model model = model::make_model(dataset.encoding().schema(), plan, result);
  if (flags.unsafe_diagnostics) add_diagnostics(model, dataset, threads);
  if (mark) model.ledger = model_mark(*mark);
  const std::string json = model::to_json(model);
  // Before the file is written: a model that is lost on its way can be had again under its request's name.
  if (mark && !is_unprotected(flags)) settle(*counted, *mark, json);
  write_and_show(flags, model, json, reserved);
  if (counted && !flags.quiet) note(ledger_line(*counted));
}

void add_holdout_flags(CLI::App& command, FitFlags& flags) {
  constexpr const char* kGroup = "Rows kept out (docs/evaluation.md)";
  add_number(command, "--holdout", flags.holdout,
             "keep this share of the rows out, drawn in secret (whole persons where the\nschema has a [unit]); they "
             "judge the model, and the model file tells how\n"
             "good it is, within the same budget");
  command
      .add_option("--holdout-groups", flags.judged.groups,
                  "judge also apart by this category column; group sizes are released too")
      ->type_name("COLUMN")
      ->group(kGroup);
  add_number(command, "--holdout-threshold", flags.judged.threshold,
             "logistic models: rows with a larger probability are called positive;\ndefault 0.5")
      ->group(kGroup);
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Train a private model; the plan is shown first");
  auto flags = std::make_shared<FitFlags>();
  flags->data = add_data_flags(*command);
  flags->task = add_task_flags(*command);
  flags->tune = add_tune_flags(*command);
  command->add_option("-o,--output", flags->output, "where to write the model file (JSON)")->type_name("FILE");
  command->add_option("--report", flags->report, "also write a page about the model for people, as dperm report does")
      ->type_name("FILE.html");
  command->add_flag("--overwrite", flags->overwrite, "let --output replace an older model");
  command->add_flag("--details", flags->details, "print the whole plan and every number of the model");
  constexpr const char* kPrinting = "Printing";
  command->add_flag("--json", flags->json, "print the model file instead of a summary")->group(kPrinting);
  command->add_flag("--quiet", flags->quiet, "print nothing but warnings and errors")->group(kPrinting);
  add_holdout_flags(*command, *flags);
  add_ledger_flags(*command, flags->ledger);
  add_request_id(*command, flags->ledger);
  constexpr const char* kUnsafe = "Without privacy";
  add_integer(*command, "--seed", flags->seed,
              "reproducible noise for tests and demonstrations: the model is NOT private")
      ->group(kUnsafe);
  command
      ->add_flag("--unsafe-diagnostics", flags->unsafe_diagnostics,
                 "also show exact training accuracy or loss: the model is then NOT private")
      ->group(kUnsafe);
  command
      ->add_flag("--unsafe", flags->unsafe,
                 "let --method non-private run: exact, for the owner of the data; it protects nobody")
      ->group(kUnsafe);
  command->callback([flags, command] {
    flags->request = request_text(*command);
    run(*flags);
  });
}

}  // namespace dperm::cli
