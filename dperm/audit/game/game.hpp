// SPDX-License-Identifier: Apache-2.0
// The distinguishing game: a plan runs many times on two neighbouring tables, and someone who knows both says which it
// was. How to say it is settled on one half of the runs; the other half counts the guesses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dperm/audit/replay/pair.hpp"
#include "dperm/audit/statistics/bounds.hpp"

namespace dperm::audit {

// What an attacker sees of one run on the first or on the second table, as numbers: one number is a score, of which
// more speaks for the first table; several are combined. Any thread may call it; the same arguments give the same
// numbers.
using Play = std::function<std::vector<double>(bool first, std::uint64_t seed)>;

struct GameOptions {
  std::size_t runs = 10000;  // on each table, both halves together
  double error = 1e-3;       // the chance that the bound is wrong
  double delta = 0;
  bool gaussian = false;  // the claim is Gaussian DP: bound mu, and epsilon at delta from it
  // The claim is another one about noise: what an advantage of a test says about epsilon (noise_family.hpp).
  std::function<double(double advantage)> epsilon_of = {};
  int threads = 0;
  std::uint64_t seed = 1;
};

struct GameResult {
  double threshold = 0;
  Guesses guesses = {};
  double mu = 0;       // lower bound, where the claim is Gaussian DP
  double epsilon = 0;  // lower bound
  std::size_t runs = 0;
  double seconds = 0, cpu_seconds = 0;
  std::vector<double> with = {}, without = {};  // scores of the half that counted
};

GameResult play_game(const Play& play, const GameOptions& options);

// The best score that is known for a plan: the exact privacy loss of everything that left through the curator, where
// densities are known; the exact density at the released weights for a random term; else the released weights.
Play best_play(const methods::Plan& plan, const Pair& pair, const Tamper& tamper = {});
// The released weights alone, whatever the plan.
Play weights_play(const methods::Plan& plan, const Pair& pair, const Tamper& tamper = {});
// Steps over secret samples: the privacy loss of mixtures. `noise` is the part of the planned noise that the attacker
// reckons with. Nothing for other plans.
std::optional<Play> sampled_play(const methods::Plan& plan, const Pair& pair, const Tamper& tamper = {},
                                 double noise = 1);

// Whether the plan's claim is Gaussian DP, or that of one Gaussian term.
bool claims_gaussian(const methods::Plan& plan);

}  // namespace dperm::audit
