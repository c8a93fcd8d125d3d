// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/audit.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <variant>

#include "dperm/audit/exact/exact_epsilon.hpp"
#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/audit/statistics/noise_family.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::audit {

namespace {

constexpr std::size_t kFewestRuns = 4000, kMostRuns = 2000000, kMostRunsOfLoose = 60000;

SearchOptions search_options(const Subject& subject, const AuditOptions& options, bool pick_outputs) {
  const std::size_t replays = options.search > 0 ? options.search : subject.slow ? 60 : 600;
  return {.seed = options.seed,
          .most_replays = subject.slow ? std::min<std::size_t>(replays, 60) : replays,
          .climbs = replays / 3,
          .pick_outputs = pick_outputs};
}

// Most rows of a sampled release tell nothing, and their random number is noise to the attacker: rows at right angles
// to the canary leave him what the canary adds.
std::optional<Pair> crossed_pair(const Subject& each) {
  const auto& encoding = *each.encoding;
  const auto* event = std::get_if<privacy::SampledGaussianEvent>(&each.plan.events.front().mechanism);
  const bool crossed = encoding.reals().size() >= 2 && !encoding.reals()[0].from_zero && !encoding.has_knots() &&
                       encoding.schema().target.kind != schema::TargetKind::classes;
  if (event == nullptr || event->rate >= 1 || !crossed) return std::nullopt;
  const std::int32_t up = encoding.schema().target.kind == schema::TargetKind::binary ? 1 : kTargetOne;
  Row others{std::vector<std::int16_t>(encoding.reals().size(), 0), {}, up};
  for (const schema::CategoryCode& code : encoding.categories()) others.codes.push_back(code.levels);
  Row canary = others;
  others.reals[0] = 32767;
  canary.reals[0] = -32767;
  canary.reals[1] = 32767;
  Pair pair{each.encoding, Rows(each.rows, others), 0, canary,
            std::min(each.rows, methods::group_of(each.plan.task.facts))};
  std::fill_n(pair.rows.begin(), pair.copies, canary);
  pair.other.target = -up;
  return pair;
}

// The pair of the game: the worst one, or one that shows more in runs that can be counted.
Pair played_pair(const Subject& each, const Found& worst, const AuditOptions& options) {
  if (const auto pair = crossed_pair(each)) return *pair;
  const privacy::Mechanism& mechanism = each.plan.events.front().mechanism;
  const bool choice = std::holds_alternative<privacy::ExponentialEvent>(mechanism) ||
                      std::holds_alternative<privacy::PermuteAndFlipEvent>(mechanism);
  if (!choice) return worst.pair;
  SearchOptions search = search_options(each, options, false);
  search.for_game = true;
  return worst_pair(each.plan, each.encoding, each.rows, search).pair;
}

// A claim about noise beside plain Gaussian DP: that of samples, and that of a density which is Gaussian DP itself and
// from which a sampler is a little away.
std::function<double(double)> claim_of(const methods::Plan& plan) {
  const double delta = plan.task.budget.delta;
  if (is_noise_family(plan.events)) {
    return [events = plan.events, delta](double advantage) { return epsilon_of_advantage(events, advantage, delta); };
  }
  const auto* density = std::get_if<privacy::RegularisedExponentialEvent>(&plan.events.front().mechanism);
  if (density == nullptr || plan.events.size() != 1 || plan.events.front().repetitions != 1) return {};
  const double away = 2 * density->total_variation + std::expm1(2 * density->log_error);
  return [away, delta](double advantage) { return epsilon_of_mu(mu_of_advantage(advantage - away), delta); };
}

}  // namespace

std::size_t runs_needed(const methods::Plan& plan, double error, double reached_share) {
  const boost::math::normal_distribution<double> normal;
  const double epsilon = plan.task.budget.epsilon, delta = plan.task.budget.delta;
  const bool about_noise = claims_gaussian(plan) || claim_of(plan);
  // Bounds give way by so many standard deviations, and chance takes two more.
  const double far = boost::math::quantile(boost::math::complement(normal, about_noise ? error : error / 2));
  double counted = 0;
  if (about_noise && delta > 0) {
    // Right guesses near a half: a standard deviation of mu is sqrt(pi / runs).
    const double attained = privacy::mu_for(epsilon, delta), shown = privacy::mu_for(0.8 * epsilon, delta);
    const double reached = std::min(reached_share, 1.0) * attained - shown;
    const double spare = reached > 0.25 * (attained - shown) ? reached : attained - shown;
    counted = std::numbers::pi * std::pow((far + 2) / spare, 2);
  } else {
    // Outputs of nearly the largest loss: in one dimension half of them, in more those that lie in the row's direction,
    // of choices those that few candidates share.
    const bool one_sum = std::holds_alternative<privacy::DiscreteLaplaceEvent>(plan.events.front().mechanism);
    const double share = one_sum ? 0.5 : 0.06, seen = one_sum ? 0.99 : 0.93;
    const double alarms = share * std::exp(-seen * epsilon);
    const double hit_spread = std::sqrt((1 - share) / share), alarm_spread = std::sqrt((1 - alarms) / alarms);
    const double spread = far * (hit_spread + alarm_spread) + 2 * std::hypot(hit_spread, alarm_spread);
    counted = std::pow(spread / ((seen - 0.8) * epsilon), 2);
  }
  return static_cast<std::size_t>(
      std::clamp(2 * counted, static_cast<double>(kFewestRuns), static_cast<double>(kMostRuns)));
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
  std::size_t runs = options.runs > 0 ? options.runs : runs_needed(each.plan, options.error, drawn.share);
  // Where the worst pair that is known is far from the bound, more runs show no more.
  const std::size_t most_runs = each.most_runs == 0 && !each.tight ? kMostRunsOfLoose : each.most_runs;
  if (options.runs == 0 && most_runs > 0) runs = std::min(runs, most_runs);
  GameOptions game{.runs = runs,
                   .error = options.error,
                   .delta = result.delta,
                   .gaussian = claims_gaussian(each.plan),
                   .threads = options.threads,
                   .seed = options.seed};
  if (!game.gaussian && result.delta > 0) game.epsilon_of = claim_of(each.plan);
  result.game = play_game(best_play(each.plan, played_pair(each, drawn, options)), game);
  return result;
}

MethodAudit audit_subject(std::string_view name, const AuditOptions& options) {
  return audit_plan(subject(name, options.epsilon), options);
}

}  // namespace dperm::audit
