// SPDX-License-Identifier: Apache-2.0
// dperm evaluate: how good a model is, in the open on public data or as a private release.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "cli/alarm_text.hpp"
#include "cli/commands.hpp"
#include "cli/excess_risk.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_text.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/measures_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/tables.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/methods/non_private/optimum.hpp"
#include "dperm/model/evaluated_json.hpp"
#include "dperm/model/event_json.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/bits_for.hpp"

namespace dperm::cli {

namespace {

struct EvaluateFlags {
  std::string model, metric;
  std::shared_ptr<DataFlags> data;
  bool is_public = false, json = false, excess_risk = false, unsafe = false;
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

methods::MetricMeaning meaning_of(const methods::EvaluationQuery& query, const model::Model& model, double value,
                                  double draws) {
  return methods::metric_meaning(query.metric, query.model.task, model.schema.target, value, draws);
}

std::size_t unit_rows_of(const model::Model& model) { return model.schema.unit ? model.schema.unit->rows : 1; }

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

// The one that stands for all.
const methods::Measure& main_measure(const methods::Measures& all) {
  const methods::Measure* error = all.find("root_mean_square_error");
  return error ? *error : all.values.front();
}

void add_error(nlohmann::ordered_json& json, const methods::MetricMeaning& meaning) {
  if (meaning.error) json[std::string(meaning.error->name)] = meaning.error->value;
}

void print_public(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                  const methods::EvaluationQuery& query) {
  const double value = DeclaredPublicAccess::open(methods::evaluate(dataset, query));
  const auto meaning = meaning_of(query, model, value, static_cast<double>(dataset.rows()));
  const std::string name(methods::value_name(query.metric));
  if (flags.json) {
    nlohmann::ordered_json json{{name, value}, {"rows", dataset.rows()}, {"private", false}};
    add_error(json, meaning);
    fmt::print("{}\n", json_text(json));
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
  privacy::Curator curator(*bits, privacy::Neighbours::replace_one, unit_rows_of(model));
  const auto result = methods::evaluate_privately(dataset, query, *flags.epsilon, curator);
  const auto meaning = meaning_of(query, model, result.estimate, result.draws);
  if (flags.json) {
    nlohmann::ordered_json json = private_json(query, result, dataset.rows());
    add_error(json, meaning);
    fmt::print("{}\n", json_text(json));
  } else {
    fmt::print("{} {:.4f} on {} (95%: noise within {:.4f}{})\n{}", methods::value_name(query.metric), result.estimate,
               counted(dataset.rows(), "row"), result.noise_radius,
               meaning.sampling_radius ? fmt::format(", sampling error within {:.4f}", *meaning.sampling_radius) : "",
               in_words(meaning, model.schema.target.name));
    if (result.secure) fmt::print("Spent on these rows: {}.\n", guarantee_text(result.guarantee, model.schema.unit));
  }
  if (!result.secure) note("WARNING: made with a fixed seed, so this number is NOT private");
}

// All measures at once, or the one that was asked for.
void print_measures(const EvaluateFlags& flags, const model::Model& model, const methods::Evaluated& evaluated,
                    nlohmann::ordered_json json, const std::string& rows) {
  const std::string wanted = full_name(flags.metric);
  const methods::Measure* one = wanted.empty() ? nullptr : evaluated.all.find(wanted);
  const methods::Measure& main = one ? *one : main_measure(evaluated.all);
  if (flags.json) {
    json[main.name] = main.value;
    if (!flags.is_public) json["noise_radius_95"] = main.radius;
    json.update(model::evaluated_json(evaluated));
    fmt::print("{}\n", json_text(json));
  } else if (one) {
    fmt::print("{} {} on {}\n", one->name, measure_text(*one, flags.is_public), rows);
  } else {
    fmt::print("on {} ({}):\n{}", rows,
               flags.is_public ? "exact; 95% for sampling" : "95% error bars for noise and bins",
               measures_text(evaluated, flags.is_public, model.schema.target.name));
  }
}

void judge_in_the_open(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                       const methods::EvaluationQuery& query, const methods::JudgementPlan& plan) {
  const auto evaluated = DeclaredPublicAccess::open(methods::judge_exactly(dataset, query.model, plan, query.threads));
  nlohmann::ordered_json json;
  if (flags.json) {
    // The clipped loss, or the accuracy at the score 0, as a release of its own would tell it.
    const double value = DeclaredPublicAccess::open(methods::evaluate(dataset, query));
    json = {{std::string(methods::value_name(query.metric)), value}, {"rows", dataset.rows()}, {"private", false}};
    add_error(json, meaning_of(query, model, value, static_cast<double>(dataset.rows())));
  }
  print_measures(flags, model, evaluated, std::move(json), counted(dataset.rows(), "row") + " declared public");
  note("These numbers are exact: publish them only if the rows they were computed on are public.");
}

void judge_behind_the_door(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
                           const methods::EvaluationQuery& query, const methods::JudgementPlan& plan) {
  const auto bits = random::bits_for(flags.seed);
  privacy::Curator curator(*bits, privacy::Neighbours::replace_one, unit_rows_of(model));
  const methods::Judgement judgement = methods::judge_privately(dataset, query.model, plan, curator, query.threads);
  const auto evaluated = methods::evaluated(judgement, query.model.task, model.schema.target);
  const auto guarantee = privacy::account(curator.events(), flags.delta.value_or(0));
  const std::string of_all = model.schema.unit ? fmt::format(" that count, of {}", counted(dataset.rows(), "row")) : "";
  print_measures(flags, model, evaluated,
                 {{"rows", dataset.rows()},
                  {"epsilon", guarantee.epsilon},
                  {"delta", guarantee.delta},
                  {"neighbours", word(guarantee.neighbours)},
                  {"private", curator.secure()},
                  {"events", model::events_json(curator.events())}},
                 judged_rows_text(evaluated.all, dataset.rows(), model.schema.unit.has_value()) + of_all);
  if (!flags.json && curator.secure())
    fmt::print("Spent on these rows: {}.\n", guarantee_text(guarantee, model.schema.unit));
  if (!curator.secure()) note("WARNING: made with a fixed seed, so these numbers are NOT private");
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

// On the disk before noise is drawn. Of a release of its own nothing but its epsilon is told.
std::optional<ledger::Mark> reserve(const EvaluateFlags& flags, const model::Model& model,
                                    const std::optional<methods::JudgementPlan>& plan,
                                    std::optional<Counted>& counted) {
  if (!counted || flags.is_public || flags.seed) return std::nullopt;
  ledger::Request request{.command = "evaluate", .epsilon = *flags.epsilon, .unit = unit_column(model.schema)};
  request.events = {{.what = "evaluation", .mechanism = privacy::RandomisedResponseEvent{*flags.epsilon}}};
  if (plan) {
    request.events = {methods::judgement_event(*plan)};
    const privacy::Guarantee guarantee = privacy::account(request.events, flags.delta.value_or(0));
    request.epsilon = guarantee.epsilon;
    request.delta = guarantee.delta;
  }
  return counted->ledger.reserve(counted->dataset, request);
}

void finish(const std::optional<ledger::Mark>& mark, std::optional<Counted>& counted) {
  if (!mark) return;
  settle(*counted, *mark, "");
  note(ledger_line(*counted));
}

// No file keeps what was printed, so nothing can be got back: the message says what that cost.
void require_printed(const EvaluateFlags& flags, int reason) {
  if (std::ferror(stdout) == 0) return;
  const bool spent = flags.epsilon && !flags.seed;
  throw DataError(fmt::format("standard output: not everything could be written ({}). {}", std::strerror(reason),
                              spent ? fmt::format("The result is lost, and epsilon {:g}, delta {:g} is spent all the "
                                                  "same; make room first, because asking again spends as much again",
                                                  *flags.epsilon, flags.delta.value_or(0))
                                    : "Nothing is spent; make room and run again"));
}

// Releases and prints. The ledger is told that it is done whether or not what was printed arrived.
void release(const EvaluateFlags& flags, const model::Model& model, const data::Dataset& dataset,
             const methods::EvaluationQuery& query, const std::optional<methods::JudgementPlan>& plan,
             std::optional<Counted>& counted) {
  constexpr std::size_t kMostPrinted = std::size_t{1} << 20;
  if (!flags.is_public) reserve_standard_output(kMostPrinted);
  const std::optional<ledger::Mark> mark = reserve(flags, model, plan, counted);
  try {
    if (plan) {
      flags.is_public ? judge_in_the_open(flags, model, dataset, query, *plan)
                      : judge_behind_the_door(flags, model, dataset, query, *plan);
    } else {
      flags.is_public ? print_public(flags, model, dataset, query) : print_private(flags, model, dataset, query);
    }
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0) throw;  // else it is said below
  }
  std::fflush(stdout);
  const int reason = errno;
  finish(mark, counted);
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
      flags.judged != methods::JudgementOptions{}) {
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
  std::optional<Counted> counted = counted_by(flags.ledger);
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
  release(flags, model, dataset, query, one ? std::nullopt : std::optional(planned(dataset.rows())), counted);
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
  add_ledger_flags(*command, flags->ledger);
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
