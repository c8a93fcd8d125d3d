// SPDX-License-Identifier: Apache-2.0
// Several models side by side, and what they cost together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/attacker.hpp"
#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

Html model_table(const std::vector<Facts>& models) {
  std::vector<std::vector<Html>> rows;
  for (const Facts& each : models) {
    const auto measured = headline_measure(each);
    rows.push_back(
        {each.name, task_title(each), whole(static_cast<double>(each.model.plan.task.facts.rows)),
         measured ? Html(measured->value + " " + measured->bar + " " + measured->meaning) : Html("not measured"),
         each.keeps_its_promise() ? Html(budget_words(each.total.epsilon, each.total.delta)) : strong("no promise"),
         each.attacker && each.model.is_private ? Html(percent_above(each.attacker->success)) : Html("-"),
         each.verified ? Html("yes") : strong("NO")});
  }
  return table(
      "The models",
      {{"File"}, {"Learned"}, {"Rows", true}, {"How good"}, {"Cost"}, {"Best guess, at most", true}, {"Verified"}},
      rows);
}

struct Sum {
  double epsilon = 0, delta = 0, advantage = 0;
  void add(double more_epsilon, double more_delta, double more_advantage) {
    epsilon = std::nextafter(epsilon + more_epsilon, HUGE_VAL);
    delta = std::nextafter(delta + more_delta, HUGE_VAL);
    advantage = std::nextafter(advantage + more_advantage, HUGE_VAL);
  }
};

// Bounds that several schemas share were paid once.
Sum sum_of(const std::vector<Facts>& models) {
  Sum sum;
  std::set<std::string> counted;
  for (const Facts& each : models) {
    sum.add(each.model.guarantee.epsilon, each.model.guarantee.delta, own_advantage(each.model));
    for (const schema::Inference& inference : each.model.schema.inferred) {
      if (counted.insert(inference.id).second) sum.add(inference.epsilon, inference.delta, advantage(inference));
    }
  }
  return sum;
}

// Where every plan was fixed before the first result was seen, releases compose as one.
std::optional<privacy::Guarantee> decided_beforehand(const std::vector<Facts>& models, double delta) {
  std::vector<privacy::PrivacyEvent> events;
  for (const Facts& each : models) {
    if (!each.model.schema.inferred.empty()) return std::nullopt;
    events.insert(events.end(), each.model.events.begin(), each.model.events.end());
  }
  return privacy::account(events, delta);
}

Html cost_words(const std::vector<Facts>& models) {
  const bool promised =
      std::all_of(models.begin(), models.end(), [](const Facts& each) { return each.keeps_its_promise(); });
  if (!promised) {
    return paragraph(strong("Together they promise nothing:") +
                     " at least one of them is not private or does not verify.");
  }
  const bool same = std::all_of(models.begin(), models.end(), [&](const Facts& each) {
    return each.total.neighbours == models[0].total.neighbours && each.model.schema.unit == models[0].model.schema.unit;
  });
  if (!same) {
    return paragraph(
        "Their guarantees are for different neighbours or units, so they cannot simply be added. Count each for "
        "itself, and make the next one for the same unit.");
  }
  const Sum sum = sum_of(models);
  const privacy::Guarantee together{
      .epsilon = sum.epsilon, .delta = sum.delta, .neighbours = models[0].total.neighbours};
  const double success = std::min(attacker_of({}, together, together).success, privacy::right_guesses(sum.advantage));
  Html content = element("p", {{"class", "lead"}},
                         Html("If they were learned from the same people's rows, together they cost ") +
                             strong(budget_words(sum.epsilon, sum.delta)) + ": " +
                             guess_text(success, models[0].model.schema.unit) + ".");
  content +=
      paragraph(fmt::format("Epsilons and deltas are added, which holds also where one model was chosen with the "
                            "results of another in view; bounds "
                            "that were inferred once count once. Neighbours: {}.",
                            word(together.neighbours)));
  if (const auto tight = decided_beforehand(models, sum.delta); tight && tight->epsilon < 0.99 * sum.epsilon) {
    content +=
        paragraph(Html("If all of them had been decided on before the first result was seen: ") +
                  budget_words(tight->epsilon, tight->delta) + fmt::format(" ({} accounting).", tight->accountant));
  }
  return content +
         paragraph("About different people, no one pays for more than the models that their own rows are in.");
}

}  // namespace

Html comparison_section(const std::vector<Facts>& models) { return cost_words(models) + model_table(models); }

}  // namespace dperm::report
