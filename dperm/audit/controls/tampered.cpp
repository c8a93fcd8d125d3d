// SPDX-License-Identifier: Apache-2.0
// Broken variants around an unbroken plan: outputs tampered with on their way, seeds and fits used twice.
#include <cmath>
#include <variant>

#include "dperm/audit/controls/controls.hpp"
#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/audit/statistics/noise_family.hpp"
#include "dperm/audit/subjects.hpp"

namespace dperm::audit {

namespace {

// Additive noise shrunk by a factor.
Tamper less_noise(double factor) {
  return [factor](const privacy::Mechanism&, const privacy::WitnessedQuery& query, std::vector<std::int64_t>& output) {
    const auto* sums = std::get_if<std::span<const std::int64_t>>(&query);
    if (sums == nullptr) return;
    for (std::size_t j = 0; j < output.size(); ++j) {
      const std::int64_t exact = (*sums)[j];
      output[j] = exact + std::llround(static_cast<double>(output[j] - exact) * factor);
    }
  };
}

struct Prepared {
  Subject subject;
  Pair pair;
};

Prepared prepared(const char* name, const ControlOptions& options) {
  Subject each = subject(name, options.epsilon);
  Pair pair =
      worst_pair(each.plan, each.encoding, each.rows, {.most_replays = 100, .climbs = 0, .pick_outputs = false}).pair;
  return {std::move(each), std::move(pair)};
}

GameOptions game_options(const methods::Plan& plan, const ControlOptions& options, std::size_t runs) {
  return {.runs = runs,
          .error = options.error,
          .delta = plan.task.budget.delta,
          .gaussian = claims_gaussian(plan),
          .threads = options.threads,
          .seed = options.seed};
}

}  // namespace

Verdict half_noise(bool broken, const ControlOptions& options) {
  const auto [each, pair] = prepared("output-certified", options);
  return judged(best_play(each.plan, pair, broken ? less_noise(0.5) : Tamper{}), each.plan.guarantee.epsilon,
                game_options(each.plan, options, 6000));
}

Verdict batch_divided_sensitivity(bool broken, const ControlOptions& options) {
  const auto [each, pair] = prepared("sgd", options);
  constexpr double kBatch = 5;  // of the subject
  const double noise = broken ? 1 / kBatch : 1;
  GameOptions game = game_options(each.plan, options, 8000);
  game.epsilon_of = [&](double advantage) {
    return epsilon_of_advantage(each.plan.events, advantage, each.plan.task.budget.delta);
  };
  return judged(*sampled_play(each.plan, pair, broken ? less_noise(noise) : Tamper{}, noise),
                each.plan.guarantee.epsilon, game);
}

Verdict fixed_seed(bool broken, const ControlOptions& options) {
  const auto [each, pair] = prepared("output-certified", options);
  const Play play = best_play(each.plan, pair);
  const Play same = [play](bool first, std::uint64_t) { return play(first, 42); };
  return judged(broken ? same : play, each.plan.guarantee.epsilon, game_options(each.plan, options, 6000));
}

Verdict double_spend(bool broken, const ControlOptions& options) {
  const auto [each, pair] = prepared("output-certified", options);
  const Play once = best_play(each.plan, pair);
  const Play twice = [once](bool first, std::uint64_t seed) -> std::vector<double> {
    constexpr std::uint64_t kOther = std::uint64_t{1} << 62;
    return {once(first, seed).front() + once(first, seed + kOther).front()};
  };
  return judged(broken ? twice : once, each.plan.guarantee.epsilon, game_options(each.plan, options, 60000));
}

}  // namespace dperm::audit
