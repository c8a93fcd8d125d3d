// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/events/group.hpp"

#include <fmt/core.h>

#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::privacy {
namespace {

std::uint64_t product(std::uint64_t sensitivity, std::uint64_t rows) {
  std::uint64_t result = 0;
  require(!__builtin_mul_overflow(sensitivity, rows, &result), "the sensitivity of so many rows exceeds 64 bits");
  return result;
}

// [proof privacy_group.events]
struct ForGroup {
  std::uint64_t rows;

  Mechanism operator()(GaussianEvent e) const {
    e.l2_sensitivity = times(e.l2_sensitivity, rows);
    return e;
  }
  Mechanism operator()(SelectedCountsEvent e) const {
    e.l2_sensitivity = times(e.l2_sensitivity, rows);
    e.values = product(e.values, rows);
    return e;
  }
  Mechanism operator()(KNormEvent e) const {
    e.l2_sensitivity = times(e.l2_sensitivity, rows);
    return e;
  }
  Mechanism operator()(DiscreteLaplaceEvent e) const {
    e.l1_sensitivity = product(e.l1_sensitivity, rows);
    return e;
  }
  Mechanism operator()(UnprotectedEvent e) const { return e; }  // costs everything already
  Mechanism operator()(ExponentialEvent e) const { return choice(e); }
  Mechanism operator()(PermuteAndFlipEvent e) const { return choice(e); }
  Mechanism operator()(RegularisedExponentialEvent e) const {
    e.gradient_difference = times(e.gradient_difference, rows);
    return e;
  }
  Mechanism operator()(RandomisedResponseEvent e) const {
    e.epsilon = times(e.epsilon, rows);
    return e;
  }
  Mechanism operator()(PureObjectiveEvent e) const {
    e.group = grouped(e.group);
    return e;
  }
  Mechanism operator()(SampledGaussianEvent e) const {
    if (e.sampling == Sampling::fixed_size && e.rate < 1) {
      refuse("a sample of fixed size", "take `sampling = poisson`");
    }
    if (e.rate == 1) {
      e.contribution = times(e.contribution, rows);
    } else {
      e.group = grouped(e.group);
    }
    return e;
  }
  Mechanism operator()(SampledLaplaceEvent e) const {
    if (e.rate < 1) refuse("Laplace noise on a sample", "take Gaussian noise, or all records");
    e.contribution = times(e.contribution, rows);
    return e;
  }
  Mechanism operator()(const ObjectivePerturbationEvent&) const {
    refuse("a perturbed objective with a delta", "take `noise = pure`, or another method");
  }
  Mechanism operator()(const DisjointPartsEvent&) const {
    refuse("rows kept out one by one", "evaluate the model on other people's rows instead");
  }
  Mechanism operator()(const SelectionEvent&) const {
    refuse("a private choice among runs", "name the settings instead of having them tuned");
  }

 private:
  std::uint64_t grouped(std::uint64_t group) const { return product(group > 1 ? group : 1, rows); }
  template <class Choice>
  Choice choice(Choice e) const {
    e.range = product(e.range, rows);
    return e;
  }
  [[noreturn]] static void refuse(const char* what, const char* instead) {
    throw ArgumentError(fmt::format(
        "{} is proved private for one row, not for all rows of a person, which the schema's [unit] asks for; {}", what,
        instead));
  }
};
// [/proof]

}  // namespace

Mechanism for_group(const Mechanism& mechanism, std::size_t rows) {
  require(rows >= 1 && rows <= kMostGroup, "rows", fmt::format("must be between 1 and {}; got {}", kMostGroup, rows));
  return rows == 1 ? mechanism : std::visit(ForGroup{rows}, mechanism);
}

std::vector<PrivacyEvent> for_group(std::vector<PrivacyEvent> events, std::size_t rows) {
  for (PrivacyEvent& event : events) event.mechanism = for_group(event.mechanism, rows);
  return events;
}

}  // namespace dperm::privacy
