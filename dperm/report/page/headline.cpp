// SPDX-License-Identifier: Apache-2.0
// What is read first: a warning where there is one, the task in a sentence, and three numbers.
#include <fmt/format.h>

#include <cmath>

#include "dperm/methods/evaluation/beside_constant.hpp"
#include "dperm/privacy/composition/attacker.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/outlook.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

Html big(const Html& label, const std::string& number, const std::string& under) {
  return element("div", element("dt", label) + element("dd", element("span", {{"class", "big"}}, number) +
                                                                 element("span", {{"class", "under"}}, under)));
}

// What the number is to be read beside.
std::string constant_words(const Facts& facts) {
  const auto beside = methods::beside_constant(facts.judged->all);
  if (!beside || facts.judged->all.find("accuracy") == nullptr) return "";
  if (beside->not_clearly_better()) {
    return fmt::format(". Hardly better than always the same answer ({}): the difference is within the error",
                       percent(beside->constant));
  }
  return fmt::format(". Always the same answer: {}", percent(beside->constant));
}

Html big_quality(const Facts& facts) {
  const schema::TargetUnits units = schema::target_units(facts.model.schema.target);
  if (facts.one_number) {
    const double value = units.middle + units.half_width * facts.model.weights.at(0);
    const auto& interval = facts.model.interval;
    const double width = interval ? units.half_width * (interval->upper - interval->lower) : units.half_width;
    const auto rounded = [&](double x) { return rounded_to(x, width / 2); };
    return big("The answer", rounded(value),
               interval ? fmt::format("{:g}% interval: {} to {}", 100 * interval->confidence,
                                      rounded(units.middle + units.half_width * interval->lower),
                                      rounded(units.middle + units.half_width * interval->upper))
                        : "noise for privacy is part of it; no interval was asked for");
  }
  if (const auto measured = headline_measure(facts)) {
    return big("How good it is", measured->value,
               fmt::format("{} {}, measured privately on {} rows kept out{}", measured->meaning, measured->bar,
                           judged_rows(facts), constant_words(facts)));
  }
  if (const auto outlook = outlook_of(facts.model, facts.model.plan); outlook && facts.verified) {
    return big(outlook->proven ? "How good, proven" : "How good, forecast", outlook->number(),
               outlook->unit + "; not measured on data");
  }
  return big("How good", "not measured", "no rows were kept out, and there is no forecast");
}

Html big_privacy(const Facts& facts) {
  if (!facts.keeps_its_promise()) return big("An attacker's best guess", "no promise", "see the warning above");
  return big("An attacker's best guess", percent_above(facts.attacker->success),
             fmt::format("right at most this often, knowing all other {}; a coin: 50%",
                         facts.model.schema.unit ? "people's rows" : "rows"));
}

// Where epsilon stands among those in use; large ones have a warning of their own.
const char* strictness(double epsilon) {
  return epsilon <= 0.5 ? "; stricter than most"
         : epsilon <= 1 ? "; usual for sensitive records"
         : epsilon < 5  ? "; looser than the 1 that is usual for sensitive records"
                        : "";
}

Html big_cost(const Facts& facts) {
  if (facts.is_unprotected()) return big("Privacy spent", "everything", "there is no noise in it");
  if (!facts.keeps_its_promise()) return big("Privacy spent", "unknown", "see the warning above");
  return big(
      "Privacy spent", "\u03b5 " + epsilon_words(facts.total.epsilon),
      (facts.total.delta > 0 ? fmt::format("delta {}; ", delta_words(facts.total.delta)) : std::string("pure; ")) +
          fmt::format("for one {}{}{}", unit_word(facts), strictness(facts.total.epsilon),
                      facts.model.schema.inferred.empty() ? "" : ", with what its bounds cost before"));
}

Html unverified(const Facts& facts) {
  std::vector<Html> failed;
  for (const model::Check& check : facts.checks) {
    if (!check.passed) failed.push_back(Html(check.what) + ": " + check.detail);
  }
  return element("p", {{"class", "loud"}}, "This file does not verify. Do not rely on it.") +
         paragraph(
             "Its guarantee does not follow from its own schema, task and noise. Numbers below are what the file "
             "claims; nothing is promised to anyone.") +
         list(failed);
}

Html set_aside(const methods::Plan& plan) {
  if (!plan.holdout) return {};
  if (plan.holdout->by_persons()) {
    return Html(
        fmt::format(", less those of about {:.0f}% of the persons, picked at random, who were set aside to test it",
                    100 * plan.holdout->options.share));
  }
  return Html(fmt::format("; {} more, picked at random, were set aside to test it",
                          whole(static_cast<double>(plan.holdout->judgement.rows))));
}

}  // namespace

Html banner(const Facts& facts) {
  Html content;
  if (!facts.verified && !facts.is_unprotected()) content += unverified(facts);
  if (!facts.model.is_private) {
    std::vector<Html> remarks;
    for (const std::string& each : facts.model.remarks) remarks.emplace_back(each);
    content += element("p", {{"class", "loud"}}, "This model is NOT private.") +
               paragraph("Do not publish it, or anything computed from it, if the rows are about people.") +
               list(remarks);
  }
  Html plain;
  if (content.empty()) {
    for (const methods::BudgetWarning& each :
         methods::budget_warnings(facts.model.plan.task.budget, facts.model.plan.task.facts.rows)) {
      if (each.loud) {
        content += element("p", {{"class", "loud"}}, capitalised(each.text) + ".");
      } else {
        plain += paragraph(capitalised(each.text) + ".");
      }
    }
  }
  if (!content.empty())
    content = element("aside", {{"class", "banner"}, {"aria-label", "Warning about " + facts.name}}, content);
  if (!plain.empty())
    content += element("aside", {{"class", "care"}, {"aria-label", "Caution about " + facts.name}}, plain);
  return content;
}

Html headline(const Facts& facts) {
  const schema::Target& target = facts.model.schema.target;
  const methods::Plan& plan = facts.model.plan;
  const Html task = Html(task_title(facts)) + ", learned from " +
                    strong(whole(static_cast<double>(plan.task.facts.rows))) + " rows" + set_aside(plan) + "." +
                    (target.description.empty() ? "" : fmt::format(" {}: {}.", target.name, target.description));
  return element("p", {{"class", "lead"}}, task) +
         element("dl", {{"class", "figures"}}, big_quality(facts) + big_privacy(facts) + big_cost(facts));
}

}  // namespace dperm::report
