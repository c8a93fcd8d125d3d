// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/attacker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/attacker.hpp"

namespace dperm::report {

namespace {

double up(double share) { return std::clamp(rounded_up(share), 0.0, 1.0); }

}  // namespace

std::vector<double> curve_levels() {
  std::vector<double> result(kToldLevels.begin(), kToldLevels.end());
  for (int i = 0; i <= 40; ++i) {
    const double share = i / 40.0;
    result.push_back(share * share * (3 - 2 * share));
  }
  std::sort(result.begin(), result.end());
  return result;
}

double power_at(const privacy::Guarantee& guarantee, double level) {
  // Both trade-offs of (epsilon, delta): the power of a test of level a is at most e^eps a + delta, and by symmetry
  // at most 1 - e^-eps (1 - a - delta).
  const double grown = std::exp(guarantee.epsilon) * level + guarantee.delta;
  const double missed = std::exp(-guarantee.epsilon) * (1 - level - guarantee.delta);
  return std::min(up(grown), up(1 - rounded_down(std::max(missed, 0.0))));
}

double advantage(const methods::Plan& plan) {
  const auto* const parts =
      plan.events.size() == 1 ? std::get_if<privacy::DisjointPartsEvent>(&plan.events[0].mechanism) : nullptr;
  if (!plan.holdout || parts == nullptr || parts->parts.size() != 2) {
    return privacy::advantage(plan.events, plan.guarantee);
  }
  // The chances that a record trains, and that it judges; of persons a coin decides, else a draw of so many rows.
  const bool persons = plan.holdout->by_persons();
  const double share = plan.holdout->options.share;
  const double training = persons ? 1 - share : static_cast<double>(plan.task.facts.rows);
  const double judging = persons ? share : static_cast<double>(plan.holdout->judgement.rows);
  return rounded_up((training * privacy::advantage(parts->parts[0], plan.guarantee) +
                     judging * privacy::advantage(parts->parts[1], plan.guarantee)) /
                    (training + judging));
}

double own_advantage(const model::Model& model) {
  return model.events == model.plan.events ? advantage(model.plan) : privacy::advantage(model.events, model.guarantee);
}

double advantage(const schema::Inference& inference) {
  return privacy::advantage({}, {.epsilon = inference.epsilon, .delta = inference.delta});
}

double total_advantage(const model::Model& model) {
  double result = own_advantage(model);
  for (const schema::Inference& each : model.schema.inferred) result += advantage(each);
  return result;
}

Attacker attacker_of(std::span<const privacy::PrivacyEvent> events, const privacy::Guarantee& guarantee,
                     const privacy::Guarantee& total, const std::vector<double>& wrong) {
  Attacker result{privacy::right_guesses(privacy::advantage({}, total)), {}, false};
  std::vector<double> right;
  for (const double level : wrong) right.push_back(power_at(total, level));
  // What was inferred before was composed by adding epsilons, so only the total's own curve holds for both.
  const bool alone = total.epsilon <= guarantee.epsilon && total.delta <= guarantee.delta;
  const auto tight = alone ? privacy::attack_rates(events, wrong) : std::nullopt;
  if (tight) {
    for (std::size_t i = 0; i < wrong.size(); ++i) right[i] = std::min(right[i], (*tight)[i]);
    result.success = privacy::right_guesses(privacy::advantage(events, guarantee));
    result.from_events = true;
  }
  for (std::size_t i = 0; i < wrong.size(); ++i) result.curve.push_back({wrong[i], std::max(right[i], wrong[i])});
  return result;
}

Attacker attacker_of(const model::Model& model, const std::vector<double>& levels) {
  Attacker result = attacker_of(model.events, model.guarantee, model::total_guarantee(model), levels);
  if (model.schema.inferred.empty() && !model.plan.holdout) return result;  // it has the advantage already
  const double most = total_advantage(model);
  result.success = std::min(result.success, privacy::right_guesses(most));
  for (privacy::AttackRate& each : result.curve) {
    each.true_positive_rate = std::min(each.true_positive_rate, up(each.false_positive_rate + most));
  }
  return result;
}

std::string percent_above(double share) {
  const double percent = 100 * share;
  const int decimals = percent >= 99.9 ? 2 : 1;
  const double unit = std::pow(10, -decimals);
  // A bound of 53.5 is not to become 53.6 by the last bit of a product.
  return fmt::format("{:.{}f}%", std::min(100.0, std::ceil(percent / unit - 1e-9) * unit), decimals);
}

std::string guess_text(double success, const std::optional<schema::Unit>& unit) {
  return fmt::format("someone who knows all other {} guesses right at most {} of the time (a coin: 50%)",
                     unit ? "people's rows" : "rows", percent_above(success));
}

}  // namespace dperm::report
