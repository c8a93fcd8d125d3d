// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/controls/controls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "dperm/core/error.hpp"

namespace dperm::audit {

namespace {

struct Control {
  std::string_view name, defect, check;
  Verdict (*run)(bool, const ControlOptions&);
};

constexpr std::array kControls = {
    Control{"half-noise", "half of the planned noise is added", "game", half_noise},
    Control{"no-intercept-penalty", "objective perturbation without a penalty on the intercept", "game",
            no_intercept_penalty},
    Control{"norm-not-squared", "the curvature of a row is taken from its norm instead of its square", "game",
            norm_not_squared},
    Control{"batch-divided-sensitivity", "the noise of a sum over a batch is divided by the size of the batch", "game",
            batch_divided_sensitivity},
    Control{"early-stop-ignored", "descent stops where the exact gradient is small", "replay", early_stop_ignored},
    Control{"fixed-seed", "every fit draws the same noise", "game", fixed_seed},
    Control{"unclipped", "slopes larger than the bound that the noise was made for", "replay", unclipped},
    Control{"permutation-by-places",
            "batches are the same places of the table in every fit, and one record moves all rows", "both",
            permutation_by_places},
    Control{"double-spend", "the mean of two releases, of which one is recorded", "game", double_spend},
    Control{"float-noise", "Laplace noise in floating point, by the logarithm of a 32-bit random number", "game",
            float_noise},
};

}  // namespace

std::vector<std::string> control_names() {
  std::vector<std::string> names;
  for (const Control& each : kControls) names.emplace_back(each.name);
  return names;
}

ControlResult run_control(std::string_view name, const ControlOptions& options) {
  const auto found =
      std::find_if(kControls.begin(), kControls.end(), [&](const Control& each) { return each.name == name; });
  if (found == kControls.end()) {
    throw ArgumentError(
        fmt::format("there is no control '{}'; choose one of: {}", name, fmt::join(control_names(), ", ")));
  }
  ControlResult result{.name = std::string(found->name),
                       .defect = std::string(found->defect),
                       .check = std::string(found->check),
                       .proved = options.epsilon};
  const auto start = std::chrono::steady_clock::now();
  result.broken = found->run(true, options);
  result.right = found->run(false, options);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Verdict judged(const Play& play, double proved, const GameOptions& options) {
  const GameResult game = play_game(play, options);
  return {
      .flagged = game.epsilon > proved,
      .epsilon = game.epsilon,
      .evidence = fmt::format("epsilon is at least {:.3g} with {:.12g}% confidence; {} of {} right where the record is "
                              "there, {} of {} wrong where it is not",
                              game.epsilon, 100 * (1 - options.error), game.guesses.hits, game.guesses.with,
                              game.guesses.alarms, game.guesses.without)};
}

Verdict judged(const Comparison& comparison) {
  if (!comparison.difference.empty()) return {.flagged = true, .evidence = comparison.difference};
  return {.flagged = !comparison.within(),
          .evidence =
              fmt::format("the exact answers are {:.3g} times the declared sensitivity apart", comparison.worst_share)};
}

}  // namespace dperm::audit
