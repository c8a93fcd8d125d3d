// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/event_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dperm::report {

namespace {

using namespace privacy;

// "3.2 times the most that one row can change it"
std::string in_changes(double noise, const std::string& who) {
  const std::string digits = fmt::format("{:.3g}", noise);
  return fmt::format("{} the most that {} can change it", digits == "1" ? "as much as" : digits + " times", who);
}

double quotient(std::uint64_t numerator, std::uint64_t denominator) {
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

std::string sample_words(double rate, Sampling sampling) {
  if (rate >= 1) return "";
  return sampling == Sampling::poisson ? fmt::format(", about a sample in which a row is with probability {:.3g}", rate)
                                       : fmt::format(", about a share of {:.3g} of the rows, drawn in secret", rate);
}

// A row that is replaced leaves and another comes.
double change(double contribution, std::uint64_t group, Neighbours neighbours) {
  contribution *= static_cast<double>(std::max<std::uint64_t>(group, 1));
  return neighbours == Neighbours::replace_one ? 2 * contribution : contribution;
}

std::string choice_words(std::uint64_t range, double scale, const std::string& who) {
  return fmt::format(
      "one of a public list, the better the likelier: {} changes the odds between two by at most a factor of {:.4g}",
      who, std::exp(static_cast<double>(range) / scale));
}

std::string lists_words(const std::vector<std::vector<PrivacyEvent>>& lists, std::string_view word,
                        const std::string& who) {
  std::string text;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::vector<std::string> parts;
    for (const PrivacyEvent& each : lists[i]) parts.push_back(event_words(each, who));
    text += fmt::format("{}{} {}: {}", i == 0 ? "" : "; ", word, i + 1, fmt::join(parts, "; "));
  }
  return text;
}

// What stands after "weights: ". Everything is stated for the neighbours of the event.
struct Words {
  Neighbours neighbours;
  const std::string& who;

  std::string operator()(const GaussianEvent& e) const {
    return fmt::format("Gaussian noise of {}", in_changes(e.sigma / e.l2_sensitivity, who));
  }
  std::string operator()(const DiscreteLaplaceEvent& e) const {
    const double scale = quotient(e.scale_numerator, e.scale_denominator);
    return "Laplace noise of " + in_changes(scale / static_cast<double>(e.l1_sensitivity), who);
  }
  std::string operator()(const KNormEvent& e) const {
    return fmt::format("noise of a random direction whose length is of the order of {}",
                       in_changes(e.scale / e.l2_sensitivity, who));
  }
  std::string operator()(const ObjectivePerturbationEvent&) const {
    return "a random linear term, Gaussian, is added to the objective before it is minimised: every solution could be "
           "that of many tables";
  }
  std::string operator()(const PureObjectiveEvent&) const {
    return "a random linear term is added to the objective before it is minimised: every solution could be that of "
           "many tables";
  }
  std::string operator()(const ExponentialEvent& e) const {
    return choice_words(e.range, quotient(e.scale_numerator, e.scale_denominator), who);
  }
  std::string operator()(const PermuteAndFlipEvent& e) const {
    return choice_words(e.range, quotient(e.scale_numerator, e.scale_denominator), who);
  }
  std::string operator()(const RegularisedExponentialEvent&) const {
    return "weights are drawn at random, those of smaller loss with larger odds";
  }
  std::string operator()(const SelectedCountsEvent& e) const {
    return fmt::format("Gaussian noise of {}; counts below {} are not told at all",
                       in_changes(e.sigma / e.l2_sensitivity, who), e.threshold);
  }
  std::string operator()(const SampledGaussianEvent& e) const {
    return fmt::format("Gaussian noise of {}{}", in_changes(e.sigma / change(e.contribution, e.group, neighbours), who),
                       sample_words(e.rate, e.sampling));
  }
  std::string operator()(const SampledLaplaceEvent& e) const {
    return fmt::format("Laplace noise of {}{}", in_changes(e.scale / change(e.contribution, 0, neighbours), who),
                       sample_words(e.rate, e.sampling));
  }
  std::string operator()(const RandomisedResponseEvent& e) const {
    return fmt::format("an answer at random, whose odds {} changes by at most a factor of {:.4g}", who,
                       std::exp(e.epsilon));
  }
  std::string operator()(const UnprotectedEvent&) const { return "NO noise: what it tells is the records' own"; }
  std::string operator()(const SelectionEvent& e) const {
    return "the best of several runs; how many there were is random, and the others are never shown" +
           (e.alternatives.empty() ? "" : ". " + lists_words(e.alternatives, "Setting", who));
  }
  std::string operator()(const DisjointPartsEvent& e) const {
    return fmt::format("{} takes part in one of these only. ", who) + lists_words(e.parts, "Part", who);
  }
};

}  // namespace

std::string event_words(const PrivacyEvent& event, const std::string& who) {
  return fmt::format("{}{}: {}", event.repetitions > 1 ? fmt::format("{} x ", event.repetitions) : "", event.what,
                     std::visit(Words{event.neighbours, who}, event.mechanism));
}

}  // namespace dperm::report
