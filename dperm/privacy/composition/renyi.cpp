// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"
#include "dperm/privacy/distributions/replaced_sample.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestOrder = 4096;
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

double sampled_gaussian_exponent(const SampledGaussianEvent& e, Neighbours neighbours, const ReplacedSample* replaced,
                                 double order) {
  const double mu = e.contribution / e.sigma;
  const double group = static_cast<double>(std::max<std::uint64_t>(e.group, 1));
  const double whole =
      (order - 1) * order * (neighbours == Neighbours::replace_one ? 4 : 1) * group * group * mu * mu / 2;
  if (e.rate == 1 || e.group > 1) return whole;  // all records take part; a group's sampling earns nothing here
  if (neighbours == Neighbours::add_remove) return std::min(whole, added_exponent(mu, e.rate, order));
  return replaced ? std::min(whole, replaced->exponent(order)) : whole;
}

std::function<double(double)> sampled_gaussian_divergence(const SampledGaussianEvent& e, Neighbours neighbours) {
  if (e.sampling == Sampling::fixed_size && e.rate < 1) return [](double) { return kInfinity; };
  const double mu = rounded_up(e.contribution / e.sigma);
  std::shared_ptr<const ReplacedSample> replaced;
  if (neighbours == Neighbours::replace_one && e.rate < 1 && e.group <= 1 && mu <= ReplacedSample::kLargestMu) {
    replaced = std::make_shared<ReplacedSample>(mu, e.rate);
  }
  return [e, neighbours, replaced](double order) {
    return sampled_gaussian_exponent(e, neighbours, replaced.get(), order) / (order - 1);
  };
}

// What one run costs.
class SelectionBase {
 public:
  explicit SelectionBase(const SelectionEvent& e) : epsilon_(e.base_epsilon), mu_(e.base_mu) {
    for (const std::vector<PrivacyEvent>& events : e.alternatives) {
      divergences_.emplace_back(events);
      // Only a Poisson number of runs asks for deltas.
      if (e.distribution == RepetitionDistribution::poisson) deltas_.emplace_back(events);
    }
  }

  double divergence(double order) const {
    if (mu_ > 0) return order * mu_ * mu_ / 2;
    if (epsilon_ > 0) return order <= 1 ? epsilon_ : std::min(epsilon_, pure_exponent(epsilon_, order) / (order - 1));
    double most = 0;
    for (const RenyiCurve& each : divergences_) most = std::max(most, each.at(order));
    return most;
  }

  double delta(double epsilon) const {
    if (mu_ > 0) return delta_gaussian(epsilon, mu_);
    // Pure: delta of randomised response.
    if (epsilon_ > 0) return std::max(0.0, 1 - std::exp(epsilon - epsilon_)) / (1 + std::exp(-epsilon_));
    double most = 0;
    for (const PrivacyCurve& each : deltas_) most = std::max(most, each.delta(epsilon).upper);
    return most;
  }

 private:
  double epsilon_, mu_;
  std::vector<RenyiCurve> divergences_;
  std::vector<PrivacyCurve> deltas_;
};

double poisson_divergence(double mean, const SelectionBase& base, double order) {
  const double own = base.divergence(order);
  if (own == kInfinity) return kInfinity;
  const double delta = base.delta(std::log1p(1 / (order - 1)));
  // No run at all, the same default either way, is an output too: without it a mean below 1 would earn privacy.
  const double runs = std::log(mean) + (order - 1) * (own + mean * delta);
  return (std::max(0.0, log_sum(runs, -mean)) + 0x1p-50 * (1 + std::abs(runs))) / (order - 1);
}

std::function<double(double)> selection_divergence(const SelectionEvent& e) {
  const auto base = std::make_shared<const SelectionBase>(e);
  if (e.distribution == RepetitionDistribution::poisson) {
    return [base, mean = e.parameter](double order) { return poisson_divergence(mean, *base, order); };
  }
  const double log_inverse = -std::log(e.parameter);
  double best = log_inverse;  // order 1
  for (double other = 1.01; other < 1e4; other *= 1.02) {
    best = std::min(best, (1 - 1 / other) * base->divergence(other) + log_inverse / other);
  }
  const double runs = e.shape == 0
                          ? (1 / e.parameter - 1) / log_inverse
                          : e.shape * (1 - e.parameter) / (e.parameter * -std::expm1(e.shape * std::log(e.parameter)));
  return [base, fixed = (1 + e.shape) * best, runs](double order) {
    return base->divergence(order) + fixed + std::log(runs) / (order - 1);
  };
}

// All other events.
double plain_divergence(const PrivacyEvent& event, double order) {
  if (const auto* e = std::get_if<GaussianEvent>(&event.mechanism)) {
    const double mu = e->l2_sensitivity / e->sigma;
    return order * mu * mu / 2;
  }
  if (const auto* e = std::get_if<ObjectivePerturbationEvent>(&event.mechanism)) {
    const double mu = mu_objective(e->objective);
    return mu > 0 && e->slack_delta == 0 ? order * mu * mu / 2 : kInfinity;
  }
  const double epsilon = pure_epsilon_once(event);
  if (std::isinf(epsilon)) return kInfinity;
  const double pure = std::min(epsilon, pure_exponent(epsilon, order) / (order - 1));
  const bool bounded_range = std::holds_alternative<ExponentialEvent>(event.mechanism);
  return bounded_range ? std::min(pure, order * epsilon * epsilon / 8) : pure;
}

// Of the dearest part, at every order.
std::function<double(double)> parts_divergence(const DisjointPartsEvent& e) {
  std::vector<RenyiCurve> curves;
  for (const std::vector<PrivacyEvent>& events : e.parts) curves.emplace_back(events);
  return [curves](double order) {
    double most = 0;
    for (const RenyiCurve& each : curves) most = std::max(most, each.at(order));
    return most;
  };
}

std::function<double(double)> divergence(const PrivacyEvent& event) {
  if (const auto* e = std::get_if<DisjointPartsEvent>(&event.mechanism)) return parts_divergence(*e);
  if (const auto* e = std::get_if<SelectionEvent>(&event.mechanism)) return selection_divergence(*e);
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism)) {
    return sampled_gaussian_divergence(*e, event.neighbours);
  }
  return [event](double order) { return plain_divergence(event, order); };
}
// [/proof]

// A base described by its releases costs a privacy-loss curve for every order.
bool is_slow(const PrivacyEvent& event) {
  const auto* selection = std::get_if<SelectionEvent>(&event.mechanism);
  return selection && !selection->alternatives.empty();
}

std::vector<double> orders_tried() {
  std::vector<double> orders;
  for (double order = 1.05; order < kLargestOrder;) {
    orders.push_back(order);
    order = order < 2 ? order + 0.05 : order < 32 ? std::floor(order + 1.0000001) : std::floor(order * 1.06);
  }
  return orders;
}

double epsilon_at(const RenyiCurve& curve, double delta, double order) {
  const double total = curve.at(order);
  const double rest = std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1);
  return std::max(0.0, total + rest + kRelativeMargin * (total + 100 / (order - 1)));
}

// The best of all orders; f gives the bound at one.
template <class Function>
RenyiBound best_of_all(const Function& f, const std::vector<double>& orders) {
  RenyiBound best{kInfinity, orders.front()};
  for (const double order : orders) best = std::min(best, RenyiBound{f(order), order});
  return best;
}

// The best of a few, which a golden-section search visits. Where f has one valley it ends in it.
template <class Function>
RenyiBound best_of_few(const Function& f, const std::vector<double>& orders) {
  constexpr double kGolden = 0.381966;
  double low = 0, high = static_cast<double>(orders.size()) - 1;
  const auto at = [&](double x) {
    const double order = orders[static_cast<std::size_t>(x)];
    return RenyiBound{f(order), order};
  };
  double left = low + kGolden * (high - low), right = high - kGolden * (high - low);
  RenyiBound at_left = at(left), at_right = at(right), best = std::min(at_left, at_right);
  while (high - low > 2) {
    if (at_right < at_left) {
      low = left, left = right, at_left = at_right;
      right = high - kGolden * (high - low), at_right = at(right);
    } else {  // also where both are infinite, as they are for large orders
      high = right, right = left, at_right = at_left;
      left = low + kGolden * (high - low), at_left = at(left);
    }
    best = std::min({best, at_left, at_right});
  }
  return best;
}

}  // namespace

RenyiCurve::RenyiCurve(std::span<const PrivacyEvent> events) {
  for (const PrivacyEvent& event : events) {
    parts_.push_back({divergence(event), static_cast<double>(event.repetitions)});
  }
}

double RenyiCurve::at(double order) const {
  require(order > 1 && order < kInfinity, "the order of a Renyi divergence must be above 1");
  double total = 0;
  for (const Part& part : parts_) {
    total += part.repetitions * rounded_up(part.divergence(order));
    if (total == kInfinity) break;
  }
  return rounded_up(total);
}

double renyi_divergence(std::span<const PrivacyEvent> events, double order) { return RenyiCurve(events).at(order); }

RenyiBound renyi_bound(std::span<const PrivacyEvent> events, double delta) {
  require_in_open_range("delta", delta, 0, 1);
  const std::vector<double> orders = orders_tried();
  if (events.empty()) return {0, orders.front()};
  // Each order of a sampled Gaussian is a long sum; privacy-loss distributions are sharper and do not mind.
  const auto sampled = std::count_if(events.begin(), events.end(), [](const PrivacyEvent& event) {
    return std::holds_alternative<SampledGaussianEvent>(event.mechanism);
  });
  if (sampled > kMostSampled) return {kInfinity, orders.front()};
  const RenyiCurve curve(events);
  const auto at = [&](double order) { return epsilon_at(curve, delta, order); };
  return std::any_of(events.begin(), events.end(), is_slow) ? best_of_few(at, orders) : best_of_all(at, orders);
}

double renyi_epsilon(std::span<const PrivacyEvent> events, double delta) { return renyi_bound(events, delta).epsilon; }

double renyi_epsilon_at(std::span<const PrivacyEvent> events, double delta, double order) {
  require_in_open_range("delta", delta, 0, 1);
  return epsilon_at(RenyiCurve(events), delta, order);
}

}  // namespace dperm::privacy
