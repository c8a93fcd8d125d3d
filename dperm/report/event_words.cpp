// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/event_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace dperm::report {

namespace {

using namespace privacy;

constexpr const char* kMost = "times the most that one row can change it";

double quotient(std::uint64_t numerator, std::uint64_t denominator) {
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

std::string sample_words(double rate, Sampling sampling) {
  if (rate >= 1) return "";
  return sampling == Sampling::poisson
             ? fmt::format(" of a sample, in which a row is with probability {:.3g}", rate)
             : fmt::format(" of a sample of a share of {:.3g} of the rows, drawn in secret", rate);
}

// A row that is replaced leaves and another comes.
double change(double contribution, Neighbours neighbours) {
  return neighbours == Neighbours::replace_one ? 2 * contribution : contribution;
}

std::string choice_words(std::uint64_t range, double scale) {
  return fmt::format(
      "one of a public list, the better the likelier: one row changes the odds between two by at most a factor of "
      "{:.4g}",
      std::exp(static_cast<double>(range) / scale));
}

std::string lists_words(const std::vector<std::vector<PrivacyEvent>>& lists, std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::vector<std::string> parts;
    for (const PrivacyEvent& each : lists[i]) parts.push_back(event_words(each));
    text += fmt::format("{}{} {}: {}", i == 0 ? "" : "; ", word, i + 1, fmt::join(parts, "; "));
  }
  return text;
}

// What stands after "weights: ". Everything is stated for the neighbours of the event.
struct Words {
  Neighbours neighbours;

  std::string operator()(const GaussianEvent& e) const {
    return fmt::format("Gaussian noise of {:.3g} {}", e.sigma / e.l2_sensitivity, kMost);
  }
  std::string operator()(const DiscreteLaplaceEvent& e) const {
    return fmt::format("Laplace noise of {:.3g} {}",
                       quotient(e.scale_numerator, e.scale_denominator) / static_cast<double>(e.l1_sensitivity), kMost);
  }
  std::string operator()(const KNormEvent& e) const {
    return fmt::format("noise of a random direction whose length has scale {:.3g} {}", e.scale / e.l2_sensitivity,
                       kMost);
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
    return choice_words(e.range, quotient(e.scale_numerator, e.scale_denominator));
  }
  std::string operator()(const PermuteAndFlipEvent& e) const {
    return choice_words(e.range, quotient(e.scale_numerator, e.scale_denominator));
  }
  std::string operator()(const RegularisedExponentialEvent&) const {
    return "weights are drawn at random, those of smaller loss with larger odds";
  }
  std::string operator()(const SelectedCountsEvent& e) const {
    return fmt::format("Gaussian noise of {:.3g} {}; counts below {} are not told at all", e.sigma / e.l2_sensitivity,
                       kMost, e.threshold);
  }
  std::string operator()(const SampledGaussianEvent& e) const {
    return fmt::format("Gaussian noise of {:.3g} {}{}", e.sigma / change(e.contribution, neighbours), kMost,
                       sample_words(e.rate, e.sampling));
  }
  std::string operator()(const SampledLaplaceEvent& e) const {
    return fmt::format("Laplace noise of {:.3g} {}{}", e.scale / change(e.contribution, neighbours), kMost,
                       sample_words(e.rate, e.sampling));
  }
  std::string operator()(const RandomisedResponseEvent& e) const {
    return fmt::format("an answer at random, whose odds one row changes by at most a factor of {:.4g}",
                       std::exp(e.epsilon));
  }
  std::string operator()(const SelectionEvent& e) const {
    return "the best of several runs; how many there were is random, and the others are never shown" +
           (e.alternatives.empty() ? "" : ". " + lists_words(e.alternatives, "Setting"));
  }
  std::string operator()(const DisjointPartsEvent& e) const {
    return "a row takes part in one of these only. " + lists_words(e.parts, "Part");
  }
};

}  // namespace

std::string event_words(const PrivacyEvent& event) {
  return fmt::format("{}{}: {}", event.repetitions > 1 ? fmt::format("{} x ", event.repetitions) : "", event.what,
                     std::visit(Words{event.neighbours}, event.mechanism));
}

}  // namespace dperm::report
