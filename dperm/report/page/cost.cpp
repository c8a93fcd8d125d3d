// SPDX-License-Identifier: Apache-2.0
// What was spent: by this model, by what its bounds cost before, and what more would add.
#include <fmt/format.h>

#include <cmath>

#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

std::vector<Html> cost_row(const Html& what, double epsilon, double delta) {
  return {what, epsilon_words(epsilon), delta_words(delta)};
}

}  // namespace

Html cost_section(const Facts& facts, const Place&) {
  if (facts.is_unprotected())
    return paragraph(
        "Everything: the weights left without noise. Shown to anyone but the owner of the rows, no epsilon that was "
        "promised about them is true any more.");
  if (!facts.verified)
    return paragraph("Not known: the file does not verify. Count the budget that was asked for as spent.");
  const privacy::Guarantee& own = facts.model.guarantee;
  std::vector<std::vector<Html>> rows;
  for (const schema::Inference& each : facts.model.schema.inferred) {
    rows.push_back(cost_row(Html(fmt::format("Bounds and values, asked of {} rows before (release ",
                                             whole(static_cast<double>(each.rows)))) +
                                code(each.id.substr(0, 12)) + ")",
                            each.epsilon, each.delta));
  }
  rows.push_back(
      cost_row(facts.model.judgement ? "This model and its evaluation" : "This model", own.epsilon, own.delta));
  if (rows.size() > 1)
    rows.push_back(
        cost_row(strong("In total, if it is the same people's table"), facts.total.epsilon, facts.total.delta));
  Html content = table("What was spent", {{"Release"}, {"Epsilon", true}, {"Delta", true}}, rows);
  std::vector<Html> more = {
      "Predictions, this page and anything else computed from the model cost nothing more.",
      "Another model, table or count from the same rows adds its own epsilon and delta to these."};
  if (!facts.model.schema.inferred.empty()) {
    more.emplace_back("Another model with the same schema does not pay for the bounds again.");
  }
  if (!facts.model.schema.unit) {
    const std::string three = digits(3 * facts.total.epsilon);
    more.emplace_back(fmt::format("A row is the unit: someone with 3 rows is protected at about epsilon {}{}.", three,
                                  facts.total.delta > 0 ? " and a larger delta" : ""));
  }
  more.emplace_back(facts.model.ledger
                        ? "A ledger counts it, under the cap of this table: dperm ledger show tells what is left."
                        : "No running total was kept by the program (a ledger would): whoever holds the rows must add "
                          "up every release.");
  return content + list(more);
}

}  // namespace dperm::report
