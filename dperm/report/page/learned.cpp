// SPDX-License-Identifier: Apache-2.0
// What was learned, as pictures: one number, a rule, a network's size, or effects (effects.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/effects.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/outlook.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

constexpr std::size_t kMostMeanings = 40;

// On the whole range that the bounds allow.
Html number_picture(const Facts& facts, double value, double lower, double upper) {
  const schema::Target& target = facts.model.schema.target;
  constexpr double kWidth = 340, kEdge = 16, kLine = 36;
  const auto left = [&](double x) {
    return kEdge + (kWidth - 2 * kEdge) * std::clamp((x - target.lower) / (target.upper - target.lower), 0.0, 1.0);
  };
  std::string drawing = fmt::format(
      "<line class=\"plain\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n"
      "<line class=\"value\" x1=\"{3:.1f}\" x2=\"{4:.1f}\" y1=\"{2}\" y2=\"{2}\"/>\n"
      "<circle class=\"dot\" cx=\"{5:.1f}\" cy=\"{2}\" r=\"4.5\"/>\n",
      kEdge, kWidth - kEdge, kLine, left(lower), left(upper), left(value));
  drawing += fmt::format("<text x=\"{}\" y=\"60\">{}</text><text x=\"{}\" y=\"60\" text-anchor=\"end\">{}</text>",
                         kEdge, digits(target.lower, 5), kWidth - kEdge, digits(target.upper, 5));
  drawing += fmt::format("<text x=\"{:.1f}\" y=\"22\" text-anchor=\"middle\">{}</text>",
                         std::clamp(left(value), 40.0, kWidth - 40), rounded_to(value, (upper - lower) / 2));
  return figure_of(drawing, kWidth, 70, "The answer between the public bounds of " + target.name,
                   fmt::format("{} with an interval from {} to {}; bounds {} and {}", digits(value, 5),
                               digits(lower, 5), digits(upper, 5), digits(target.lower, 5), digits(target.upper, 5)),
                   facts.model.interval ? Html("The thick part is the interval.") : Html());
}

Html one_number(const Facts& facts) {
  const schema::TargetUnits units = schema::target_units(facts.model.schema.target);
  const auto unit = [&](double encoded) { return units.middle + units.half_width * encoded; };
  const double value = unit(facts.model.weights.at(0));
  const auto& interval = facts.model.interval;
  const double lower = interval ? unit(interval->lower) : value, upper = interval ? unit(interval->upper) : value;
  const double error = interval ? (upper - lower) / 2 : units.half_width / 1000;
  Html content = paragraph(Html(task_title(facts)) + " is " + strong(rounded_to(value, error)) + ".");
  content += number_picture(facts, value, lower, upper);
  if (!interval) {
    return content + paragraph(
                         "Noise for privacy is part of this number, and no interval was asked for: how far it is off "
                         "is not told here.");
  }
  return content +
         paragraph(fmt::format(
             "The {:g}% interval runs from {} to {}. It counts the noise for privacy and that other people from "
             "the same population would have given another number. Values beyond the public bounds count as "
             "the bound.",
             100 * interval->confidence, rounded_to(lower, error), rounded_to(upper, error)));
}

Html rule(const Facts& facts) {
  return paragraph(Html(facts.model.schema.target.name) + " is predicted positive if") +
         element("p", {{"class", "rule"}}, model::rule_text(facts.model)) +
         paragraph(
             fmt::format("One rule out of {} was chosen. A rule that makes more errors on the rows has smaller odds of "
                         "being chosen, never none.",
                         whole(static_cast<double>(facts.model.plan.task.facts.rules))));
}

Html network(const Facts& facts) {
  const methods::Problem& problem = facts.model.plan.task.problem;
  return paragraph(
             fmt::format("A network with hidden layers of {} units and {} weights. Nobody can read effects off its "
                         "weights; what it says about a row is asked with",
                         fmt::join(problem.hidden, " and "), whole(static_cast<double>(facts.model.weights.size())))) +
         commands({"dperm predict " + facts.name + " ROWS.csv"});
}

// In the words of whoever described the table.
Html meanings(const Facts& facts) {
  const schema::Schema& schema = facts.model.schema;
  std::vector<std::pair<Html, Html>> entries;
  if (!schema.target.description.empty()) entries.emplace_back(schema.target.name, schema.target.description);
  for (const schema::Column& each : schema.columns) {
    if (!each.description.empty() && entries.size() < kMostMeanings) entries.emplace_back(each.name, each.description);
  }
  return entries.empty() ? Html() : terms(entries);
}

Html same_answer(const Facts& facts) {
  if (!facts.one_answer) return {};
  const schema::Target& target = facts.model.schema.target;
  const std::string answer = target.kind == schema::TargetKind::binary
                                 ? (*facts.one_answer == 1 ? "positive" : "negative")
                                 : "'" + target.values.at(*facts.one_answer) + "'";
  return element("div", {{"class", "care"}},
                 paragraph(strong("This model gives everyone the same answer: ") + answer +
                           ". Whatever a row holds, within the schema's bounds it cannot change that."));
}

Html tuning(const Facts& facts) {
  if (!facts.model.tuning) return {};
  if (facts.model.tuning->candidate.empty()) {
    return paragraph(
        "Settings were to be chosen from a grid, but the random number of runs was 0: the weights are a public "
        "default, and nothing else was learned.");
  }
  return paragraph(Html("Settings chosen from a public grid by a private score on rows kept apart: ") +
                   code(facts.model.tuning->candidate) +
                   fmt::format(", score {}, noise {}. Being the best of several, the score flatters a little.",
                               digits(facts.model.tuning->score), digits(facts.model.tuning->noise, 2)));
}

}  // namespace

Html learned_section(const Facts& facts, const Place& place) {
  Html content = meanings(facts) + same_answer(facts);
  switch (facts.form) {
    case methods::ModelForm::linear:
    case methods::ModelForm::multiclass:
      content += facts.one_number ? one_number(facts) : effects(facts, place);
      break;
    case methods::ModelForm::network:
      content += network(facts);
      break;
    case methods::ModelForm::rule:
      content += rule(facts);
      break;
  }
  return content + tuning(facts);
}

}  // namespace dperm::report
