// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/event_law.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/accountant.hpp"

namespace dperm::privacy {
namespace {

constexpr std::size_t kMostDistinct = 64, kMostLaws = 256;
constexpr int kBuckets = 48;

// [proof privacy_loss_law.events]
LawCount sampled_gaussian(const SampledGaussianEvent& e, Neighbours neighbours) {
  const double mu = e.contribution / e.sigma;
  if (e.sampling == Sampling::fixed_size) return {fixed_size_law(gaussian_law(2 * mu), e.rate), nullptr, 1};
  if (neighbours == Neighbours::replace_one) return {sampled_gaussian_replace_law(mu, e.rate), nullptr, 1};
  const Law removed = sampled_law(gaussian_law(mu), e.rate);
  return {removed, e.rate < 1 ? reversed_law(removed) : nullptr, 1};
}

LawCount sampled_laplace(const SampledLaplaceEvent& e, Neighbours neighbours) {
  const double epsilon = e.contribution / e.scale;
  if (e.sampling == Sampling::fixed_size) return {fixed_size_law(laplace_law(2 * epsilon), e.rate), nullptr, 1};
  if (neighbours == Neighbours::replace_one) {
    if (e.rate == 1) return {laplace_law(2 * epsilon), nullptr, 1};
    return {pure_law(sampled_laplace_epsilon(e, neighbours)), nullptr, 1};
  }
  const Law removed = sampled_law(laplace_law(epsilon), e.rate);
  return {removed, e.rate < 1 ? reversed_law(removed) : nullptr, 1};
}

LawCount law_of(const PrivacyEvent& event) {
  const auto once = [&] {
    PrivacyEvent single = event;
    single.repetitions = 1;
    return pure_epsilon(std::span(&single, 1));
  };
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism))
    return sampled_gaussian(*e, event.neighbours);
  if (const auto* e = std::get_if<SampledLaplaceEvent>(&event.mechanism)) return sampled_laplace(*e, event.neighbours);
  if (const auto* e = std::get_if<ObjectivePerturbationEvent>(&event.mechanism)) {
    return {objective_law(e->objective), nullptr, 1};
  }
  if (std::holds_alternative<ExponentialEvent>(event.mechanism)) return {bounded_range_law(once()), nullptr, 1};
  if (std::holds_alternative<PermuteAndFlipEvent>(event.mechanism)) return {laplace_law(once()), nullptr, 1};
  return {pure_law(once()), nullptr, 1};
}
// [/proof]

bool attained(const PrivacyEvent& event) {
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism)) return e->sampling == Sampling::poisson;
  if (const auto* e = std::get_if<SampledLaplaceEvent>(&event.mechanism)) {
    return e->sampling == Sampling::poisson && (e->rate == 1 || event.neighbours == Neighbours::add_remove);
  }
  return std::holds_alternative<RandomisedResponseEvent>(event.mechanism);
}

// A sample of everything is a plain Gaussian release.
std::optional<PrivacyEvent> as_gaussian(const PrivacyEvent& event) {
  if (std::holds_alternative<GaussianEvent>(event.mechanism)) return event;
  const auto* sampled = std::get_if<SampledGaussianEvent>(&event.mechanism);
  if (!sampled || sampled->rate < 1) return std::nullopt;
  const double factor = event.neighbours == Neighbours::replace_one ? 2 : 1;
  return PrivacyEvent{event.what, GaussianEvent{factor * sampled->contribution, sampled->sigma}, event.neighbours,
                      event.repetitions};
}

struct Distinct {
  PrivacyEvent event;
  double count;
  LawCount law() const {
    LawCount result = law_of(event);
    result.count = count;
    return result;
  }
};

// Equal mechanisms joined, in an order that does not depend on that of the events.
std::vector<Distinct> distinct_of(const std::vector<PrivacyEvent>& events) {
  std::map<std::string, Distinct> found;
  for (const PrivacyEvent& event : events) {
    const auto count = static_cast<double>(event.repetitions);
    // Words need not tell everything: only equal mechanisms are joined.
    std::string key = to_string(event.mechanism);
    auto place = found.find(key);
    while (place != found.end() && place->second.event.mechanism != event.mechanism) place = found.find(key += '\'');
    if (place == found.end()) {
      found.emplace(key, Distinct{event, count});
    } else {
      place->second.count += count;
    }
  }
  std::vector<Distinct> result;
  for (auto& [name, each] : found) result.push_back(std::move(each));
  return result;
}

// [proof privacy_loss_law.rounded]
// Sampled Gaussians that differ in their noise only, brought to at most kBuckets values of contribution / sigma: up for
// an upper bound, down for a lower one.
std::vector<Distinct> rounded(const std::vector<Distinct>& all, bool up) {
  std::map<std::pair<double, Sampling>, std::vector<std::pair<double, Distinct>>> families;
  std::vector<Distinct> result;
  for (const Distinct& each : all) {
    const auto* e = std::get_if<SampledGaussianEvent>(&each.event.mechanism);
    if (e) {
      families[{e->rate, e->sampling}].emplace_back(e->contribution / e->sigma, each);
    } else {
      result.push_back(each);
    }
  }
  for (auto& [key, family] : families) {
    std::sort(family.begin(), family.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const double ratio = std::pow(family.back().first / family.front().first, 1.0 / kBuckets) * (1 + 1e-12);
    for (std::size_t i = 0; i < family.size();) {
      const std::size_t first = i;
      double count = 0;
      for (; i < family.size() && family[i].first <= family[first].first * ratio; ++i) count += family[i].second.count;
      Distinct bucket = family[up ? i - 1 : first].second;
      bucket.count = count;
      result.push_back(bucket);
    }
  }
  return result;
}
// [/proof]

}  // namespace

bool has_loss_laws(std::span<const PrivacyEvent> events) {
  return std::all_of(events.begin(), events.end(), [](const PrivacyEvent& event) {
    const auto* selection = std::get_if<SelectionEvent>(&event.mechanism);
    return !selection || has_pure_epsilon(*selection);
  });
}

EventLaws laws_of(std::span<const PrivacyEvent> events) {
  require(has_loss_laws(events), "private selection is accounted for by Renyi divergences only");
  EventLaws result;
  std::vector<PrivacyEvent> gaussians, others;
  for (const PrivacyEvent& event : events) {
    validate(event);
    if (const auto* objective = std::get_if<ObjectivePerturbationEvent>(&event.mechanism)) {
      result.slack_delta =
          rounded_up(result.slack_delta + static_cast<double>(event.repetitions) * objective->slack_delta);
    }
    if (const auto gaussian = as_gaussian(event)) {
      gaussians.push_back(*gaussian);
      continue;
    }
    result.attained = result.attained && attained(event);
    others.push_back(event);
  }
  std::vector<Distinct> distinct = distinct_of(others);
  if (!gaussians.empty()) result.laws.push_back({gaussian_law(gaussian_mu(gaussians)), nullptr, 1});
  result.below = result.laws;
  const bool few = distinct.size() <= kMostDistinct;
  for (const Distinct& each : few ? distinct : rounded(distinct, true)) result.laws.push_back(each.law());
  if (few) {
    result.below.clear();
  } else {
    for (const Distinct& each : rounded(distinct, false)) result.below.push_back(each.law());
  }
  require(result.laws.size() <= kMostLaws,
          fmt::format("more than {} different kinds of release cannot be composed by privacy-loss laws", kMostLaws));
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
  return event.base_epsilon > 0 && event.law == RepetitionLaw::truncated_negative_binomial;
}

}  // namespace dperm::privacy
