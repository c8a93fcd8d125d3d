// SPDX-License-Identifier: Apache-2.0
// Positive controls: deliberately broken variants that the audit must catch, each beside the right one that the same
// check must pass. They live here and in tests alone; no plan can be made of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/audit/game/game.hpp"

namespace dperm::audit {

struct ControlOptions {
  double epsilon = 1;
  double error = 1e-3;
  int threads = 0;
  std::uint64_t seed = 1;
};

// What a check found out about one variant.
struct Verdict {
  bool flagged = false;
  double epsilon = 0;    // lower bound, of checks that play a game
  std::string evidence;  // one sentence
};

struct ControlResult {
  std::string name;
  std::string defect;  // what is wrong with it
  std::string check;   // "game", "replay" or "both"
  double proved = 0;   // the epsilon that is claimed
  Verdict broken = {}, right = {};
  double seconds = 0;
  bool caught() const { return broken.flagged && !right.flagged; }
};

std::vector<std::string> control_names();
// ArgumentError for an unknown name.
ControlResult run_control(std::string_view name, const ControlOptions& options);

// For the controls: a game's verdict on a claim of epsilon.
Verdict judged(const Play& play, double proved, const GameOptions& options);
Verdict judged(const Comparison& comparison);

// One variant of each family; `broken` is false for the right one beside it.
Verdict half_noise(bool broken, const ControlOptions& options);
Verdict batch_divided_sensitivity(bool broken, const ControlOptions& options);
Verdict fixed_seed(bool broken, const ControlOptions& options);
Verdict double_spend(bool broken, const ControlOptions& options);
Verdict early_stop_ignored(bool broken, const ControlOptions& options);
Verdict unclipped(bool broken, const ControlOptions& options);
Verdict no_intercept_penalty(bool broken, const ControlOptions& options);
Verdict norm_not_squared(bool broken, const ControlOptions& options);
Verdict permutation_by_places(bool broken, const ControlOptions& options);
Verdict float_noise(bool broken, const ControlOptions& options);

}  // namespace dperm::audit
