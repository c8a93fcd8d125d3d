// SPDX-License-Identifier: Apache-2.0
// Proof note: dperm/privacy/composition/renyi.md.
#include "dperm/privacy/distributions/replaced_sample.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/privacy/distributions/normal_mass.hpp"

namespace dperm::privacy {
namespace {

// Cells reach from -(kLeft + mu) to kRight; beyond it masses would leave the range of doubles.
constexpr double kLeft = 10, kRight = 36, kCellsAUnit = 64;
constexpr double kLeftMass = 7.7e-24;  // above Phi(-kLeft)
constexpr double kMassError = 0x1p-37;
constexpr double kLargestProduct = 500;

// [proof privacy_renyi.replaced]
// ln(dP/dQ) at x: ln((d + c e^(mu x)) / (d + c e^(-mu x))), d = 1 - q, c = q e^(-mu^2/2). Odd; below 0 the logarithm
// would be that of a difference.
double loss_at(double x, double mu, double rate) {
  if (x < 0) return -loss_at(-x, mu, rate);
  const double c = rate * std::exp(-mu * mu / 2);
  return std::log1p(2 * c * std::sinh(mu * x) / (1 - rate + c * std::exp(-mu * x)));
}

// e^(order l) - 1 - order (e^l - 1), not negative; rounded up.
double excess(double order, double loss) {
  const double value = std::expm1(order * loss) - order * std::expm1(loss);
  return std::max(0.0, value) * (1 + 1e-9) + 0x1p-50 * (std::abs(order * loss) + std::abs(order * std::expm1(loss)));
}

// The share of a cell's Q-mass that a chord over its ratios dP/dQ gives to the upper end, moved towards the end farther
// from ratio 1 by what the masses may be off.
double upper_share(double ratio, double lower_loss, double upper_loss) {
  const double width = std::expm1(upper_loss - lower_loss);
  const double outward = lower_loss >= 0 ? kMassError : -kMassError;
  return std::clamp((ratio * std::exp(-lower_loss) - 1 + outward) / width, 0.0, 1.0);
}

}  // namespace

ReplacedSample::ReplacedSample(double mu, double rate) : mu_(mu), rate_(rate) {
  require(mu > 0 && mu <= kLargestMu && rate > 0 && rate < 1, "a sampled release needs 0 < rate < 1 and 0 < mu <= 8");
  const double step = 1 / (kCellsAUnit * std::max(1.0, mu));
  const auto first = static_cast<long>(-std::ceil((kLeft + mu) / step)),
             last = static_cast<long>(std::ceil(kRight / step));
  nodes_.reserve(static_cast<std::size_t>(last - first + 1));
  nodes_.push_back({loss_at(static_cast<double>(first) * step, mu, rate), 0});
  for (long i = first; i < last; ++i) {
    const double a = static_cast<double>(i) * step, b = static_cast<double>(i + 1) * step;
    const double common = (1 - rate) * normal_mass(a, b);
    const double p = common + rate * normal_mass(a - mu, b - mu), q = common + rate * normal_mass(a + mu, b + mu);
    Node& lower = nodes_.back();
    Node upper{loss_at(b, mu, rate), 0};
    const double share = upper_share(p / q, lower.loss, upper.loss);
    lower.weight += q * (1 - share);
    upper.weight = q * share;
    nodes_.push_back(upper);
  }
}

// E_Q (dP/dQ)^order beyond kRight: there dP/dN(0) <= C e^(mu x) and dQ/dN(0) >= 1 - q.
double ReplacedSample::tail(double order) const {
  const double c = rate_ * std::exp(-mu_ * mu_ / 2) + (1 - rate_) * std::exp(-mu_ * kRight);
  const double short_of = std::max(0.0, kRight - order * mu_);
  return std::exp(order * std::log(c) - (order - 1) * std::log1p(-rate_) +
                  (order * order * mu_ * mu_ - short_of * short_of) / 2);
}

double ReplacedSample::exponent(double order) const {
  double sum = tail(order) + (order - 1) * kLeftMass;
  for (const Node& node : nodes_) {
    const double product = order * node.loss;
    sum +=
        product < kLargestProduct ? node.weight * excess(order, node.loss) : std::exp(std::log(node.weight) + product);
  }
  return std::log1p(sum * (1 + 1e-9));
}
// [/proof]

}  // namespace dperm::privacy
