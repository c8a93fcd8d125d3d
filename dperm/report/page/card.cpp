// SPDX-License-Identifier: Apache-2.0
// The model card, for those who must approve or audit a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/words.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/plot.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::report {

namespace {

constexpr std::size_t kMostValues = 12, kMostColumns = 300;

std::string judging_words(const methods::Plan& plan) {
  if (!plan.holdout) return "";
  if (plan.holdout->by_persons()) {
    return fmt::format(", less those of about {:.0f}% of the persons, which judged it",
                       100 * plan.holdout->options.share);
  }
  return fmt::format(", {} judged it", whole(static_cast<double>(plan.holdout->judgement.rows)));
}

std::string kind_words(const schema::Column& column) {
  switch (column.kind) {
    case schema::ColumnKind::real:
      return "number";
    case schema::ColumnKind::integer:
      return "whole number";
    case schema::ColumnKind::category:
      return column.ordered ? "category, in order" : "category";
    case schema::ColumnKind::boolean:
      return "yes or no";
    case schema::ColumnKind::date:
      return "date";
    case schema::ColumnKind::days:
      return "days between dates";
  }
  return "";
}

std::string values_words(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t j = 0; j < std::min(values.size(), kMostValues); ++j) text += (j == 0 ? "" : ", ") + values[j];
  return text + (values.size() > kMostValues ? fmt::format(" and {} more", values.size() - kMostValues) : "");
}

std::string bounds_words(const schema::Column& column) {
  if (!column.values.empty()) return values_words(column.values) + (column.other ? ", others together" : "");
  if (column.kind == schema::ColumnKind::boolean) return "true, false";
  if (column.kind == schema::ColumnKind::date) {
    const auto day = [](double days) { return schema::date_text(static_cast<std::int64_t>(std::floor(days))); };
    return day(column.lower) + " to " + day(column.upper);
  }
  return fmt::format("{} to {}{}", digits(column.lower, 6), digits(column.upper, 6),
                     column.scale == schema::Scale::log ? ", logarithmic" : "");
}

std::string shape_words(const schema::Column& column, const Facts& facts) {
  if (facts.form == methods::ModelForm::rule) return "in rules";
  if (facts.form == methods::ModelForm::network) return "input of the network";
  if (column.shape == schema::ColumnShape::curve) return fmt::format("a curve of {} pieces", column.pieces);
  if (column.shape == schema::ColumnShape::steps) return fmt::format("{} steps", column.pieces);
  const bool level = column.kind == schema::ColumnKind::category || column.kind == schema::ColumnKind::boolean;
  return level && !column.ordered ? "one effect per value" : "a straight line";
}

Html schema_table(const Facts& facts) {
  std::vector<std::vector<Html>> rows;
  const auto& columns = facts.model.schema.columns;
  for (std::size_t j = 0; j < std::min(columns.size(), kMostColumns); ++j) {
    rows.push_back({Html(columns[j].name) + element("span", {{"class", "under"}}, columns[j].description),
                    kind_words(columns[j]),
                    Html(bounds_words(columns[j])) + (columns[j].inferred.empty() ? "" : " (inferred privately)"),
                    shape_words(columns[j], facts)});
  }
  if (rows.empty()) return paragraph("No column is looked at but the target.");
  return table("Columns", {{"Column"}, {"Kind"}, {"Public bounds or values"}, {"Enters as"}}, rows) +
         (columns.size() > kMostColumns ? small(fmt::format("and {} more", columns.size() - kMostColumns)) : Html());
}

std::string target_words(const schema::Target& target) {
  switch (target.kind) {
    case schema::TargetKind::binary:
      return target.threshold ? fmt::format("{}: positive above {}", target.name, digits(*target.threshold, 6))
                              : fmt::format("{}: positive if {}", target.name, values_words(target.positive));
    case schema::TargetKind::real:
      return fmt::format("{}: a number from {} to {}", target.name, digits(target.lower, 6), digits(target.upper, 6));
    case schema::TargetKind::classes:
      return fmt::format("{}: one of {}", target.name, values_words(target.values));
    case schema::TargetKind::none:
      break;
  }
  return target.name;
}

std::string settings_words(const methods::Plan& plan) {
  std::string text;
  for (const auto& [name, value] : methods::option_texts(plan.options)) {
    if (value == "auto") continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text.empty() ? "all chosen by the planner from public facts"
                      : text + "; all others chosen by the planner from public facts";
}

std::string method_words(const methods::Plan& plan) {
  const auto method = methods::method_name(plan.options), algorithm = methods::algorithm_name(plan.options);
  return method == algorithm ? std::string(method) : fmt::format("{} ({})", method, algorithm);
}

std::string penalty_words(const methods::Problem& problem) {
  const std::string penalty =
      problem.l2_penalty > 0 ? fmt::format("l2_penalty {:.4g}", problem.l2_penalty) : "no penalty";
  switch (problem.feasible_set.kind) {
    case loss::SetKind::ball:
      return fmt::format("{}; weights of norm at most {:.4g}", penalty, problem.feasible_set.radius);
    case loss::SetKind::box:
      return fmt::format("{0}; weights between -{1:.4g} and {1:.4g}", penalty, problem.feasible_set.radius);
    case loss::SetKind::unconstrained:
      break;
  }
  return penalty + "; any weights";
}

std::string evaluation_words(const Facts& facts) {
  const auto measured = headline_measure(facts);
  if (!measured) return "none in this file";
  return fmt::format("{} rows kept out, drawn in secret: {} {} {}", judged_rows(facts), measured->value, measured->bar,
                     measured->meaning);
}

}  // namespace

Html card_section(const Facts& facts, const Place& place) {
  const model::Model& model = facts.model;
  const std::string unit = unit_word(facts);
  const bool promised = facts.keeps_its_promise();
  Html content = terms(
      {{"Model", task_title(facts)},
       {"Intended use", facts.one_number
                            ? "A statistic about the population that the rows were drawn from."
                            : "Predictions for, and statements about, rows like those it was learned from; on average, "
                              "not about one person."},
       {"Not intended", "Decisions about a person without review; claims about causes; rows unlike the training rows."},
       {"Data", fmt::format("{} rows trained it{}. The rows themselves are not in the file.",
                            whole(static_cast<double>(model.plan.task.facts.rows)), judging_words(model.plan))},
       {"Target", target_words(model.schema.target)},
       {"Method", method_words(model.plan)},
       {"Settings", settings_words(model.plan)},
       {"Loss", loss::describe(model.plan.task.problem.loss)},
       {"Penalty and set", penalty_words(model.plan.task.problem)},
       {"Evaluation", evaluation_words(facts)},
       {"Privacy",
        promised ? Html(budget_words(facts.total.epsilon, facts.total.delta)) : strong("none that can be relied on")},
       {"Privacy unit", model.schema.unit ? fmt::format("a person: rows with the same {}, at most {}",
                                                        model.schema.unit->column, model.schema.unit->rows)
                                          : std::string("a row")},
       {"Neighbours", std::string(word(facts.total.neighbours)) + "; the number of rows is public"},
       {"Accounting", model.guarantee.accountant},
       {"Randomness", model.is_private ? "the operating system's secure generator; samplers exact to the last bit"
                                       : "see the warning above"},
       {"Verified", facts.verified ? "by this program, when this page was made" : "NO"},
       {"Software", fmt::format("dperm {}", model::kVersion)},
       {"Date", "not recorded in the file"},
       {"Digest", code(facts.digest)}});
  for (const std::string& each : model.remarks) content += paragraph(Html("Remark: ") + each);
  return content + heading(place.level + 1, "Columns") + schema_table(facts);
}

}  // namespace dperm::report
