// SPDX-License-Identifier: Apache-2.0
// A release as plain data: all that an accountant may see. Meanings never change; an unknown event is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dperm/core/words.hpp"
#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {

enum class Neighbours { replace_one, add_remove };
std::string to_string(Neighbours neighbours);  // "replace-one", "add-remove"

// An integer vector plus round(sigma Z) in each coordinate; sensitivity in the L2 norm, both in lattice units.
struct GaussianEvent {
  double l2_sensitivity;
  double sigma;
  bool operator==(const GaussianEvent&) const = default;
};

// An integer plus (or integer vector plus, coordinate by coordinate) discrete Laplace noise of scale
// scale_numerator / scale_denominator; sensitivity in the L1 norm.
struct LaplaceEvent {
  std::uint64_t l1_sensitivity;
  std::uint64_t scale_numerator;
  std::uint64_t scale_denominator;
  bool operator==(const LaplaceEvent&) const = default;
};

// An integer vector plus the rounding of noise with density proportional to exp(-||b||/scale); L2 sensitivity.
struct KNormEvent {
  double l2_sensitivity;
  double scale;
  bool operator==(const KNormEvent&) const = default;
};

// The minimiser of an objective with a random linear term. `slack_delta` is added to delta: the probability, times
// 1 + e^epsilon, of a random term so large that the numerical analysis does not cover it.
struct ObjectivePerturbationEvent {
  PerturbedObjective objective;
  double slack_delta;
  bool operator==(const ObjectivePerturbationEvent&) const = default;
};

// The same with a random term of density proportional to exp(-||b||/scale), which is private without a delta.
struct PureObjectiveEvent {
  PureObjective objective;
  bool operator==(const PureObjectiveEvent&) const = default;
};

// One of a public set of candidates, chosen with weight exp(-cost * scale_denominator / scale_numerator), costs being
// integers. `range` bounds the most minus the least that one record changes the costs, over all candidates.
struct ExponentialEvent {
  std::uint64_t range;
  std::uint64_t scale_numerator;
  std::uint64_t scale_denominator;
  bool operator==(const ExponentialEvent&) const = default;
};

// The same with permute-and-flip instead of the exponential mechanism's weights.
struct PermuteAndFlipEvent {
  std::uint64_t range;
  std::uint64_t scale_numerator;
  std::uint64_t scale_denominator;
  bool operator==(const PermuteAndFlipEvent&) const = default;
};

// Weights drawn with density proportional to exp(-inverse_temperature (sum of losses + penalty ||w||^2 / 2)) on a
// public convex set, the sum being convex and its gradient changing by at most `gradient_difference` when a record is
// replaced: Gaussian DP with mu = gradient_difference sqrt(inverse_temperature / penalty) [GLL22]. The sampler's
// density differs from that by a factor of at most e^log_error, and its distribution from such a density by at most
// total_variation.
struct RegularisedExponentialEvent {
  double gradient_difference;
  double inverse_temperature;
  double penalty;
  double log_error;
  double total_variation;
  bool operator==(const RegularisedExponentialEvent&) const = default;
};

// Which records take part in a release: each one with probability `rate`, independently; or a uniformly chosen `rate`
// of them, their number being public.
enum class Sampling { poisson, fixed_size };
std::string to_string(Sampling sampling);  // "poisson", "fixed-size"

// Gaussian noise on a sum over a sample, fresh for each repetition. One record contributes a vector of norm at most
// `contribution`: adding or removing a record changes the sum by that, replacing one by twice that.
struct SampledGaussianEvent {
  double contribution;
  double sigma;
  double rate;
  Sampling sampling;
  bool operator==(const SampledGaussianEvent&) const = default;
};

// The same for one number with Laplace noise of real scale `scale`. rate 1 is the plain Laplace mechanism.
struct SampledLaplaceEvent {
  double contribution;
  double scale;
  double rate;
  Sampling sampling;
  bool operator==(const SampledLaplaceEvent&) const = default;
};

// One answer in public categories whose probabilities differ between neighbours by at most a factor e^epsilon.
struct RandomisedResponseEvent {
  double epsilon;
  bool operator==(const RandomisedResponseEvent&) const = default;
};

// The best of K independent runs of one mechanism, K random and hidden, the losers never shown. The base mechanism,
// with its score, is base_epsilon-private (pure), or base_mu-Gaussian-DP, or costs no more than the dearest of
// `alternatives`, each a list of releases: one for every run that there can be and every part that a record can have in
// it. Of the three only one is positive, or not empty.
struct PrivacyEvent;
enum class RepetitionDistribution {
  truncated_negative_binomial,  // K >= 1 with shape > -1 and success probability `parameter`; shape 1 is geometric
  poisson,                      // mean `parameter`; K = 0 releases a fixed default; shape is 0
};
struct SelectionEvent {
  RepetitionDistribution distribution;
  double shape;
  double parameter;
  double base_epsilon;
  double base_mu;
  std::vector<std::vector<PrivacyEvent>> alternatives = {};
  bool operator==(const SelectionEvent&) const;
};

using Mechanism = std::variant<GaussianEvent, LaplaceEvent, KNormEvent, ObjectivePerturbationEvent, ExponentialEvent,
                               PermuteAndFlipEvent, SampledGaussianEvent, SampledLaplaceEvent, RandomisedResponseEvent,
                               SelectionEvent, PureObjectiveEvent, RegularisedExponentialEvent>;
std::string to_string(const Mechanism& mechanism);  // one line of words and numbers, for reports

// The same mechanism, `repetitions` times (adaptively), with what it released in words.
struct PrivacyEvent {
  std::string what;  // "noisy gradient", "weights", ...
  Mechanism mechanism;
  Neighbours neighbours = Neighbours::replace_one;
  std::int64_t repetitions = 1;
  bool operator==(const PrivacyEvent&) const = default;
};

// Throw ArgumentError unless every sensitivity and scale is positive and finite and repetitions is at least 1.
void validate(const Mechanism& mechanism);
void validate(const PrivacyEvent& event);
// The same for every one, and that all are stated for the same neighbours, without which guarantees do not add up.
void validate(std::span<const PrivacyEvent> events);

bool is_gaussian(const PrivacyEvent& event);
// The mechanism of a Gaussian release, and of a sample of all records, which is one.
std::optional<GaussianEvent> as_gaussian(const PrivacyEvent& event);

// Joins adjacent events that differ in repetitions only into one with the sum of their repetitions.
std::vector<PrivacyEvent> compressed(const std::vector<PrivacyEvent>& events);

}  // namespace dperm::privacy

namespace dperm {

template <>
struct Words<privacy::Neighbours> {
  using enum privacy::Neighbours;
  static constexpr std::array<std::pair<privacy::Neighbours, std::string_view>, 2> table = {
      {{replace_one, "replace-one"}, {add_remove, "add-remove"}}};
};
template <>
struct Words<privacy::Sampling> {
  using enum privacy::Sampling;
  static constexpr std::array<std::pair<privacy::Sampling, std::string_view>, 2> table = {
      {{poisson, "poisson"}, {fixed_size, "fixed-size"}}};
};

}  // namespace dperm
