// SPDX-License-Identifier: Apache-2.0
#include "cli/evaluation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json_text.hpp"
#include "cli/measures_text.hpp"
#include "cli/tables.hpp"
#include "cli/text.hpp"
#include "dperm/model/evaluated_json.hpp"
#include "dperm/model/event_json.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/bits_for.hpp"

namespace dperm::cli {

namespace {

methods::MetricMeaning meaning_of(const Evaluating& asked, double value, double draws) {
  return methods::metric_meaning(asked.query.metric, asked.query.model.task, asked.model.schema.target, value, draws);
}

privacy::Curator curator_for(const Evaluating& asked, random::BitSource& bits) {
  const auto& unit = asked.model.schema.unit;
  return privacy::Curator(bits, privacy::Neighbours::replace_one, unit ? unit->rows : 1);
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

nlohmann::ordered_json exact_json(const Evaluating& asked, const data::Dataset& dataset, double value) {
  nlohmann::ordered_json json{
      {std::string(methods::value_name(asked.query.metric)), value}, {"rows", dataset.rows()}, {"private", false}};
  add_error(json, meaning_of(asked, value, static_cast<double>(dataset.rows())));
  return json;
}

std::string exact_number(const Evaluating& asked, const data::Dataset& dataset) {
  const double value = DeclaredPublicAccess::open(methods::evaluate(dataset, asked.query));
  if (asked.json) return json_text(exact_json(asked, dataset, value)) + "\n";
  const auto meaning = meaning_of(asked, value, static_cast<double>(dataset.rows()));
  return fmt::format("{} {:.6f} on {} declared public\n{}", methods::value_name(asked.query.metric), value,
                     counted(dataset.rows(), "row"), in_words(meaning, asked.model.schema.target.name));
}

std::string private_number(const Evaluating& asked, const data::Dataset& dataset) {
  const auto bits = random::bits_for(asked.seed);
  privacy::Curator curator = curator_for(asked, *bits);
  const auto result = methods::evaluate_privately(dataset, asked.query, asked.budget->epsilon, curator);
  const auto meaning = meaning_of(asked, result.estimate, result.draws);
  const auto name = methods::value_name(asked.query.metric);
  if (asked.json) {
    nlohmann::ordered_json json{{std::string(name), result.estimate},
                                {"noise_radius_95", result.noise_radius},
                                {"rows", dataset.rows()},
                                {"epsilon", result.guarantee.epsilon},
                                {"delta", 0},
                                {"neighbours", word(result.guarantee.neighbours)},
                                {"private", result.secure}};
    add_error(json, meaning);
    return json_text(json) + "\n";
  }
  const std::string sampling =
      meaning.sampling_radius ? fmt::format(", sampling error within {:.4f}", *meaning.sampling_radius) : "";
  const std::string spent = result.secure ? fmt::format("Spent on these rows: {}.\n",
                                                        guarantee_text(result.guarantee, asked.model.schema.unit))
                                          : "";
  return fmt::format("{} {:.4f} on {} (95%: noise within {:.4f}{})\n{}{}", name, result.estimate,
                     counted(dataset.rows(), "row"), result.noise_radius, sampling,
                     in_words(meaning, asked.model.schema.target.name), spent);
}

// The one that stands for all.
const methods::Measure& main_measure(const methods::Measures& all) {
  const methods::Measure* error = all.find("root_mean_square_error");
  return error ? *error : all.values.front();
}

// All measures at once, or the one that was asked for. `json` is what is known besides.
std::string measures_of(const Evaluating& asked, const methods::Evaluated& evaluated, nlohmann::ordered_json json,
                        const std::string& rows) {
  const bool exact = !asked.budget;
  const methods::Measure* one = asked.measure.empty() ? nullptr : evaluated.all.find(asked.measure);
  const methods::Measure& main = one ? *one : main_measure(evaluated.all);
  if (asked.json) {
    json[main.name] = main.value;
    if (!exact) json["noise_radius_95"] = main.radius;
    json.update(model::evaluated_json(evaluated));
    return json_text(json) + "\n";
  }
  if (one) return fmt::format("{} {} on {}\n", one->name, measure_text(*one, exact), rows);
  return fmt::format("on {} ({}):\n{}", rows, exact ? "exact; 95% for sampling" : "95% error bars for noise and bins",
                     measures_text(evaluated, exact, asked.model.schema.target.name));
}

std::string exact_measures(const Evaluating& asked, const data::Dataset& dataset) {
  const auto& query = asked.query;
  const auto evaluated =
      DeclaredPublicAccess::open(methods::judge_exactly(dataset, query.model, *asked.plan, query.threads));
  nlohmann::ordered_json json;
  // The clipped loss, or the accuracy at the score 0, as a release of its own would tell it.
  if (asked.json) json = exact_json(asked, dataset, DeclaredPublicAccess::open(methods::evaluate(dataset, query)));
  return measures_of(asked, evaluated, std::move(json), counted(dataset.rows(), "row") + " declared public");
}

std::string private_measures(const Evaluating& asked, const data::Dataset& dataset) {
  const auto bits = random::bits_for(asked.seed);
  privacy::Curator curator = curator_for(asked, *bits);
  const auto& query = asked.query;
  const auto judgement = methods::judge_privately(dataset, query.model, *asked.plan, curator, query.threads);
  const auto evaluated = methods::evaluated(judgement, query.model.task, asked.model.schema.target);
  const auto guarantee = privacy::account(curator.events(), asked.budget->delta);
  const auto& unit = asked.model.schema.unit;
  const std::string of_all = unit ? fmt::format(" that count, of {}", counted(dataset.rows(), "row")) : "";
  std::string text = measures_of(asked, evaluated,
                                 {{"rows", dataset.rows()},
                                  {"epsilon", guarantee.epsilon},
                                  {"delta", guarantee.delta},
                                  {"neighbours", word(guarantee.neighbours)},
                                  {"private", curator.secure()},
                                  {"events", model::events_json(curator.events())}},
                                 judged_rows_text(evaluated.all, dataset.rows(), unit.has_value()) + of_all);
  if (!asked.json && curator.secure()) {
    text += fmt::format("Spent on these rows: {}.\n", guarantee_text(guarantee, unit));
  }
  return text;
}

}  // namespace

std::string evaluation_text(const Evaluating& asked, const data::Dataset& dataset) {
  if (asked.plan) return asked.budget ? private_measures(asked, dataset) : exact_measures(asked, dataset);
  return asked.budget ? private_number(asked, dataset) : exact_number(asked, dataset);
}

std::string openness_text(const Evaluating& asked) {
  const bool many = asked.plan.has_value();
  if (!asked.budget) {
    return many ? "These numbers are exact: publish them only if the rows they were computed on are public."
                : "This number is exact: publish it only if the rows it was computed on are public.";
  }
  if (!asked.seed) return "";
  return fmt::format("WARNING: made with a fixed seed, so {} NOT private",
                     many ? "these numbers are" : "this number is");
}

}  // namespace dperm::cli
