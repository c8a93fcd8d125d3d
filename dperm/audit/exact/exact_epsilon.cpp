// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/exact/exact_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dperm/audit/exact/term_density.hpp"
#include "dperm/audit/statistics/bounds.hpp"

namespace dperm::audit {

namespace {

// Far out losses are straight and log-ratios settle: starts at all sizes along both rows, then small changes.
double climbed_loss(const TermDensity& density, const Pair& pair) {
  std::vector<double> best(pair.encoding->dimension(), 0.0);
  double most = std::fabs(density.log_ratio(best));
  const auto consider = [&](const std::vector<double>& weights) {
    const double loss = std::fabs(density.log_ratio(weights));
    if (loss > most) {
      most = loss;
      best = weights;
    }
  };
  const auto first = features(*pair.encoding, pair.row()), second = features(*pair.encoding, pair.other);
  for (const double size : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    for (const double along : {-1.0, 0.0, 1.0}) {
      for (const double other : {-1.0, 0.0, 1.0}) {
        std::vector<double> weights(first.size());
        for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = size * (along * first[j] + other * second[j]);
        consider(weights);
      }
    }
  }
  random::SeededBits bits(1);
  for (int step = 0; step < 2000; ++step) {
    std::vector<double> weights = best;
    const double size = std::ldexp(1.0, 4 - static_cast<int>(bits.next() % 20));
    for (double& each : weights) each += size * (static_cast<double>(bits.next() >> 11) * 0x1p-52 - 1);
    consider(weights);
  }
  return most;
}

}  // namespace

std::optional<double> exact_epsilon(const methods::Plan& plan, const Pair& pair, const Comparison& comparison) {
  if (plan.events.empty()) return std::nullopt;
  const privacy::PrivacyEvent& event = plan.events.front();
  if (std::holds_alternative<privacy::PureObjectiveEvent>(event.mechanism)) {
    if (const auto density = term_density(plan, pair)) return climbed_loss(*density, pair);
  }
  if (plan.events.size() != 1 || event.repetitions != 1) return std::nullopt;
  if (std::holds_alternative<privacy::GaussianEvent>(event.mechanism)) {
    return epsilon_of_mu(comparison.mu, plan.task.budget.delta);
  }
  const bool pure = std::holds_alternative<privacy::KNormEvent>(event.mechanism) ||
                    std::holds_alternative<privacy::DiscreteLaplaceEvent>(event.mechanism) ||
                    std::holds_alternative<privacy::ExponentialEvent>(event.mechanism);
  // Of exponential noise and choices the loss is in proportion to the distance, and attained.
  if (pure) return comparison.worst_share * plan.guarantee.epsilon;
  return std::nullopt;
}

}  // namespace dperm::audit
