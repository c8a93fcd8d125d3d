// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/one_run/one_run.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <string>

#include "dperm/audit/replay/watch.hpp"
#include "dperm/audit/rows.hpp"
#include "dperm/core/check.hpp"

namespace dperm::audit {

// [proof audit_one_run.bound]
double one_run_p_value(std::uint64_t canaries, std::uint64_t guessed, std::uint64_t right, double epsilon,
                       double delta) {
  require(right <= guessed && guessed <= canaries && guessed >= 1, "guesses need canaries, and right ones guesses");
  require(epsilon >= 0 && delta >= 0 && delta <= 1, "epsilon and delta must not be negative, delta at most 1");
  if (right == 0) return 1;
  const boost::math::binomial_distribution<double> coins(static_cast<double>(guessed), 1 / (1 + std::exp(-epsilon)));
  const auto at_least = [&](std::uint64_t count) {  // P[Bin >= count]
    return count == 0 ? 1.0 : boost::math::cdf(boost::math::complement(coins, static_cast<double>(count - 1)));
  };
  const double beta = at_least(right);
  double alpha = 0;
  if (delta > 0) {
    for (std::uint64_t i = 1; i <= right; ++i) {
      alpha = std::max(alpha, (at_least(right - i) - beta) / static_cast<double>(i));
    }
  }
  return std::min(1.0, beta + 2 * static_cast<double>(canaries) * delta * alpha);
}

double one_run_epsilon(std::uint64_t canaries, std::uint64_t guessed, std::uint64_t right, double delta, double error) {
  require(error > 0 && error < 1, "the chance of error must lie strictly between 0 and 1");
  if (one_run_p_value(canaries, guessed, right, 0, delta) >= error) return 0;
  double refuted = 0, stands = 1;
  while (one_run_p_value(canaries, guessed, right, stands, delta) < error) {
    refuted = stands;
    stands *= 2;
    if (stands > 64) return refuted;
  }
  for (int i = 0; i < 50; ++i) {
    const double middle = (refuted + stands) / 2;
    (one_run_p_value(canaries, guessed, right, middle, delta) < error ? refuted : stands) = middle;
  }
  return refuted;
}
// [/proof]

OneRun one_run_audit(double epsilon, double delta, std::size_t canaries, double error, std::uint64_t seed) {
  schema::Schema schema;
  schema::Column own{.name = "canary", .kind = schema::ColumnKind::category};
  own.missing = schema::MissingRule::none;
  for (std::size_t i = 0; i < canaries; ++i) own.values.push_back(std::to_string(i));
  schema.columns.push_back(own);
  schema.target = {.kind = schema::TargetKind::real, .name = "y", .lower = -1, .upper = 1};
  const auto encoding = std::make_shared<const schema::Encoding>(schema);
  methods::Task task;
  task.problem.loss.kind = loss::LossKind::absolute;
  task.problem.feasible_set = {loss::SetKind::ball, 0.5};
  task.facts = methods::facts_of(*encoding, task.problem, canaries);
  task.budget = {epsilon, delta};
  const methods::Plan plan = methods::plan_for(task, methods::GradientDescentOptions{.steps = 20});

  random::SeededBits coins(seed);
  Rows rows;
  for (std::size_t i = 0; i < canaries; ++i) {
    rows.push_back({{}, {static_cast<std::uint32_t>(i)}, (coins.next() & 1) != 0 ? kTargetOne : -kTargetOne});
  }
  const Transcript run = watched_run(plan, dataset_of(encoding, rows), {.seed = seed + 1, .keep_queries = false});
  // The gradient of a canary points away from its target, in a direction that no other row has.
  std::vector<std::pair<double, std::size_t>> scores;
  for (std::size_t i = 0; i < canaries; ++i) {
    double sum = 0;
    for (const Step& step : run.steps)
      sum -= static_cast<double>(step.output[encoding->categories()[0].first_weight + i]);
    scores.emplace_back(sum, i);
  }
  const std::size_t guessed = std::max<std::size_t>(1, canaries / 10);
  std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(guessed), scores.end(),
                    [](const auto& a, const auto& b) { return std::fabs(a.first) > std::fabs(b.first); });
  OneRun result{.canaries = canaries, .guessed = guessed, .proved = plan.guarantee.epsilon};
  for (std::size_t k = 0; k < guessed; ++k) {
    if ((scores[k].first > 0) == (rows[scores[k].second].target > 0)) ++result.right;
  }
  result.epsilon = one_run_epsilon(canaries, guessed, result.right, delta, error);
  return result;
}

}  // namespace dperm::audit
