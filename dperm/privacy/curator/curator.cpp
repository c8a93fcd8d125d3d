// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/curator/curator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/events/group.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/noise/k_norm.hpp"
#include "dperm/random/noise/laplace.hpp"

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

void require_samplable(const DiscreteLaplaceEvent& mechanism) {
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

// The noise of a random term in units of its lattice.
double in_steps(double noise, double step) {
  int exponent = 0;
  require(step > 0 && std::frexp(step, &exponent) == 0.5, "the lattice step of a random term must be a power of two");
  const double result = noise / step;
  require_in_closed_range("noise of the random term in steps", result, random::kMinimumSigma, random::kMaximumSigma);
  return result;
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
  record_as_it_is(for_group(mechanism, unit_rows_), std::move(what));
}

void Curator::record_as_it_is(Mechanism mechanism, std::string what) {
  PrivacyEvent event{.what = std::move(what), .mechanism = std::move(mechanism), .neighbours = neighbours_};
  if (witness_ != nullptr) witness_->begins(event.mechanism, event.what);
  // A million steps of one kind take no more memory than one.
  if (!events_.empty() && events_.back().what == event.what && events_.back().mechanism == event.mechanism) {
    ++events_.back().repetitions;
  } else {
    events_.push_back(std::move(event));
  }
}

// [proof privacy_curator.release]
Released<std::vector<std::int64_t>> Curator::release(const Sensitive<std::vector<std::int64_t>>& query,
                                                     const GaussianEvent& mechanism, std::string what) {
  require_samplable(mechanism);
  ensure(!query.value_.empty(), "a query without coordinates reached the curator");
  record(mechanism, std::move(what));
  return with_gaussian_noise(query.value_, mechanism.sigma);
}

Released<std::vector<std::int64_t>> Curator::with_gaussian_noise(const std::vector<std::int64_t>& value, double sigma) {
  std::vector<std::int64_t> result(value.size());
  random::rounded_gaussians(bits_, sigma, result);
  for (std::size_t j = 0; j < value.size(); ++j) result[j] = noisy(value[j], result[j]);
  return Released<std::vector<std::int64_t>>(shown(value, std::move(result)));
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
  return Released<std::vector<std::int64_t>>(shown(value, std::move(result)));
}

Released<std::int64_t> Curator::release(const Sensitive<std::int64_t>& query, const DiscreteLaplaceEvent& mechanism,
                                        std::string what) {
  require_samplable(mechanism);
  record(mechanism, std::move(what));
  const std::int64_t noise = random::discrete_laplace(bits_, mechanism.scale_numerator, mechanism.scale_denominator);
  return Released<std::int64_t>(shown(std::span(&query.value_, 1), {noisy(query.value_, noise)}).front());
}

Released<std::vector<std::int64_t>> Curator::release(const Sensitive<std::vector<std::int64_t>>& query,
                                                     const DiscreteLaplaceEvent& mechanism, std::string what) {
  require_samplable(mechanism);
  ensure(!query.value_.empty(), "a query without coordinates reached the curator");
  record(mechanism, std::move(what));
  std::vector<std::int64_t> result;
  result.reserve(query.value_.size());
  for (const std::int64_t each : query.value_) {
    result.push_back(
        noisy(each, random::discrete_laplace(bits_, mechanism.scale_numerator, mechanism.scale_denominator)));
  }
  return Released<std::vector<std::int64_t>>(shown(query.value_, std::move(result)));
}

Released<std::uint64_t> Curator::choose(const Sensitive<std::vector<random::CostRun>>& costs,
                                        const ExponentialEvent& mechanism, std::uint64_t candidates, std::string what) {
  require_samplable(mechanism);
  ensure_covers(costs.value_, candidates);
  record(mechanism, std::move(what));
  const std::uint64_t chosen =
      random::choose_exponential(bits_, costs.value_, {mechanism.scale_numerator, mechanism.scale_denominator});
  return Released<std::uint64_t>(
      static_cast<std::uint64_t>(shown(costs.value_, {static_cast<std::int64_t>(chosen)}).front()));
}

Released<std::uint64_t> Curator::choose(const Sensitive<std::vector<random::CostRun>>& costs,
                                        const PermuteAndFlipEvent& mechanism, std::uint64_t candidates,
                                        std::string what) {
  require_samplable(mechanism);
  ensure_covers(costs.value_, candidates);
  record(mechanism, std::move(what));
  const std::uint64_t chosen =
      random::permute_and_flip(bits_, costs.value_, {mechanism.scale_numerator, mechanism.scale_denominator});
  return Released<std::uint64_t>(
      static_cast<std::uint64_t>(shown(costs.value_, {static_cast<std::int64_t>(chosen)}).front()));
}

Released<std::vector<std::uint64_t>> Curator::choose(const Sensitive<std::unique_ptr<random::LatticeCosts>>& costs,
                                                     const ExponentialEvent& mechanism, std::size_t dimension,
                                                     int lattice_bits, std::string what) {
  require_samplable(mechanism);
  const random::LatticeCosts& points = *costs.value_;
  ensure(points.dimension() == dimension && points.bits() == lattice_bits,
         "costs of another lattice than the public one");
  record(mechanism, std::move(what));
  const std::vector<std::uint64_t> chosen =
      random::choose_exponential(bits_, points, {mechanism.scale_numerator, mechanism.scale_denominator});
  const std::vector<std::int64_t> released = shown(&points, {chosen.begin(), chosen.end()});
  return Released<std::vector<std::uint64_t>>({released.begin(), released.end()});
}

Released<std::vector<std::int64_t>> Curator::sample(const Sensitive<std::unique_ptr<random::ProximalTarget>>& target,
                                                    const RegularisedExponentialEvent& mechanism,
                                                    const random::ProximalSettings& settings, std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  record(mechanism, std::move(what));
  return Released<std::vector<std::int64_t>>(
      shown(target.value_.get(), random::sample_proximal(bits_, *target.value_, settings)));
}

Sensitive<std::vector<std::int64_t>> Curator::draw_objective_term(const ObjectivePerturbationEvent& mechanism,
                                                                  std::size_t dimension, double step,
                                                                  std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  const double sigma = in_steps(mechanism.objective.sigma, step);
  record(mechanism, std::move(what));
  std::vector<std::int64_t> term(dimension);
  random::rounded_gaussians(bits_, sigma, term);
  return Sensitive<std::vector<std::int64_t>>(shown(WitnessedTerm{step}, std::move(term)));
}

Sensitive<std::vector<std::int64_t>> Curator::draw_objective_term(const PureObjectiveEvent& mechanism,
                                                                  std::size_t dimension, double step,
                                                                  std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  const double scale = in_steps(mechanism.objective.scale, step);
  record(mechanism, std::move(what));
  return Sensitive<std::vector<std::int64_t>>(
      shown(WitnessedTerm{step}, random::rounded_k_norm(bits_, dimension, scale)));
}
// [/proof]

}  // namespace dperm::privacy
