// SPDX-License-Identifier: Apache-2.0
// An audit by a single fit: many canaries at once, each one of two rows by its own coin, so that the number of rows
// stays; how many coins can be guessed from what is released? [SNJ23] Note: one_run.md.
#pragma once

#include <cstdint>
#include <memory>

#include "dperm/methods/algorithms.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::audit {

// The probability, at most, that `right` of `guessed` coins or more are guessed by someone who sees an (epsilon,
// delta)-private release about `canaries` coins and may stay silent about the others.
double one_run_p_value(std::uint64_t canaries, std::uint64_t guessed, std::uint64_t right, double epsilon,
                       double delta);

// The largest epsilon that so many right guesses refute, except with probability `error`; 0: none.
double one_run_epsilon(std::uint64_t canaries, std::uint64_t guessed, std::uint64_t right, double delta, double error);

struct OneRun {
  std::uint64_t canaries = 0, guessed = 0, right = 0;
  double epsilon = 0;  // lower bound
  double proved = 0;
};

// Gradient descent on a table in which every canary has a category of its own, its target at one end or the other.
// Guesses are made about a tenth of them, those that stand out.
OneRun one_run_audit(double epsilon, double delta, std::size_t canaries, double error, std::uint64_t seed);

}  // namespace dperm::audit
