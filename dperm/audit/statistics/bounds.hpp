// SPDX-License-Identifier: Apache-2.0
// From counts of right and wrong guesses to lower bounds of epsilon and mu, with a stated chance of error. Note:
// bounds.md.
#pragma once

#include <cstdint>

namespace dperm::audit {

// Bounds of a probability after `hits` of `runs` independent trials, each wrong with probability at most `error`
// [CP34]. hits <= runs, runs >= 1, 0 < error < 1 (otherwise ArgumentError).
double at_least(std::uint64_t hits, std::uint64_t runs, double error);
double at_most(std::uint64_t hits, std::uint64_t runs, double error);

// A test that says "the record is there", fixed before these runs: how often it did so where the record is there, and
// where it is not.
struct Guesses {
  std::uint64_t hits = 0;     // the record is there, and the test says so
  std::uint64_t with = 0;     // runs with the record
  std::uint64_t alarms = 0;   // the record is not there, and the test says so
  std::uint64_t without = 0;  // runs without it
  bool operator==(const Guesses&) const = default;
};

// The two rates, each within its bound; both hold together with probability at least 1 - error.
struct Rates {
  double hits_at_least;
  double alarms_at_most;
};
Rates rates(const Guesses& guesses, double error);

// A release that is (epsilon, delta)-private has epsilon of at least this, except with probability `error`. Both
// directions of the test are used. 0 where nothing is shown.
double epsilon_at_least(const Guesses& guesses, double delta, double error);

// The true positive rate less the false positive rate of the test is at least this, except with probability `error`; 0
// where nothing is shown. As many runs with the record as without it, error <= 1/4 (otherwise ArgumentError).
double advantage_at_least(const Guesses& guesses, double error);

// A release that is mu-Gaussian-DP has mu of at least this, except with probability `error`: evidence against a claim
// of Gaussian DP, not against (epsilon, delta) alone. As many runs with the record as without it.
double mu_at_least(const Guesses& guesses, double error);
// The smallest mu whose best test has this advantage; 0 for none.
double mu_of_advantage(double advantage);

// The epsilon at `delta` that mu-Gaussian-DP comes to, not above it: a bound from below stays one. 0 < delta < 1.
double epsilon_of_mu(double mu, double delta);

}  // namespace dperm::audit
