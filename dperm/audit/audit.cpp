// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/audit.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "dperm/audit/exact/exact_epsilon.hpp"
#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::audit {

namespace {

constexpr std::size_t kFewestRuns = 4000, kMostRuns = 2000000;

SearchOptions search_options(const Subject& subject, const AuditOptions& options, bool pick_outputs) {
  const std::size_t replays = options.search > 0 ? options.search : subject.slow ? 60 : 600;
  return {.seed = options.seed,
          .most_replays = subject.slow ? std::min<std::size_t>(replays, 60) : replays,
          .climbs = replays / 3,
          .pick_outputs = pick_outputs};
}

}  // namespace

std::size_t runs_needed(const methods::Plan& plan, double error) {
  const boost::math::normal_distribution<double> normal;
  const double far = boost::math::quantile(boost::math::complement(normal, error / 2));
  const double epsilon = plan.task.budget.epsilon, delta = plan.task.budget.delta;
  double wanted = 0;
  if (claims_gaussian(plan) && delta > 0) {
    // Two rates near a half, each of half the runs: the bound of mu gives way by far * 2 * sqrt(2 pi / 4) /
    // sqrt(runs/2).
    const double spare = privacy::mu_for(epsilon, delta) - privacy::mu_for(0.85 * epsilon, delta);
    wanted = 2 * std::pow(far * 2.6 / spare, 2);
  } else {
    // A rate of e^-epsilon / 2 to a tenth of epsilon.
    wanted = 2 * std::pow(far / (0.1 * epsilon), 2) * 2 * std::exp(epsilon) * 2;
  }
  return static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(kFewestRuns), static_cast<double>(kMostRuns)));
}

MethodAudit audit_plan(const Subject& each, const AuditOptions& options) {
  MethodAudit result{.name = each.name, .proved = each.plan.guarantee.epsilon, .delta = each.plan.task.budget.delta};
  const Found drawn = worst_pair(each.plan, each.encoding, each.rows, search_options(each, options, false));
  result.share = drawn.share;
  result.comparison = drawn.comparison;
  result.exact = exact_epsilon(each.plan, drawn.pair, drawn.comparison);
  if (drawn.comparison.declared_mu > 0 && !each.slow) {
    const Found picked = worst_pair(each.plan, each.encoding, each.rows, search_options(each, options, true));
    if (picked.share > result.share) {
      result.share = picked.share;
      result.comparison = picked.comparison;
    }
  }
  const std::size_t runs = options.runs > 0 ? options.runs : runs_needed(each.plan, options.error);
  result.game = play_game(best_play(each.plan, drawn.pair),
                          {.runs = each.slow ? std::min<std::size_t>(runs, kFewestRuns / 4) : runs,
                           .error = options.error,
                           .delta = result.delta,
                           .gaussian = claims_gaussian(each.plan),
                           .threads = options.threads,
                           .seed = options.seed});
  return result;
}

MethodAudit audit_subject(std::string_view name, const AuditOptions& options) {
  return audit_plan(subject(name, options.epsilon), options);
}

}  // namespace dperm::audit
