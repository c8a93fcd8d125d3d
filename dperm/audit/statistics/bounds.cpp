// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/statistics/bounds.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::audit {

namespace {

// Quantiles are good to about 1e-13; the bounds give way by more than that.
constexpr double kSlack = 1e-10;

void check(std::uint64_t hits, std::uint64_t runs, double error) {
  require(runs >= 1 && hits <= runs, "a rate needs runs, and no more hits than runs");
  require(error > 0 && error < 1, "the chance of error must lie strictly between 0 and 1");
}

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal_distribution<double>(), probability);
}

}  // namespace

// [proof audit_bounds.rates]
double at_least(std::uint64_t hits, std::uint64_t runs, double error) {
  check(hits, runs, error);
  if (hits == 0) return 0;
  const double k = static_cast<double>(hits), n = static_cast<double>(runs);
  return boost::math::quantile(boost::math::beta_distribution<double>(k, n - k + 1), error) * (1 - kSlack);
}

double at_most(std::uint64_t hits, std::uint64_t runs, double error) { return 1 - at_least(runs - hits, runs, error); }

Rates rates(const Guesses& guesses, double error) {
  return {at_least(guesses.hits, guesses.with, error / 2), at_most(guesses.alarms, guesses.without, error / 2)};
}
// [/proof]

// [proof audit_bounds.epsilon]
double epsilon_at_least(const Guesses& guesses, double delta, double error) {
  require(delta >= 0 && delta < 1, "delta must be at least 0 and below 1");
  const auto [hits, alarms] = rates(guesses, error);
  const double forward = hits > delta ? std::log((hits - delta) / alarms) : 0;
  const double backward = 1 - alarms > delta && hits < 1 ? std::log((1 - alarms - delta) / (1 - hits)) : 0;
  return std::max({0.0, forward, backward});
}

double advantage_at_least(const Guesses& guesses, double error) {
  require(guesses.with == guesses.without, "right guesses are counted over as many runs with the record as without");
  require(error <= 0.25, "right guesses bound nothing at a confidence below 75%");
  const std::uint64_t right = guesses.hits + guesses.without - guesses.alarms;
  return std::max(0.0, 2 * at_least(right, guesses.with + guesses.without, error) - 1);
}

double mu_of_advantage(double advantage) { return advantage > 0 ? 2 * normal_quantile((1 + advantage) / 2) : 0; }

double mu_at_least(const Guesses& guesses, double error) { return mu_of_advantage(advantage_at_least(guesses, error)); }

double epsilon_of_mu(double mu, double delta) {
  // The library rounds up; two parts in 2^40 are more than that.
  return mu > 0 ? privacy::epsilon_gaussian(mu, delta) * (1 - 0x1p-39) : 0;
}
// [/proof]

}  // namespace dperm::audit
