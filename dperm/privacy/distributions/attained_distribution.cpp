// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/attained_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kMostBlocks = 512;

// The distribution of (p, q) masses, one pair per outcome.
Distribution distribution_of_outcomes(const std::vector<Masses>& outcomes) {
  std::vector<Atom> atoms;
  for (const Masses& m : outcomes) {
    if (m.p > 0 && m.q > 0) atoms.push_back({std::log(m.p / m.q), m.p});
  }
  std::sort(atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) { return a.loss < b.loss; });
  return atoms_distribution(std::move(atoms), 0);
}

double ratio(const auto& e) {
  return static_cast<double>(e.scale_numerator) / static_cast<double>(e.scale_denominator);
}

// [proof privacy_loss_distribution.attained]
// The integers strictly between 0 and `change` in at most kMostBlocks blocks [from, to].
std::vector<std::pair<double, double>> blocks_inside(std::uint64_t change) {
  std::vector<std::pair<double, double>> blocks;
  if (change < 2) return blocks;
  const std::uint64_t inside = change - 1, length = inside / kMostBlocks + (inside % kMostBlocks != 0 ? 1 : 0);
  std::uint64_t left = inside;  // counted down: a block's end could pass the largest integer
  while (left > 0) {
    const std::uint64_t taken = std::min(length, left), from = change - left;
    blocks.emplace_back(static_cast<double>(from), static_cast<double>(from + taken - 1));
    left -= taken;
  }
  return blocks;
}

struct Attained {
  Neighbours neighbours;

  // Discrete Laplace about `l1_sensitivity` against the same about 0; outcomes inside are told apart in blocks.
  Distribution operator()(const DiscreteLaplaceEvent& e) const {
    const double a = 1 / ratio(e), change = static_cast<double>(e.l1_sensitivity), end = 1 / (1 + std::exp(-a));
    std::vector<Masses> outcomes{{end * std::exp(-a * change), end}, {end, end * std::exp(-a * change)}};
    for (const auto& [from, to] : blocks_inside(e.l1_sensitivity)) {
      const double mass = -end * std::expm1(-a * (to - from + 1));
      outcomes.push_back({mass * std::exp(-a * (change - to)), mass * std::exp(-a * from)});
    }
    return distribution_of_outcomes(outcomes);
  }

  // One coordinate, an integer that changes by `change`, with rounded Laplace noise.
  Distribution operator()(const KNormEvent& e) const {
    const double change = std::floor(std::min(e.l2_sensitivity, 0x1p52));
    if (!(change >= 1)) return nullptr;
    const Distribution base = laplace_distribution(change / e.scale);
    const auto loss = [&](double x) { return (2 * x - change) / e.scale; };
    std::vector<Masses> outcomes{base->between(-kInfinity, loss(0.5)), base->between(loss(change - 0.5), kInfinity)};
    for (const auto& [from, to] : blocks_inside(static_cast<std::uint64_t>(change))) {
      outcomes.push_back(base->between(loss(from - 0.5), loss(to + 0.5)));
    }
    return distribution_of_outcomes(outcomes);
  }

  // Two candidates whose costs differ by the whole part of half the range, first one way and then the other.
  Distribution operator()(const ExponentialEvent& e) const {
    const double a = 1 / ratio(e), below = static_cast<double>(e.range / 2);
    const double above = static_cast<double>(e.range - e.range / 2);
    const auto chance = [](double x) { return 1 / (1 + std::exp(-x)); };
    return distribution_of_outcomes({{chance(a * above), chance(-a * below)}, {chance(-a * above), chance(a * below)}});
  }

  // Two candidates with equal costs against costs that differ by the range.
  Distribution operator()(const PermuteAndFlipEvent& e) const {
    const double seldom = std::exp(-static_cast<double>(e.range) / ratio(e)) / 2;
    return distribution_of_outcomes({{0.5, seldom}, {0.5, 1 - seldom}});
  }

  // All other records at one end: replacing one of them by its opposite moves the sum when it is in the sample.
  Distribution operator()(const SampledGaussianEvent& e) const {
    const double mu = e.contribution / e.sigma;
    if (e.group > 1) {
      if (!group_distribution_is_attained(mu, e.rate, e.group)) return nullptr;
      if (neighbours == Neighbours::replace_one) return group_replace_distribution(mu, e.rate, e.group);
      return group_removal_distribution(mu, e.rate, e.group);
    }
    if (e.sampling == Sampling::fixed_size) return sampled_distribution(gaussian_distribution(2 * mu), e.rate);
    if (neighbours == Neighbours::replace_one) return sampled_gaussian_replace_distribution(mu, e.rate);
    return sampled_distribution(gaussian_distribution(mu), e.rate);
  }
  Distribution operator()(const SampledLaplaceEvent& e) const {
    const double epsilon = e.contribution / e.scale;
    const bool twice = e.sampling == Sampling::fixed_size || (neighbours == Neighbours::replace_one && e.rate == 1);
    return sampled_distribution(laplace_distribution(twice ? 2 * epsilon : epsilon), e.rate);
  }

  Distribution operator()(const RandomisedResponseEvent& e) const { return pure_distribution(e.epsilon); }
  Distribution operator()(const GaussianEvent& e) const { return gaussian_distribution(e.l2_sensitivity / e.sigma); }
  Distribution operator()(const auto&) const { return nullptr; }
};
// [/proof]

}  // namespace

Distribution attained_distribution(const PrivacyEvent& event) {
  return std::visit(Attained{event.neighbours}, event.mechanism);
}

}  // namespace dperm::privacy
