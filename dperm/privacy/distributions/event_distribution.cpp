// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/event_distribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/distributions/attained_distribution.hpp"
#include "dperm/privacy/distributions/event_family.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::privacy {
namespace {

constexpr std::size_t kMostDistinct = 64, kMostDistributions = 256;

// [proof privacy_loss_distribution.events]
DistributionCount sampled_gaussian(const SampledGaussianEvent& e, Neighbours neighbours) {
  const double mu = e.contribution / e.sigma;
  if (e.sampling == Sampling::fixed_size)
    return {fixed_size_distribution(gaussian_distribution(2 * mu), e.rate), nullptr, 1};
  if (e.group > 1 && e.rate < 1) {
    if (neighbours == Neighbours::replace_one) return {group_replace_distribution(mu, e.rate, e.group), nullptr, 1};
    const Distribution removed = group_removal_distribution(mu, e.rate, e.group);
    return {removed, reversed_distribution(removed), 1};
  }
  if (neighbours == Neighbours::replace_one) return {sampled_gaussian_replace_distribution(mu, e.rate), nullptr, 1};
  const Distribution removed = sampled_distribution(gaussian_distribution(mu), e.rate);
  return {removed, e.rate < 1 ? reversed_distribution(removed) : nullptr, 1};
}

DistributionCount sampled_laplace(const SampledLaplaceEvent& e, Neighbours neighbours) {
  const double epsilon = e.contribution / e.scale;
  if (e.sampling == Sampling::fixed_size)
    return {fixed_size_distribution(laplace_distribution(2 * epsilon), e.rate), nullptr, 1};
  if (neighbours == Neighbours::replace_one) {
    if (e.rate == 1) return {laplace_distribution(2 * epsilon), nullptr, 1};
    return {pure_distribution(sampled_laplace_epsilon(e, neighbours)), nullptr, 1};
  }
  const Distribution removed = sampled_distribution(laplace_distribution(epsilon), e.rate);
  return {removed, e.rate < 1 ? reversed_distribution(removed) : nullptr, 1};
}

}  // namespace

DistributionCount distribution_of(const PrivacyEvent& event) {
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism))
    return sampled_gaussian(*e, event.neighbours);
  if (const auto* e = std::get_if<SampledLaplaceEvent>(&event.mechanism)) return sampled_laplace(*e, event.neighbours);
  if (const auto* e = std::get_if<ObjectivePerturbationEvent>(&event.mechanism)) {
    return {objective_distribution(e->objective), nullptr, 1};
  }
  if (std::holds_alternative<ExponentialEvent>(event.mechanism))
    return {bounded_range_distribution(pure_epsilon_once(event)), nullptr, 1};
  if (std::holds_alternative<PermuteAndFlipEvent>(event.mechanism))
    return {laplace_distribution(pure_epsilon_once(event)), nullptr, 1};
  return {pure_distribution(pure_epsilon_once(event)), nullptr, 1};
}
// [/proof]

namespace {

bool attained(const PrivacyEvent& event) {
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism)) {
    if (e->group > 1) return group_distribution_is_attained(e->contribution / e->sigma, e->rate, e->group);
    return e->sampling == Sampling::poisson;
  }
  if (const auto* e = std::get_if<SampledLaplaceEvent>(&event.mechanism)) {
    return e->sampling == Sampling::poisson && (e->rate == 1 || event.neighbours == Neighbours::add_remove);
  }
  return std::holds_alternative<RandomisedResponseEvent>(event.mechanism);
}

// Orders mechanisms so that equal ones are neighbours: by their fields in turn.
using Key = std::array<std::uint64_t, 8>;
Key key_of(const Mechanism& mechanism) {
  Key key{std::uint64_t{mechanism.index()}};
  std::size_t used = 1;
  const auto append = [&]<class Value>(std::string_view, const Value& value, bool) {
    if constexpr (std::is_enum_v<Value>) {
      key.at(used++) = static_cast<std::uint64_t>(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      key.at(used++) = std::bit_cast<std::uint64_t>(value);
    } else {
      key.at(used++) = std::hash<std::string>{}(to_string(mechanism));
    }
  };
  std::visit([&](const auto& event) { for_each_leaf(event, append); }, mechanism);
  return key;
}

// Equal mechanisms joined, in an order that does not depend on that of the events.
std::vector<CountedEvent> distinct_of(const std::vector<PrivacyEvent>& events) {
  std::vector<std::pair<Key, std::size_t>> keys;
  keys.reserve(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    keys.emplace_back(key_of(events[i].mechanism), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<CountedEvent> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const PrivacyEvent& event = events[keys[i].second];
    if (i == 0 || event.mechanism != result.back().event.mechanism) result.push_back({event, 0});
    result.back().count += static_cast<double>(event.repetitions);
  }
  return result;
}

void append_below(const std::vector<CountedEvent>& distinct, bool few, EventDistributions& result) {
  if (!few) {
    FewDistributions found = few_distributions(distinct, Side::below);
    result.below_is_partial = !found.complete;
    std::move(found.distributions.begin(), found.distributions.end(), std::back_inserter(result.below));
    return;
  }
  for (const CountedEvent& each : distinct) {
    if (const Distribution distribution = attained_distribution(each.event)) {
      result.below.push_back({distribution, nullptr, each.count});
    } else {
      result.below_is_partial = true;
    }
  }
}

}  // namespace

bool has_loss_distributions(std::span<const PrivacyEvent> events) {
  return std::all_of(events.begin(), events.end(), [](const PrivacyEvent& event) {
    if (std::holds_alternative<RegularisedExponentialEvent>(event.mechanism)) return false;
    if (std::holds_alternative<SelectedCountsEvent>(event.mechanism)) return false;
    if (std::holds_alternative<UnprotectedEvent>(event.mechanism)) return false;
    if (std::holds_alternative<DisjointPartsEvent>(event.mechanism)) return false;  // of several, none is the worst
    const auto* selection = std::get_if<SelectionEvent>(&event.mechanism);
    return !selection || has_pure_epsilon(*selection);
  });
}

EventDistributions distributions_of(std::span<const PrivacyEvent> events) {
  require(has_loss_distributions(events),
          "private selection is accounted for by Renyi divergences only, and a division by its parts");
  EventDistributions result;
  std::vector<PrivacyEvent> gaussians, others;
  for (const PrivacyEvent& event : events) {
    validate(event);
    if (const auto* objective = std::get_if<ObjectivePerturbationEvent>(&event.mechanism)) {
      result.slack_delta =
          rounded_up(result.slack_delta + static_cast<double>(event.repetitions) * objective->slack_delta);
    }
    if (const auto gaussian = as_gaussian(event)) {
      gaussians.push_back({event.what, *gaussian, event.neighbours, event.repetitions});
      continue;
    }
    others.push_back(event);
  }
  const std::vector<CountedEvent> distinct = distinct_of(others);
  const bool few = distinct.size() <= kMostDistinct;
  if (!gaussians.empty()) result.distributions.push_back({gaussian_distribution(gaussian_mu(gaussians)), nullptr, 1});
  result.attained = std::all_of(others.begin(), others.end(), attained);
  if (!result.attained) {
    result.below = result.distributions;
    append_below(distinct, few, result);
  }
  if (few) {
    for (const CountedEvent& each : distinct) {
      result.distributions.push_back(distribution_of(each.event));
      result.distributions.back().count = each.count;
    }
  } else {
    FewDistributions found = few_distributions(distinct, Side::above);
    // Where some pair only dominates, lower ends come from `below` alone.
    if (!result.attained)
      std::for_each(found.distributions.begin(), found.distributions.end(),
                    [](DistributionCount& distribution) { distribution.moments = {}; });
    std::move(found.distributions.begin(), found.distributions.end(), std::back_inserter(result.distributions));
  }
  const auto single = std::count_if(result.distributions.begin(), result.distributions.end(),
                                    [](const auto& l) { return l.blend.empty(); });
  require(
      static_cast<std::size_t>(single) <= kMostDistributions,
      fmt::format(
          "{} perturbed objectives that all differ are too many to compose by privacy-loss distributions; the limit "
          "is {}. Repeat the same one, or account for parts of the list and add their epsilons and deltas",
          single, kMostDistributions));
  return result;
}

double sampled_laplace_epsilon(const SampledLaplaceEvent& e, Neighbours neighbours) {
  const double epsilon = rounded_up(e.contribution / e.scale);
  const auto sampled = [&](double own) {
    return own > 30 ? own + std::log(e.rate + (1 - e.rate) * std::exp(-own)) : std::log1p(e.rate * std::expm1(own));
  };
  if (e.sampling == Sampling::fixed_size) return rounded_up(sampled(2 * epsilon));
  // Replacing is removing and adding.
  const double one = rounded_up(sampled(epsilon));
  return neighbours == Neighbours::replace_one ? 2 * one : one;
}

bool has_pure_epsilon(const SelectionEvent& event) {
  return event.base_epsilon > 0 && event.distribution == RepetitionDistribution::truncated_negative_binomial;
}

}  // namespace dperm::privacy
