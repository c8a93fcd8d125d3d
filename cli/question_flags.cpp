// SPDX-License-Identifier: Apache-2.0
#include "cli/question_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"

namespace dperm::cli {

namespace {

std::string flag_name(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

// One flag for every option of every method, from the methods' own tables.
void add_method_flags(CLI::App& command, const std::shared_ptr<QuestionFlags>& flags) {
  std::set<std::string_view> seen;
  for (const methods::Method* method : methods::all_methods()) {
    for (const methods::OptionSpec& spec : method->options()) {
      if (!seen.insert(spec.name).second) continue;
      const std::string name(spec.name);
      command
          .add_option_function<std::string>(
              flag_name(spec.name), [flags, name](const std::string& text) { flags->method_options[name] = text; },
              fmt::format("{} (default {})", spec.help, spec.default_value))
          ->group(fmt::format("Options of {}", method->name()));
    }
  }
}

loss::LossKind default_loss(const schema::Target& target) {
  return target.kind == schema::TargetKind::real ? loss::LossKind::squared : loss::LossKind::logistic;
}

void check_target(const schema::Target& target, loss::LossKind kind) {
  if (target.kind == schema::TargetKind::none) {
    throw ArgumentError("the schema has no [target]; a fit needs the column to predict");
  }
  if (target.kind == schema::TargetKind::classes) {
    throw ArgumentError("a target of kind class needs a multiclass loss, which this version does not have; declare it "
                        "binary with positive = one of its values");
  }
  const bool classification = loss::is_classification(kind);
  if (classification != (target.kind == schema::TargetKind::binary)) {
    throw ArgumentError(fmt::format("loss {} needs a target of kind {}; the schema declares the other kind", loss::name(kind),
                                    classification ? "binary" : "real"));
  }
}

}  // namespace

std::shared_ptr<QuestionFlags> add_question_flags(CLI::App& command) {
  auto flags = std::make_shared<QuestionFlags>();
  command.add_option("--schema", flags->schema_path, "schema.toml: public bounds and categories")->required();
  command.add_option("--loss", flags->loss,
                     "logistic, hinge, smoothed-hinge (binary target); squared, absolute, pinball, huber (real target); "
                     "default logistic or squared");
  command.add_option("--epsilon", flags->epsilon, "privacy: an attacker's odds change by at most exp(epsilon)")->required();
  command.add_option("--delta", flags->delta, "privacy: chance of more than that; 0 asks for pure epsilon")->required();
  command.add_option("--method", flags->method, "auto, or a method's name (see dperm plan)")->capture_default_str();
  command.add_option("--l2-penalty", flags->l2_penalty,
                     "modulus of strong convexity in encoded units; default: chosen by the method from public facts");
  auto* radius = command.add_option("--radius", flags->radius, "feasible set: ||w||_2 at most this (encoded units)");
  command.add_option("--box", flags->box, "feasible set: every |w_j| at most this (encoded units)")->excludes(radius);
  command.add_option("--smoothing", flags->smoothing, "smoothed-hinge: width");
  command.add_option("--quantile", flags->quantile, "pinball: level between 0 and 1");
  command.add_option("--threshold", flags->threshold, "huber: where it turns linear (target in [-1, 1])");
  add_method_flags(command, flags);
  return flags;
}

std::shared_ptr<const schema::Encoding> load_encoding(const std::string& schema_path) {
  return std::make_shared<const schema::Encoding>(schema::read_schema(schema_path));
}

methods::Question make_question(const QuestionFlags& flags, const schema::Encoding& encoding, std::size_t rows) {
  methods::Question question;
  loss::Loss& loss = question.problem.loss;
  loss.kind = flags.loss.empty() ? default_loss(encoding.schema().target) : loss::loss_from_name(flags.loss);
  loss.smoothing = flags.smoothing.value_or(loss.smoothing);
  loss.quantile = flags.quantile.value_or(loss.quantile);
  loss.threshold = flags.threshold.value_or(loss.threshold);
  question.problem.l2_penalty = flags.l2_penalty;
  if (flags.radius) question.problem.feasible_set = {loss::SetKind::ball, *flags.radius};
  if (flags.box) question.problem.feasible_set = {loss::SetKind::box, *flags.box};
  question.facts = {rows, encoding.dimension(), encoding.columns()};
  question.budget = {flags.epsilon, flags.delta};
  methods::validate(question);
  check_target(encoding.schema().target, loss.kind);
  return question;
}

std::shared_ptr<DataFlags> add_data_flags(CLI::App& command) {
  auto flags = std::make_shared<DataFlags>();
  command.add_option("DATA", flags->paths, "CSV (.gz), Parquet, Arrow IPC or LIBSVM files; globs allowed")->required();
  command.add_option("--tiles", flags->read.tiles_path,
                     "keep encoded rows in this mapped file (private to you): for data larger than memory, and a second "
                     "run skips parsing");
  command.add_option("--threads", flags->read.threads, "threads; 0: all cores")->check(CLI::Range(0, 1024));
  command.add_flag("--strict", flags->read.strict,
                   "refuse records that do not fit the schema. The refusal itself reveals something about them");
  return flags;
}

}  // namespace dperm::cli
