// SPDX-License-Identifier: Apache-2.0
// A release as plain data: all that an accountant may see. Meanings never change; an unknown event is refused.
//
// Each kind has one word, the same in the model file and on the command line, and lists its fields once: writing,
// reading, comparing and describing follow from the list (event_fields.hpp). A field that is optional is left out of
// text where it is zero or empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "dperm/core/fields.hpp"
#include "dperm/core/words.hpp"
#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {

enum class Neighbours { replace_one, add_remove };

// The most records of one unit that events account for.
inline constexpr std::uint64_t kMostGroup = 1000;

// An integer vector plus round(sigma Z) in each coordinate; sensitivity in the L2 norm, both in lattice units.
struct GaussianEvent {
  double l2_sensitivity = 0;
  double sigma = 0;
  static constexpr std::string_view word = "gaussian";
  static constexpr auto fields() {
    using E = GaussianEvent;
    return std::tuple(field("l2_sensitivity", &E::l2_sensitivity), field("sigma", &E::sigma));
  }
  bool operator==(const GaussianEvent&) const = default;
};

// An integer plus (or integer vector plus, coordinate by coordinate) discrete Laplace noise of scale
// scale_numerator / scale_denominator; sensitivity in the L1 norm.
struct DiscreteLaplaceEvent {
  std::uint64_t l1_sensitivity = 0;
  std::uint64_t scale_numerator = 0;
  std::uint64_t scale_denominator = 0;
  static constexpr std::string_view word = "discrete-laplace";
  static constexpr auto fields() {
    using E = DiscreteLaplaceEvent;
    return std::tuple(field("l1_sensitivity", &E::l1_sensitivity), field("scale_numerator", &E::scale_numerator),
                      field("scale_denominator", &E::scale_denominator));
  }
  bool operator==(const DiscreteLaplaceEvent&) const = default;
};

// An integer vector plus the rounding of noise with density proportional to exp(-||b||/scale); L2 sensitivity.
struct KNormEvent {
  double l2_sensitivity = 0;
  double scale = 0;
  static constexpr std::string_view word = "k-norm";
  static constexpr auto fields() {
    using E = KNormEvent;
    return std::tuple(field("l2_sensitivity", &E::l2_sensitivity), field("scale", &E::scale));
  }
  bool operator==(const KNormEvent&) const = default;
};

// The minimiser of an objective with a random linear term. `slack_delta` is added to delta: the probability, times
// 1 + e^epsilon, of a random term so large that the numerical analysis does not cover it.
struct ObjectivePerturbationEvent {
  PerturbedObjective objective;
  double slack_delta = 0;
  static constexpr std::string_view word = "objective-perturbation";
  static constexpr auto fields() {
    using E = ObjectivePerturbationEvent;
    return std::tuple(field("objective", &E::objective), field("slack_delta", &E::slack_delta));
  }
  bool operator==(const ObjectivePerturbationEvent&) const = default;
};

// The same with a random term of density proportional to exp(-||b||/scale), which is private without a delta.
// Where a unit has up to `group` records (0: one), each of them costs the objective's epsilon.
struct PureObjectiveEvent {
  PureObjective objective;
  std::uint64_t group = 0;
  static constexpr std::string_view word = "pure-objective-perturbation";
  static constexpr auto fields() {
    using E = PureObjectiveEvent;
    return std::tuple(field("objective", &E::objective), optional_field("group", &E::group));
  }
  bool operator==(const PureObjectiveEvent&) const = default;
};

// One of a public set of candidates, chosen with weight exp(-cost * scale_denominator / scale_numerator), costs being
// integers. `range` bounds the most minus the least that one record changes the costs, over all candidates.
struct ExponentialEvent {
  std::uint64_t range = 0;
  std::uint64_t scale_numerator = 0;
  std::uint64_t scale_denominator = 0;
  static constexpr std::string_view word = "exponential";
  static constexpr auto fields() {
    using E = ExponentialEvent;
    return std::tuple(field("range", &E::range), field("scale_numerator", &E::scale_numerator),
                      field("scale_denominator", &E::scale_denominator));
  }
  bool operator==(const ExponentialEvent&) const = default;
};

// The same with permute-and-flip instead of the exponential mechanism's weights.
struct PermuteAndFlipEvent {
  std::uint64_t range = 0;
  std::uint64_t scale_numerator = 0;
  std::uint64_t scale_denominator = 0;
  static constexpr std::string_view word = "permute-and-flip";
  static constexpr auto fields() {
    using E = PermuteAndFlipEvent;
    return std::tuple(field("range", &E::range), field("scale_numerator", &E::scale_numerator),
                      field("scale_denominator", &E::scale_denominator));
  }
  bool operator==(const PermuteAndFlipEvent&) const = default;
};

// Weights drawn with density proportional to exp(-inverse_temperature (sum of losses + penalty ||w||^2 / 2)) on a
// public convex set, the sum being convex and its gradient changing by at most `gradient_difference` when a record is
// replaced: Gaussian DP with mu = gradient_difference sqrt(inverse_temperature / penalty) [GLL22]. The sampler's
// density differs from that by a factor of at most e^log_error, and its distribution from such a density by at most
// total_variation.
struct RegularisedExponentialEvent {
  double gradient_difference = 0;
  double inverse_temperature = 0;
  double penalty = 0;
  double log_error = 0;
  double total_variation = 0;
  static constexpr std::string_view word = "regularised-exponential";
  static constexpr auto fields() {
    using E = RegularisedExponentialEvent;
    return std::tuple(field("gradient_difference", &E::gradient_difference),
                      field("inverse_temperature", &E::inverse_temperature), field("penalty", &E::penalty),
                      field("log_error", &E::log_error), field("total_variation", &E::total_variation));
  }
  bool operator==(const RegularisedExponentialEvent&) const = default;
};

// How many records hold each of an open set of values, such as the texts of a column, each count plus round(sigma Z),
// of which only those that reach `threshold` are told, with their values. A record holds at most `values` of them: one
// in each column that is asked about.
struct SelectedCountsEvent {
  double l2_sensitivity = 0;
  double sigma = 0;
  std::uint64_t threshold = 0;
  std::uint64_t values = 0;
  static constexpr std::string_view word = "selected-counts";
  static constexpr auto fields() {
    using E = SelectedCountsEvent;
    return std::tuple(field("l2_sensitivity", &E::l2_sensitivity), field("sigma", &E::sigma),
                      field("threshold", &E::threshold), field("values", &E::values));
  }
  bool operator==(const SelectedCountsEvent&) const = default;
};

// Which records take part in a release: each one with probability `rate`, independently; or a uniformly chosen `rate`
// of them, their number being public.
enum class Sampling { poisson, fixed_size };

// Gaussian noise on a sum over a sample, fresh for each repetition. One record contributes a vector of norm at most
// `contribution`: adding or removing a record changes the sum by that, replacing one by twice that. Neighbours differ
// in up to `group` records, each of which is in the sample or not by itself (0: in one); Poisson samples only.
struct SampledGaussianEvent {
  double contribution = 0;
  double sigma = 0;
  double rate = 0;
  Sampling sampling = Sampling::poisson;
  std::uint64_t group = 0;
  static constexpr std::string_view word = "sampled-gaussian";
  static constexpr auto fields() {
    using E = SampledGaussianEvent;
    return std::tuple(field("contribution", &E::contribution), field("sigma", &E::sigma), field("rate", &E::rate),
                      field("sampling", &E::sampling), optional_field("group", &E::group));
  }
  bool operator==(const SampledGaussianEvent&) const = default;
};

// The same for one number with Laplace noise of real scale `scale`. rate 1 is the plain Laplace mechanism.
struct SampledLaplaceEvent {
  double contribution = 0;
  double scale = 0;
  double rate = 0;
  Sampling sampling = Sampling::poisson;
  static constexpr std::string_view word = "sampled-laplace";
  static constexpr auto fields() {
    using E = SampledLaplaceEvent;
    return std::tuple(field("contribution", &E::contribution), field("scale", &E::scale), field("rate", &E::rate),
                      field("sampling", &E::sampling));
  }
  bool operator==(const SampledLaplaceEvent&) const = default;
};

// One answer in public categories whose probabilities differ between neighbours by at most a factor e^epsilon.
struct RandomisedResponseEvent {
  double epsilon = 0;
  static constexpr std::string_view word = "randomised-response";
  static constexpr auto fields() {
    using E = RandomisedResponseEvent;
    return std::tuple(field("epsilon", &E::epsilon));
  }
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
  double shape = 0;
  double parameter = 0;
  double base_epsilon = 0;
  double base_mu = 0;
  std::vector<std::vector<PrivacyEvent>> alternatives = {};
  static constexpr std::string_view word = "selection";
  static constexpr auto fields() {
    using E = SelectionEvent;
    return std::tuple(field("repetition_distribution", &E::distribution), field("shape", &E::shape),
                      field("parameter", &E::parameter), field("base_epsilon", &E::base_epsilon),
                      field("base_mu", &E::base_mu), optional_field("alternatives", &E::alternatives));
  }
  bool operator==(const SelectionEvent&) const;
};

// Releases about the parts of a division of the records that does not depend on what they hold: a record is in one
// part, so it takes part in the releases of one of these lists, whichever. A later part may be asked with knowledge of
// what earlier ones released.
struct DisjointPartsEvent {
  std::vector<std::vector<PrivacyEvent>> parts = {};
  static constexpr std::string_view word = "disjoint-parts";
  static constexpr auto fields() {
    using E = DisjointPartsEvent;
    return std::tuple(field("parts", &E::parts));
  }
  bool operator==(const DisjointPartsEvent&) const;
};

// A value that left as it is, without noise: it costs everything, and no accountant promises anything beside it.
struct UnprotectedEvent {
  static constexpr std::string_view word = "unprotected";
  static constexpr auto fields() { return std::tuple(); }
  bool operator==(const UnprotectedEvent&) const = default;
};

using Mechanism = std::variant<GaussianEvent, DiscreteLaplaceEvent, KNormEvent, ObjectivePerturbationEvent,
                               ExponentialEvent, PermuteAndFlipEvent, SampledGaussianEvent, SampledLaplaceEvent,
                               RandomisedResponseEvent, SelectionEvent, PureObjectiveEvent, RegularisedExponentialEvent,
                               SelectedCountsEvent, DisjointPartsEvent, UnprotectedEvent>;

std::string_view word_of(const Mechanism& mechanism);
// For reports, one line from the list of fields: "gaussian: l2_sensitivity 2, sigma 8.5".
std::string to_string(const Mechanism& mechanism);

// The same mechanism, `repetitions` times (adaptively), with what it released in words.
struct PrivacyEvent {
  std::string what;  // "noisy gradient", "weights", ...
  Mechanism mechanism;
  Neighbours neighbours = Neighbours::replace_one;
  std::int64_t repetitions = 1;
  static constexpr auto fields() {
    using E = PrivacyEvent;
    return std::tuple(field("what", &E::what), field("mechanism", &E::mechanism), field("neighbours", &E::neighbours),
                      field("repetitions", &E::repetitions));
  }
  bool operator==(const PrivacyEvent&) const = default;
};

// Throw ArgumentError unless every sensitivity and scale is positive and finite and repetitions is at least 1.
void validate(const Mechanism& mechanism);
void validate(const PrivacyEvent& event);
// The same for every one, and that all are stated for the same neighbours, without which guarantees do not add up.
void validate(std::span<const PrivacyEvent> events);

bool is_gaussian(const PrivacyEvent& event);
// Something left without noise, also inside a division.
bool is_unprotected(std::span<const PrivacyEvent> events);
// The mechanism of a Gaussian release, and of a sample of all records, which is one.
std::optional<GaussianEvent> as_gaussian(const PrivacyEvent& event);

// `count` times a sensitivity, not below the real product.
double times(double sensitivity, std::uint64_t count);

// What one record contributes to a sum that changes by `sensitivity` between neighbours: half of it where one record
// leaves and another comes.
double contribution_of(double sensitivity, Neighbours neighbours);

// Joins adjacent events that differ in repetitions only into one with the sum of their repetitions.
std::vector<PrivacyEvent> compressed(const std::vector<PrivacyEvent>& events);

}  // namespace dperm::privacy

template <>
struct dperm::Words<dperm::privacy::Neighbours> {
  using enum privacy::Neighbours;
  static constexpr std::array table = {std::pair{replace_one, std::string_view("replace-one")},
                                       std::pair{add_remove, std::string_view("add-remove")}};
};

template <>
struct dperm::Words<dperm::privacy::Sampling> {
  using enum privacy::Sampling;
  static constexpr std::array table = {std::pair{poisson, std::string_view("poisson")},
                                       std::pair{fixed_size, std::string_view("fixed-size")}};
};

template <>
struct dperm::Words<dperm::privacy::RepetitionDistribution> {
  using enum privacy::RepetitionDistribution;
  static constexpr std::array table = {
      std::pair{truncated_negative_binomial, std::string_view("truncated-negative-binomial")},
      std::pair{poisson, std::string_view("poisson")}};
};
