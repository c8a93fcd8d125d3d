// SPDX-License-Identifier: Apache-2.0
// What an attacker who knows both tables computes from one run.
#include <algorithm>
#include <memory>
#include <variant>

#include "dperm/audit/exact/term_density.hpp"
#include "dperm/audit/game/game.hpp"
#include "dperm/audit/game/plays.hpp"
#include "dperm/core/check.hpp"

namespace dperm::audit {

namespace {

// A run of a seeded curator that nobody watches, as fast as fits go.
std::vector<double> plain_weights(const methods::Plan& plan, const data::Dataset& table, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits, plan.guarantee.neighbours, methods::group_of(plan.task.facts));
  return plan.run(table, curator, {{1}, {}}).weights.get();
}

// With outputs given again: the exact answers of both tables on the same path.
Play replayed_play(const methods::Plan& plan, std::shared_ptr<const Tables> tables, const Tamper& tamper) {
  return [plan, tables, tamper](bool first, std::uint64_t seed) -> std::vector<double> {
    const Transcript run = tables->watched(plan, first, {.seed = seed, .tamper = tamper});
    const Transcript other = tables->watched(plan, !first, {.seed = seed, .frozen = &run});
    const auto ratio = first ? log_ratio(run, other) : log_ratio(other, run);
    ensure(ratio.has_value(), "a run without a known density was scored by it");
    return {*ratio};
  };
}

}  // namespace

bool claims_gaussian(const methods::Plan& plan) {
  return std::all_of(plan.events.begin(), plan.events.end(), [](const privacy::PrivacyEvent& event) {
    return privacy::is_gaussian(event) || std::holds_alternative<privacy::ObjectivePerturbationEvent>(event.mechanism);
  });
}

Play weights_play(const methods::Plan& plan, const Pair& pair, const Tamper& tamper) {
  const auto tables = std::make_shared<const Tables>(pair);
  return [plan, tables, tamper](bool first, std::uint64_t seed) {
    if (!tamper) return plain_weights(plan, first ? tables->first : tables->second, seed);
    return tables->watched(plan, first, {.seed = seed, .tamper = tamper, .keep_queries = false}).weights;
  };
}

Play best_play(const methods::Plan& plan, const Pair& pair, const Tamper& tamper) {
  const auto tables = std::make_shared<const Tables>(pair);
  if (const auto density = term_density(plan, pair)) {
    const Play weights = weights_play(plan, pair, tamper);
    return [density, weights](bool first, std::uint64_t seed) -> std::vector<double> {
      return {density->log_ratio(weights(first, seed))};
    };
  }
  const Transcript first = tables->watched(plan, true, {.seed = 1});
  const Transcript second = tables->watched(plan, false, {.seed = 1, .frozen = &first});
  if (const auto play = sampled_play(plan, pair, tamper)) return *play;
  if (!log_ratio(first, second)) return weights_play(plan, pair, tamper);
  if (const auto play = one_choice_play(plan, tables, tamper, first, second)) return *play;
  if (const auto play = same_gap_play(plan, tables, tamper)) return *play;
  return replayed_play(plan, tables, tamper);
}

}  // namespace dperm::audit
