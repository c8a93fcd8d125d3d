// SPDX-License-Identifier: Apache-2.0
// What is promised to the people in the table: in words, in numbers and as an attacker's curve.
#include <fmt/format.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

constexpr double kMarked = 0.05;  // of the told levels, in the picture

privacy::AttackRate at(const Attacker& attacker, double level) {
  for (const privacy::AttackRate& each : attacker.curve) {
    if (each.false_positive_rate == level) return each;
  }
  throw InternalError("a curve without the levels that are told");
}

Html attacker_picture(const Facts& facts) {
  std::vector<Point> points;
  for (const auto& [wrong, right] : facts.attacker->curve) points.push_back({wrong, right});
  const auto [level, found] = at(*facts.attacker, kMarked);
  const std::string marked =
      fmt::format("at {:g}% false alarms at most {} are found", 100 * level, percent_above(found));
  Plot plot({0, 1, "false alarms", true}, {0, 1, "found", true});
  plot.area(points);
  plot.line({{0, 0}, {1, 1}}, "dashed");
  plot.line(points, "curve");
  plot.words({0.72, 0.60}, "guessing");
  plot.dot({level, found}, 0, 0, marked);
  return plot.figure(
      "What an attacker can reach",
      fmt::format("Largest share of hits against share of false alarms, for anyone who decides between two "
                  "values of one {}. The dashed diagonal is guessing; {}.",
                  unit_word(facts), marked),
      Html("Vertical: how often an attacker says \"it was this value\" when it was; horizontal: how often when it was "
           "the other. No attacker passes the curve; the dashed diagonal is guessing. The closer they are, the "
           "better. ") +
          (facts.attacker->from_events ? "Computed from the recorded noise."
                                       : "Computed from epsilons and deltas where the noise does not tell more."));
}

Html attacker_table(const Attacker& attacker) {
  std::vector<std::vector<Html>> rows;
  for (const double level : kToldLevels) {
    const std::string wrong = fmt::format("{:g}%", 100 * level);
    rows.push_back({wrong, percent_above(at(attacker, level).true_positive_rate), wrong});
  }
  return table("What an attacker finds", {{"False alarms allowed"}, {"Found, at most", true}, {"By guessing", true}},
               rows);
}

std::string who(const Facts& facts) {
  const auto& unit = facts.model.schema.unit;
  return unit ? fmt::format("one person: all rows with the same {}, of which the first {} count", unit->column,
                            unit->rows)
              : std::string("one row of the table. If someone has several rows, that person is protected less");
}

// What "two values" may be.
std::string example(const Facts& facts) {
  const schema::Target& target = facts.model.schema.target;
  if (target.kind != schema::TargetKind::binary) return "";
  return fmt::format(" (for instance {} with {} positive, or the same with it negative)",
                     facts.model.schema.unit ? "the person's rows" : "this row", target.name);
}

}  // namespace

Html promise_section(const Facts& facts, const Place&) {
  if (facts.is_unprotected()) {
    return paragraph(strong("Nothing.") +
                     " No noise was added: someone who knows the other rows can compute what the last one holds "
                     "(dperm audit reconstruction shows it). It is for the owner of the rows alone.");
  }
  if (!facts.verified) {
    return paragraph("Nothing. The file claims " +
                     budget_words(facts.model.guarantee.epsilon, facts.model.guarantee.delta) +
                     ", but that does not follow from what it records.");
  }
  const bool secret = facts.model.is_private;
  const bool replaced = facts.total.neighbours == privacy::Neighbours::replace_one;
  const std::string unit = unit_word(facts);
  Html content;
  if (!secret) {
    content +=
        paragraph(strong("Nothing is promised: this model is not private.") +
                  " With secret noise, and nothing exact published beside it, the same plan would promise this:");
  }
  content += element("p", {{"class", "lead"}},
                     Html(facts.model.schema.unit ? "For everyone in the table: " : "For every row of the table: ") +
                         strong(guess_text(facts.attacker->success, facts.model.schema.unit)) +
                         ", about which of two values this " + unit + " had" + example(facts) + ".");
  content += paragraph(fmt::format(
      "This holds whatever the attacker knows or computes, now or later. It is a mean over the noise that might have "
      "been drawn; in the worst case of it, the odds of any belief about one {} change by a factor of at most {} (from "
      "50% to {}){}.",
      unit, digits(std::exp(std::min(facts.total.epsilon, 700.0))),
      percent_above(1 / (1 + std::exp(-facts.total.epsilon))),
      facts.total.delta > 0 ? fmt::format(", but for a chance of about one in {}", digits(1 / facts.total.delta))
                            : ""));
  content += element("div", {{"class", "pictures"}},
                     attacker_picture(facts) + element("div", attacker_table(*facts.attacker)));
  return content +
         terms({{"Guarantee",
                 fmt::format("({})-differential privacy{}", budget_words(facts.total.epsilon, facts.total.delta),
                             facts.total.delta > 0 ? "" : " (pure: no delta)")},
                {"Who is protected", who(facts)},
                {"Neighbours", replaced ? "one " + unit + " replaced by any other; the number of rows is public"
                                        : "one " + unit + " there or left blank; the number of rows is public"},
                {"Accounting", facts.total.accountant}});
}

}  // namespace dperm::report
