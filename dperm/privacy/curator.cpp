// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/curator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/random/gaussian.hpp"
#include "dperm/random/k_norm.hpp"
#include "dperm/random/laplace.hpp"

namespace dperm::privacy {
namespace {

constexpr std::int64_t kLargestResult = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kLaplaceLimit = std::uint64_t{1} << 62;
__extension__ typedef unsigned __int128 Wide;

// [proof privacy_curator.sum]
// Moving the query into a box can only bring two queries closer; what follows depends on the noisy value alone.
std::int64_t noisy(std::int64_t query, std::int64_t noise) {
  const std::int64_t bounded = std::clamp(query, -kLargestQuery, kLargestQuery);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(bounded, noise, &sum)) return noise > 0 ? kLargestResult : -kLargestResult;
  return std::max(sum, -kLargestResult);
}
// [/proof]

void require_samplable(const GaussianEvent& mechanism) {
  validate(Mechanism(mechanism));
  require_in_closed_range("sigma", mechanism.sigma, random::kMinimumSigma, random::kMaximumSigma);
}

void require_samplable(const KNormEvent& mechanism) {
  validate(Mechanism(mechanism));
  require_in_closed_range("scale", mechanism.scale, random::kMinimumSigma, random::kMaximumSigma);
}

void require_samplable(const LaplaceEvent& mechanism) {
  validate(Mechanism(mechanism));
  require(mechanism.scale_numerator < kLaplaceLimit && mechanism.scale_denominator < kLaplaceLimit,
          fmt::format("both parts of the Laplace scale must be below 2^62; got {}/{}", mechanism.scale_numerator,
                      mechanism.scale_denominator));
  require(mechanism.scale_numerator <= static_cast<Wide>(random::kMaximumLaplaceScale) * mechanism.scale_denominator,
          fmt::format("the Laplace scale must be at most 2^50; got {}/{}", mechanism.scale_numerator,
                      mechanism.scale_denominator));
}

template <class Choice>
void require_samplable(const Choice& mechanism) {
  validate(Mechanism(mechanism));
  require(mechanism.scale_numerator < kLaplaceLimit && mechanism.scale_denominator < kLaplaceLimit,
          fmt::format("both parts of the scale of a choice must be below 2^62; got {}/{}", mechanism.scale_numerator,
                      mechanism.scale_denominator));
}

void ensure_covers(const std::vector<random::CostRun>& runs, std::uint64_t candidates) {
  std::uint64_t total = 0;
  for (const random::CostRun& run : runs) {
    ensure(run.size <= candidates - total, "runs hold more candidates than the public set");
    total += run.size;
  }
  ensure(total == candidates, "runs hold fewer candidates than the public set");
}

}  // namespace

void Curator::record(const Mechanism& mechanism, std::string what) {
  events_.push_back({.what = std::move(what), .mechanism = mechanism, .neighbours = neighbours_});
}

// [proof privacy_curator.release]
Released<std::vector<std::int64_t>> Curator::release(const Sensitive<std::vector<std::int64_t>>& query,
                                                     const GaussianEvent& mechanism, std::string what) {
  require_samplable(mechanism);
  const std::vector<std::int64_t>& value = query.value_;
  ensure(!value.empty(), "a query without coordinates reached the curator");
  record(mechanism, std::move(what));
  std::vector<std::int64_t> result(value.size());
  for (std::size_t j = 0; j < value.size(); ++j) {
    result[j] = noisy(value[j], random::rounded_gaussian(bits_, mechanism.sigma));
  }
  return Released<std::vector<std::int64_t>>(std::move(result));
}

Released<std::vector<std::int64_t>> Curator::release(const Sensitive<std::vector<std::int64_t>>& query,
                                                     const KNormEvent& mechanism, std::string what) {
  require_samplable(mechanism);
  const std::vector<std::int64_t>& value = query.value_;
  ensure(!value.empty(), "a query without coordinates reached the curator");
  require(
      value.size() <= random::kMaximumKNormDimension,
      fmt::format("K-norm noise is limited to {} coordinates; got {}", random::kMaximumKNormDimension, value.size()));
  record(mechanism, std::move(what));
  std::vector<std::int64_t> result = random::rounded_k_norm(bits_, value.size(), mechanism.scale);
  for (std::size_t j = 0; j < value.size(); ++j) result[j] = noisy(value[j], result[j]);
  return Released<std::vector<std::int64_t>>(std::move(result));
}

Released<std::int64_t> Curator::release(const Sensitive<std::int64_t>& query, const LaplaceEvent& mechanism,
                                        std::string what) {
  require_samplable(mechanism);
  record(mechanism, std::move(what));
  const std::int64_t noise = random::discrete_laplace(bits_, mechanism.scale_numerator, mechanism.scale_denominator);
  return Released<std::int64_t>(noisy(query.value_, noise));
}

Released<std::uint64_t> Curator::choose(const Sensitive<std::vector<random::CostRun>>& costs,
                                        const ExponentialEvent& mechanism, std::uint64_t candidates, std::string what) {
  require_samplable(mechanism);
  ensure_covers(costs.value_, candidates);
  record(mechanism, std::move(what));
  return Released<std::uint64_t>(
      random::choose_exponential(bits_, costs.value_, {mechanism.scale_numerator, mechanism.scale_denominator}));
}

Released<std::uint64_t> Curator::choose(const Sensitive<std::vector<random::CostRun>>& costs,
                                        const PermuteAndFlipEvent& mechanism, std::uint64_t candidates,
                                        std::string what) {
  require_samplable(mechanism);
  ensure_covers(costs.value_, candidates);
  record(mechanism, std::move(what));
  return Released<std::uint64_t>(
      random::permute_and_flip(bits_, costs.value_, {mechanism.scale_numerator, mechanism.scale_denominator}));
}

Sensitive<std::vector<std::int64_t>> Curator::draw_objective_term(const ObjectivePerturbationEvent& mechanism,
                                                                  std::size_t dimension, double step,
                                                                  std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  int exponent = 0;
  require(step > 0 && std::frexp(step, &exponent) == 0.5, "the lattice step of a random term must be a power of two");
  const double sigma = mechanism.objective.sigma / step;
  require_in_closed_range("sigma of the random term in steps", sigma, random::kMinimumSigma, random::kMaximumSigma);
  record(mechanism, std::move(what));
  std::vector<std::int64_t> term(dimension);
  for (std::int64_t& each : term) each = random::rounded_gaussian(bits_, sigma);
  return Sensitive<std::vector<std::int64_t>>(std::move(term));
}
// [/proof]

}  // namespace dperm::privacy
