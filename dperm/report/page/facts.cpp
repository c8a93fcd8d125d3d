// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "dperm/core/error.hpp"
#include "dperm/model/one_answer.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/plot.hpp"
#include "dperm/report/task_words.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::report {

namespace {

// Measures that are shares of rows: told in percent.
constexpr std::array<std::string_view, 6> kShares = {"accuracy", "positive_share", "predicted_positive_share",
                                                     "recall",   "precision",      "clipped_share"};

bool is_share(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  return kind == "false_positive_rate" || std::find(kShares.begin(), kShares.end(), kind) != kShares.end();
}

}  // namespace

Facts facts_of(const model::Model& model, const std::string& name, const std::string& digest) {
  Facts facts{.model = model, .name = name, .digest = digest, .form = methods::model_form(model.plan.task.problem)};
  facts.checks = model::verify(model);
  // A model that says itself that it is not private may keep all the rest of its word.
  model::Model claimed = model;
  claimed.is_private = true;
  facts.verified = model::all_passed(model.is_private ? facts.checks : model::verify(claimed));
  facts.one_number = facts.form == methods::ModelForm::linear && model.weights.size() == 1 &&
                     model.schema.target.kind == schema::TargetKind::real;
  facts.total = model::total_guarantee(model);
  try {
    facts.model.plan = model::planned_anew(model);
  } catch (const DataError&) {  // the checks say so
    facts.verified = false;
  }
  if (facts.verified) {
    facts.attacker = attacker_of(facts.model);
    facts.one_answer = model::one_answer(model);
  }
  facts.judged = model::evaluation(model);
  return facts;
}

Html heading(int level, const std::string& text, const std::string& id) {
  return element(fmt::format("h{}", level), id.empty() ? Attributes{} : Attributes{{"id", id}}, text);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string task_title(const Facts& facts) {
  return capitalised(task_words(facts.model.schema, facts.model.plan.task.problem));
}

std::string effect_target(const Facts& facts) {
  const std::string& target = facts.model.schema.target.name;
  switch (loss::info(facts.model.plan.task.problem.loss.kind).link) {
    case loss::Link::class_scores:
      return fmt::format("each class's score; the class with the largest is predicted as {}", target);
    case loss::Link::log_odds:
      return fmt::format("the log-odds that {} is positive", target);
    case loss::Link::margin:
    case loss::Link::answer:
      return fmt::format("the score; above 0, {} is predicted positive", target);
    case loss::Link::number:
      return fmt::format("{}, in its own unit", target);
  }
  throw InternalError("a link without words");
}

std::string epsilon_words(double epsilon) {
  if (!(epsilon > 0)) return "0";
  if (std::isinf(epsilon)) return "infinite";
  const double unit = std::pow(10, std::floor(std::log10(epsilon)) - 3);
  return fmt::format("{:.4g}", std::ceil(epsilon / unit - 1e-6) * unit);
}

std::string delta_words(double delta) {
  std::string text = fmt::format("{:.3g}", delta);
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

std::string budget_words(double epsilon, double delta) {
  return fmt::format("epsilon {}{}", epsilon_words(epsilon), delta > 0 ? ", delta " + delta_words(delta) : "");
}

Headline measure_words(const methods::Measure& measure) {
  if (std::isnan(measure.value)) return {"not known", "", "too few rows for the noise"};
  if (is_share(measure.name)) {
    return {percent(measure.value), fmt::format("\u00b1 {:.1f} points", 100 * measure.total_radius), ""};
  }
  // As many digits as the error bar lets one believe.
  const double bar = measure.total_radius;
  const int count =
      bar > 0 && measure.value != 0
          ? std::clamp(
                static_cast<int>(std::floor(std::log10(std::abs(measure.value))) - std::floor(std::log10(bar))) + 2, 1,
                6)
          : 3;
  return {digits(measure.value, count), fmt::format("\u00b1 {}", digits(bar, 2)), ""};
}

std::string measure_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon), label = colon == std::string::npos ? "" : name.substr(colon + 1);
  std::string words = kind;
  if (kind == "accuracy") words = "right answers (accuracy)";
  if (kind == "auc") words = "area under the ROC curve";
  if (kind == "r2") words = "share of variance explained (R2)";
  if (kind == "positive_share") words = "rows that are positive";
  if (kind == "predicted_positive_share") words = "rows predicted positive";
  if (kind == "recall") words = "found, of those that are (recall)";
  if (kind == "precision") words = "right, of those predicted (precision)";
  if (kind == "clipped_share") words = "rows with an error beyond the bounds";
  std::replace(words.begin(), words.end(), '_', ' ');
  return label.empty() ? words : label + ": " + words;
}

std::string judged_rows(const Facts& facts) {
  const std::string rows = whole(std::max(0.0, facts.judged->all.rows));
  return facts.model.schema.unit ? "about " + rows : rows;
}

std::optional<Headline> headline_measure(const Facts& facts) {
  if (!facts.judged) return std::nullopt;
  for (const auto& [name, meaning] : {std::pair{"accuracy", "right answers"},
                                      std::pair{"root_mean_square_error", "typical error (root mean square)"}}) {
    if (const methods::Measure* measure = facts.judged->all.find(name)) {
      Headline words = measure_words(*measure);
      words.meaning = meaning;
      return words;
    }
  }
  return std::nullopt;
}

const char* unit_word(const Facts& facts) { return facts.model.schema.unit ? "person" : "row"; }

}  // namespace dperm::report
