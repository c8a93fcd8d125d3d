// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/event_law.hpp"
#include "dperm/privacy/gaussian_dp.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestOrder = 4096, kLargestReplacedOrder = 256;
constexpr std::ptrdiff_t kMostSampled = 64;

double log_sum(double a, double b) {
  if (a == -kInfinity) return b;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// [proof privacy_renyi.events]
// (order - 1) times the divergence.
double pure_exponent(double epsilon, double order) {
  // ln(cosh((order - 1/2) epsilon) / cosh(epsilon / 2)); small ones would drown in a difference of logarithms.
  if (order * epsilon < 1) {
    const double excess = std::sinh(order * epsilon / 2) * std::sinh((order - 1) * epsilon / 2);
    return std::log1p(2 * excess / std::cosh(epsilon / 2));
  }
  return log_sum(order * epsilon, -(order - 1) * epsilon) - log_sum(epsilon, 0);
}

// ln sum_k C(order, k) (1-q)^(order-k) q^k e^((k^2-k) mu^2/2) for an integer order.
double sampled_exponent(double mu, double rate, int order) {
  double total = -kInfinity;
  for (int k = 0; k <= order; ++k) {
    const double ways = std::lgamma(order + 1.0) - std::lgamma(k + 1.0) - std::lgamma(order - k + 1.0);
    const double chance = (order - k) * std::log1p(-rate) + k * std::log(rate);
    total = log_sum(total, ways + chance + 0.5 * mu * mu * k * (k - 1.0));
  }
  return total * (1 + 1e-9) + 1e-11 * order;
}

// One record added or removed.
double added_exponent(double mu, double rate, double order) {
  if (order > kLargestOrder) return kInfinity;
  // Convex in the order and 0 at order 1: the chord between integers is an upper bound.
  const int below = static_cast<int>(std::floor(order));
  const double part = order - below;
  const double low = below == 1 ? 0 : sampled_exponent(mu, rate, below);
  return part == 0 ? low : (1 - part) * low + part * sampled_exponent(mu, rate, below + 1);
}

// One record replaced: through the sample without either, by the triangle inequality for Renyi divergences.
double replaced_exponent(double mu, double rate, double order) {
  if (order > kLargestReplacedOrder) return kInfinity;
  double best = kInfinity;
  for (const double p : {1.5, 2.0, 3.0}) {
    const double first = p * order, left = order - 1 / p, second = left * p / (p - 1);
    best = std::min(best, left * added_exponent(mu, rate, first) / (first - 1) +
                              (order - 1) * added_exponent(mu, rate, second) / (second - 1));
  }
  return best * (1 + 1e-12);
}

double sampled_gaussian_exponent(const SampledGaussianEvent& e, Neighbours neighbours, double order) {
  const double mu = e.contribution / e.sigma;
  const bool replaced = neighbours == Neighbours::replace_one;
  const double whole = (order - 1) * order * (replaced ? 4 : 1) * mu * mu / 2;  // all records take part
  if (e.rate == 1) return whole;
  return std::min(whole, replaced ? replaced_exponent(mu, e.rate, order) : added_exponent(mu, e.rate, order));
}

double base_divergence(const SelectionEvent& e, double order) {
  if (e.base_mu > 0) return order * e.base_mu * e.base_mu / 2;
  return order <= 1 ? e.base_epsilon : std::min(e.base_epsilon, pure_exponent(e.base_epsilon, order) / (order - 1));
}

double selection_divergence(const SelectionEvent& e, double order) {
  const double own = base_divergence(e, order);
  if (e.law == RepetitionLaw::poisson) {
    const double epsilon = std::log1p(1 / (order - 1));
    // Pure: delta of randomised response at epsilon.
    const double delta = e.base_mu > 0
                             ? delta_gaussian(epsilon, e.base_mu)
                             : std::max(0.0, 1 - std::exp(epsilon - e.base_epsilon)) / (1 + std::exp(-e.base_epsilon));
    // No run at all, the same default either way, is an output too: without it a mean below 1 would earn privacy.
    const double runs = std::log(e.parameter) + (order - 1) * (own + e.parameter * delta);
    return (std::max(0.0, log_sum(runs, -e.parameter)) + 0x1p-50 * (1 + std::abs(runs))) / (order - 1);
  }
  const double log_inverse = -std::log(e.parameter);
  double best = log_inverse;  // order 1
  for (double other = 1.01; other < 1e4; other *= 1.02) {
    best = std::min(best, (1 - 1 / other) * base_divergence(e, other) + log_inverse / other);
  }
  const double runs = e.shape == 0
                          ? (1 / e.parameter - 1) / log_inverse
                          : e.shape * (1 - e.parameter) / (e.parameter * -std::expm1(e.shape * std::log(e.parameter)));
  return own + (1 + e.shape) * best + std::log(runs) / (order - 1);
}

double divergence(const PrivacyEvent& event, double order) {
  if (const auto* e = std::get_if<GaussianEvent>(&event.mechanism)) {
    const double mu = e->l2_sensitivity / e->sigma;
    return order * mu * mu / 2;
  }
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism)) {
    if (e->sampling == Sampling::fixed_size && e->rate < 1) return kInfinity;
    return sampled_gaussian_exponent(*e, event.neighbours, order) / (order - 1);
  }
  if (const auto* e = std::get_if<SelectionEvent>(&event.mechanism)) return selection_divergence(*e, order);
  if (const auto* e = std::get_if<ObjectivePerturbationEvent>(&event.mechanism)) {
    const double mu = mu_objective(e->objective);
    return mu > 0 && e->slack_delta == 0 ? order * mu * mu / 2 : kInfinity;
  }
  PrivacyEvent single = event;
  single.repetitions = 1;
  const double epsilon = pure_epsilon(std::span(&single, 1));
  const double pure = std::min(epsilon, pure_exponent(epsilon, order) / (order - 1));
  const bool bounded_range = std::holds_alternative<ExponentialEvent>(event.mechanism);
  return bounded_range ? std::min(pure, order * epsilon * epsilon / 8) : pure;
}
// [/proof]

}  // namespace

double renyi_divergence(std::span<const PrivacyEvent> events, double order) {
  require(order > 1 && order < kInfinity, "the order of a Renyi divergence must be above 1");
  double total = 0;
  for (const PrivacyEvent& event : events) {
    total += static_cast<double>(event.repetitions) * rounded_up(divergence(event, order));
    if (total == kInfinity) break;
  }
  return rounded_up(total);
}

double renyi_epsilon(std::span<const PrivacyEvent> events, double delta) {
  require_in_open_range("delta", delta, 0, 1);
  if (events.empty()) return 0;
  // Each order of a sampled Gaussian is a long sum; privacy-loss laws are sharper and do not mind.
  const auto sampled = std::count_if(events.begin(), events.end(), [](const PrivacyEvent& event) {
    return std::holds_alternative<SampledGaussianEvent>(event.mechanism);
  });
  if (sampled > kMostSampled) return kInfinity;
  double best = kInfinity;
  for (double order = 1.05; order < kLargestOrder;) {
    const double total = renyi_divergence(events, order);
    const double rest = std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1);
    best = std::min(best, total + rest + kRelativeMargin * (total + 100 / (order - 1)));
    order = order < 2 ? order + 0.05 : order < 32 ? std::floor(order + 1.0000001) : std::floor(order * 1.06);
  }
  return std::max(0.0, best);
}

}  // namespace dperm::privacy
