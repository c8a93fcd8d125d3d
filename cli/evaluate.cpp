// SPDX-License-Identifier: Apache-2.0
// dperm evaluate: how good a model is, in the open on public data or as a private release.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "cli/alarm_text.hpp"
#include "cli/commands.hpp"
#include "cli/evaluation_text.hpp"
#include "cli/excess_risk.hpp"
#include "cli/interrupt.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/tables.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/ledger/origin.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/methods/non_private/optimum.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::cli {

namespace {

struct EvaluateFlags {
  std::string model, metric;
  std::string request;  // the words of the command
  std::shared_ptr<DataFlags> data;
  bool is_public = false, json = false, excess_risk = false, unsafe = false, other_rows = false;
  std::optional<double> epsilon, delta;
  std::optional<std::uint64_t> seed;
  methods::JudgementOptions judged;
  LedgerFlags ledger;
};

// Metrics that have a release of their own, sharper than one of all measures.
bool is_single(const std::string& metric) { return metric == "accuracy" || metric == "loss"; }

// Measures may be called by their short names.
std::string full_name(const std::string& metric) {
  if (metric == "rmse") return "root_mean_square_error";
  if (metric == "mae") return "mean_absolute_error";
  if (metric == "brier") return "brier_score";
  return metric;
}

methods::EvaluationQuery query_for(const EvaluateFlags& flags, const model::Model& model) {
  const bool named = is_single(flags.metric);
  return {named ? methods::metric_from_name(flags.metric) : methods::default_metric(model.plan.task),
          model::fitted(model),
          {flags.data->read.threads}};
}

// Of rows declared public: what makes the measures mean something else than they seem to.
void note_ruin(const EvaluateFlags& flags, const schema::Encoding& encoding, const data::ReadOptions& read) {
  data::Inspection found = data::inspect_dataset(flags.data->paths, encoding, read);
  std::erase_if(found.alarms, [](const data::Alarm& each) {
    using Kind = data::AlarmKind;
    return each.kind == Kind::duplicate || each.kind == Kind::copy_of_target ||
           each.kind == Kind::repeated_identifier || each.kind == Kind::repeated_block;  // these are about learning
  });
  note_alarms(found.alarms, found, encoding.schema());
}

void check_flags(const EvaluateFlags& flags) {
  if (flags.is_public == flags.epsilon.has_value()) {
    throw ArgumentError(
        "say either --public (the rows are public: exact numbers are shown) or --epsilon E (they are sensitive: "
        "noisy numbers are released)");
  }
  if (flags.epsilon) privacy::require_meaningful_epsilon(*flags.epsilon);
  if (flags.delta && flags.is_public) throw ArgumentError("--delta goes with --epsilon");
  if (flags.other_rows && flags.is_public) throw ArgumentError("--other-rows goes with --epsilon");
}

// A release of its own, without what only the histogram has.
bool asks_for_one(const EvaluateFlags& flags) {
  const bool plain = flags.judged == methods::JudgementOptions{} && !flags.delta;
  if (flags.metric == "loss" && !plain) throw ArgumentError("--metric loss takes no --groups, --threshold or --delta");
  return is_single(flags.metric) && plain;
}

// A measure that the model does not have is refused before any record is read.
void check_metric(const EvaluateFlags& flags, const model::Model& model) {
  if (flags.metric.empty() || asks_for_one(flags)) return;
  const std::vector<std::string> names = methods::measure_names(model.plan.task, model.schema.target);
  if (std::ranges::find(names, full_name(flags.metric)) != names.end()) return;
  throw ArgumentError(fmt::format("--metric is for this model one of accuracy (of classification), loss, {}; got '{}'",
                                  fmt::join(names, ", "), flags.metric));
}

// Who counts what is spent on the rows; of other rows nobody.
std::optional<Counted> counted_rows(const EvaluateFlags& flags, const model::Model& model) {
  if (!flags.is_public) ledger::require_origin(model, {flags.ledger.dataset, flags.other_rows});
  LedgerFlags named = flags.ledger;
  if (flags.other_rows) named.path.clear();
  return counted_by(named);
}

// What uses the rows without protection; empty: nothing.
std::string look_of(const EvaluateFlags& flags) {
  if (flags.is_public) return "evaluate --public";
  if (flags.seed) return "evaluate --seed";
  return flags.data->read.strict ? "evaluate --strict" : "";
}

// Before a record is read.
void ask_ledger(const EvaluateFlags& flags, std::optional<Counted>& counted) {
  if (!counted) return;
  if (const std::string what = look_of(flags); !what.empty()) note_look(counted, what);
  if (flags.epsilon && !flags.seed) {
    counted->ledger.require_room(counted->dataset, *flags.epsilon, flags.delta.value_or(0));
  }
}

// Words, the form of what is printed, and the model: a file may change behind its name.
std::string asked_text(const EvaluateFlags& flags, const model::Model& model) {
  return fmt::format("{}\n{}\n{}", flags.request, flags.json ? "json" : "text", model::to_json(model));
}

// A request that came to its end earlier is answered from the ledger: no record is read and nothing is spent.
bool answered_before(const EvaluateFlags& flags, const model::Model& model, const std::optional<Counted>& counted) {
  if (!counted) return false;
  const auto kept = counted->ledger.result(counted->dataset, flags.ledger.request_id, asked_text(flags, model));
  if (!kept) return false;
  note(fmt::format("The ledger has the answer to request '{}': it is returned, and nothing is spent.",
                   flags.ledger.request_id));
  std::fwrite(kept->data(), 1, kept->size(), stdout);
  finish_standard_output();
  return true;
}

// On the disk before noise is drawn. Of a release of its own nothing but its epsilon is told.
std::optional<ledger::Mark> reserve(const EvaluateFlags& flags, const Evaluating& asked,
                                    std::optional<Counted>& counted) {
  if (!counted || flags.is_public || flags.seed) return std::nullopt;
  ledger::Request request{.command = "evaluate",
                          .id = flags.ledger.request_id,
                          .text = asked_text(flags, asked.model),
                          .epsilon = asked.budget->epsilon,
                          .unit = ledger::unit_of(asked.model.schema)};
  request.events = {{.what = "evaluation", .mechanism = privacy::RandomisedResponseEvent{request.epsilon}}};
  if (asked.plan) {
    request.events = {methods::judgement_event(*asked.plan)};
    const privacy::Guarantee guarantee = privacy::account(request.events, asked.budget->delta);
    request.epsilon = guarantee.epsilon;
    request.delta = guarantee.delta;
  }
  return counted->ledger.reserve(counted->dataset, request);
}

// What was printed and did not arrive is lost, unless a ledger keeps it under its name: the message says what that
// cost.
void require_printed(const EvaluateFlags& flags, int reason) {
  if (std::ferror(stdout) == 0) return;
  const bool spent = flags.epsilon && !flags.seed;
  const std::string budget =
      spent ? fmt::format("epsilon {:g}, delta {:g}", *flags.epsilon, flags.delta.value_or(0)) : "";
  const std::string next =
      !spent ? "Nothing is spent; make room and run again"
      : flags.ledger.request_id.empty()
          ? fmt::format(
                "The result is lost, and {} is spent all the same; make room first, because asking again spends "
                "as much again",
                budget)
          : fmt::format(
                "The ledger keeps the result, and {} is spent: make room, and ask again under the same "
                "--request-id",
                budget);
  throw DataError(
      fmt::format("standard output: not everything could be written ({}). {}", std::strerror(reason), next));
}

// Releases, tells the ledger and prints. A result that is lost on its way can be had again under its request's name.
void release(const EvaluateFlags& flags, const Evaluating& asked, const data::Dataset& dataset,
             std::optional<Counted>& counted) {
  constexpr std::size_t kMostPrinted = std::size_t{1} << 20;
  if (!flags.is_public) reserve_standard_output(kMostPrinted);
  const std::optional<ledger::Mark> mark = reserve(flags, asked, counted);
  const std::string text = evaluation_text(asked, dataset);
  if (mark) settle(*counted, *mark, text);
  std::fwrite(text.data(), 1, text.size(), stdout);  // names may hold a NUL
  std::fflush(stdout);
  const int reason = errno;
  if (const std::string line = openness_text(asked); !line.empty()) note(line);
  if (mark) note(ledger_line(*counted));
  require_printed(flags, reason);
}

// What privacy cost, on the rows that the model was learned from: exact numbers, for their owner.
void run_excess_risk(const EvaluateFlags& flags) {
  if (!flags.unsafe) {
    throw ArgumentError(
        "--excess-risk shows exact numbers about the rows, among them the least loss that any model has on them: they "
        "are not private. Where that is what you want, for your own eyes, add --unsafe");
  }
  if (flags.is_public || flags.epsilon || flags.delta || flags.seed || !flags.metric.empty() ||
      !flags.ledger.request_id.empty() || flags.other_rows || flags.judged != methods::JudgementOptions{}) {
    throw ArgumentError("--excess-risk goes with MODEL, DATA, --unsafe, a ledger and --json alone");
  }
  const model::Model model = model::read_model(flags.model);
  methods::require_convex_and_smooth(model.plan.task.problem, "--excess-risk");
  std::optional<Counted> counted = counted_by(flags.ledger, model.schema.dataset);  // the rows it was learned from
  note_look(counted, "evaluate --excess-risk");
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, flags.data->read);
  print_excess_risk(model, dataset, {flags.data->read.threads}, flags.json);
  std::fflush(stdout);
  require_printed(flags, errno);
}

void run(const EvaluateFlags& flags) {
  if (flags.excess_risk) return run_excess_risk(flags);
  if (flags.unsafe) throw ArgumentError("--unsafe is for --excess-risk; leave it out");
  check_flags(flags);
  const model::Model model = model::read_model(flags.model);
  check_metric(flags, model);
  std::optional<Counted> counted = counted_rows(flags, model);
  if (answered_before(flags, model, counted)) return;
  const auto query = query_for(flags, model);
  const auto encoding = std::make_shared<const schema::Encoding>(model.schema);
  const bool one = asks_for_one(flags);
  const auto budget =
      flags.is_public ? std::nullopt : std::optional(methods::Budget{*flags.epsilon, flags.delta.value_or(0)});
  const auto planned = [&](std::size_t rows) {
    return methods::plan_judgement(model.plan.task, *encoding, rows, budget, flags.judged);
  };
  if (!one) planned(1);  // wrong flags are refused before any record is read
  ask_ledger(flags, counted);
  data::ReadOptions read = flags.data->read;
  read.by_unit = !flags.is_public;
  read.of_model = true;
  if_interrupted("Nothing was released and nothing is spent.");
  const data::Dataset dataset = data::read_dataset(flags.data->paths, encoding, read);
  if (flags.is_public) {
    note_ruin(flags, *encoding, read);
  } else {
    if_interrupted(fmt::format("Noise may have been drawn: count epsilon {:g}, delta {:g} as spent.", *flags.epsilon,
                               flags.delta.value_or(0)));
  }
  const Evaluating asked{model,
                         query,
                         one ? std::nullopt : std::optional(planned(dataset.rows())),
                         full_name(flags.metric),
                         budget,
                         flags.seed,
                         flags.json};
  release(flags, asked, dataset, counted);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "How good a model is on labelled data, with error bars");
  auto flags = std::make_shared<EvaluateFlags>();
  command->add_option("MODEL", flags->model, "model file written by dperm fit")->type_name("FILE")->required();
  flags->data = add_data_flags(*command);
  command->add_flag("--public", flags->is_public, "the rows are public: show exact numbers");
  add_number(*command, "--epsilon", flags->epsilon,
             "the rows are sensitive: release noisy numbers that cost this much");
  add_number(*command, "--delta", flags->delta,
             "allow a delta where it makes the noise smaller; default: pure epsilon");
  command
      ->add_option("--metric", flags->metric,
                   "one measure alone: accuracy or loss, which then have a release of their\n"
                   "own with less noise, or auc, log_loss, brier, recall, precision, r2,\n"
                   "rmse, mae, ...; default: all from one release (docs/evaluation.md)")
      ->type_name("NAME");
  command
      ->add_option("--groups", flags->judged.groups,
                   "also apart by this category column of the schema; group sizes are\nreleased too")
      ->type_name("COLUMN");
  add_number(*command, "--threshold", flags->judged.threshold,
             "logistic models: rows with a larger probability are called positive;\ndefault 0.5");
  add_integer(*command, "--seed", flags->seed, "reproducible noise: the number is NOT private");
  command->add_flag("--excess-risk", flags->excess_risk,
                    "on the rows that it was learned from: what privacy cost, exactly, beside\n"
                    "what the plan promised; needs --unsafe");
  command->add_flag("--unsafe", flags->unsafe, "show what is not private (--excess-risk), for the owner of the data");
  add_ledger_flags(*command, flags->ledger,
                   "the ledger's name for these rows, which need not be the model's; no default");
  command
      ->add_flag("--other-rows", flags->other_rows,
                 "these rows belong to no dataset that a ledger counts; this or --dataset\nis needed where the model "
                 "names the dataset it was learned from")
      ->group(kLedgerGroup);
  add_request_id(*command, flags->ledger);
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([flags, command] {
    flags->request = request_text(*command);
    run(*flags);
  });
}

}  // namespace dperm::cli
