// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/events/event.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::privacy {
namespace {

std::string text_of(const std::vector<std::vector<PrivacyEvent>>& alternatives);

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (HasWords<Value>) {
    return std::string(word(value));
  } else {
    return fmt::format("{}", value);
  }
}

std::string text_of(const std::vector<std::vector<PrivacyEvent>>& alternatives) {
  std::string text;
  for (const std::vector<PrivacyEvent>& events : alternatives) {
    for (const PrivacyEvent& event : events) {
      text += text.empty() ? "[" : &event == &events.front() ? " | " : " + ";
      text += fmt::format("{} x {}", event.repetitions, to_string(event.mechanism));
    }
  }
  return text + "]";
}

void require_group(std::uint64_t group) {
  require(group <= kMostGroup, "group", fmt::format("must be at most {}; got {}", kMostGroup, group));
}

struct Validate {
  void operator()(const GaussianEvent& e) const {
    require_positive_finite("l2_sensitivity", e.l2_sensitivity);
    require_positive_finite("sigma", e.sigma);
  }
  void operator()(const DiscreteLaplaceEvent& e) const {
    require(e.l1_sensitivity > 0, "l1_sensitivity", "must be at least 1; got 0");
    require(e.scale_numerator > 0 && e.scale_denominator > 0,
            fmt::format("the Laplace scale must be a positive fraction; got {}/{}", e.scale_numerator,
                        e.scale_denominator));
  }
  void operator()(const SelectedCountsEvent& e) const {
    require_positive_finite("l2_sensitivity", e.l2_sensitivity);
    require_positive_finite("sigma", e.sigma);
    require(e.threshold > 0, "threshold", "must be at least 1; got 0");
    require(e.values > 0, "values", "must be at least 1; got 0");
  }
  void operator()(const KNormEvent& e) const {
    require_positive_finite("l2_sensitivity", e.l2_sensitivity);
    require_positive_finite("scale", e.scale);
  }
  void operator()(const ObjectivePerturbationEvent& e) const {
    validate(e.objective);
    require_in_closed_range("slack_delta", e.slack_delta, 0, 1);
  }
  void operator()(const PureObjectiveEvent& e) const {
    validate(e.objective);
    require_group(e.group);
  }
  void operator()(const UnprotectedEvent&) const {}
  void operator()(const ExponentialEvent& e) const { choice(e); }
  void operator()(const PermuteAndFlipEvent& e) const { choice(e); }

 private:
  template <class Choice>
  static void choice(const Choice& e) {
    require(e.range > 0, "range", "must be at least 1; got 0");
    require(e.scale_numerator > 0 && e.scale_denominator > 0,
            fmt::format("the scale of a choice must be a positive fraction; got {}/{}", e.scale_numerator,
                        e.scale_denominator));
  }
};

struct ValidateSampled {
  void operator()(const RegularisedExponentialEvent& e) const {
    require_positive_finite("gradient_difference", e.gradient_difference);
    require_positive_finite("inverse_temperature", e.inverse_temperature);
    require_positive_finite("penalty", e.penalty);
    require_in_closed_range("log_error", e.log_error, 0, 1);
    require_in_closed_range("total_variation", e.total_variation, 0, 1);
  }
  void operator()(const SampledGaussianEvent& e) const {
    require_positive_finite("sigma", e.sigma);
    sample(e.contribution, e.rate);
    require_group(e.group);
    require(e.group <= 1 || e.sampling == Sampling::poisson,
            "a `group` of records is accounted for in Poisson samples");
    require(e.contribution / e.sigma <= 50, fmt::format("noise {} is too small for a contribution of {}: no accountant "
                                                        "can say anything useful",
                                                        e.sigma, e.contribution));
  }
  void operator()(const SampledLaplaceEvent& e) const {
    require_positive_finite("scale", e.scale);
    sample(e.contribution, e.rate);
  }
  void operator()(const RandomisedResponseEvent& e) const { require_positive_finite("epsilon", e.epsilon); }
  void operator()(const SelectionEvent& e) const {
    require_nonnegative_finite("base_epsilon", e.base_epsilon);
    require_nonnegative_finite("base_mu", e.base_mu);
    require((e.base_epsilon > 0) + (e.base_mu > 0) + !e.alternatives.empty() == 1,
            "exactly one of base_epsilon, base_mu and alternatives must be given for the base of a selection");
    for (const std::vector<PrivacyEvent>& events : e.alternatives) base(events);
    if (e.distribution == RepetitionDistribution::poisson) {
      require_positive_finite("mean number of runs", e.parameter);
      require(e.shape == 0, "a Poisson number of runs has shape 0");
    } else {
      require_in_open_range("success probability", e.parameter, 0, 1);
      require(e.shape > -1 && e.shape <= 1000, "shape",
              fmt::format("must be above -1 and at most 1000; got {}", e.shape));
    }
  }

  void operator()(const DisjointPartsEvent& e) const {
    require(e.parts.size() >= 2, "a division has at least two parts");
    for (const std::vector<PrivacyEvent>& events : e.parts) {
      require(!events.empty(), "every part of a division releases something");
      for (const PrivacyEvent& event : events) {
        require(!std::holds_alternative<DisjointPartsEvent>(event.mechanism), "a part is not divided again");
        validate(event);
      }
    }
  }

 private:
  static void sample(double contribution, double rate) {
    require_positive_finite("contribution", contribution);
    require(rate > 0 && rate <= 1, "rate", fmt::format("must be above 0 and at most 1; got {}", rate));
  }
  static void base(const std::vector<PrivacyEvent>& events) {
    require(!events.empty(), "an alternative of a selection's base releases something");
    for (const PrivacyEvent& event : events) {
      require(!std::holds_alternative<SelectionEvent>(event.mechanism), "a selection is no base of another");
      require(!std::holds_alternative<DisjointPartsEvent>(event.mechanism), "a division is no base of a selection");
      require(!std::holds_alternative<UnprotectedEvent>(event.mechanism), "a selection's base is protected");
      validate(event);
    }
  }
};

struct ValidateAll : Validate, ValidateSampled {
  using Validate::operator();
  using ValidateSampled::operator();
};

bool fixed_size(const Mechanism& mechanism) {
  if (const auto* e = std::get_if<SampledGaussianEvent>(&mechanism)) return e->sampling == Sampling::fixed_size;
  if (const auto* e = std::get_if<SampledLaplaceEvent>(&mechanism)) return e->sampling == Sampling::fixed_size;
  return false;
}

bool same_release(const PrivacyEvent& a, const PrivacyEvent& b) {
  return a.what == b.what && a.mechanism == b.mechanism && a.neighbours == b.neighbours;
}

}  // namespace

bool SelectionEvent::operator==(const SelectionEvent&) const = default;
bool DisjointPartsEvent::operator==(const DisjointPartsEvent&) const = default;

std::string_view word_of(const Mechanism& mechanism) {
  return std::visit([]<class Event>(const Event&) { return Event::word; }, mechanism);
}

std::string to_string(const Mechanism& mechanism) {
  std::string text;
  const auto append = [&](std::string_view name, const auto& value, bool optional) {
    if (optional && value == std::remove_cvref_t<decltype(value)>{}) return;
    text += fmt::format("{} {} {}", text.empty() ? ":" : ",", name, text_of(value));
  };
  std::visit([&](const auto& event) { for_each_leaf(event, append); }, mechanism);
  return std::string(word_of(mechanism)) + text;
}

void validate(const Mechanism& mechanism) { std::visit(ValidateAll{}, mechanism); }

void validate(const PrivacyEvent& event) {
  validate(event.mechanism);
  const auto same_neighbours = [&](const std::vector<std::vector<PrivacyEvent>>& lists) {
    for (const std::vector<PrivacyEvent>& events : lists) {
      for (const PrivacyEvent& each : events) {
        require(each.neighbours == event.neighbours,
                "a release and those it is made of are stated for the same neighbours");
      }
    }
  };
  if (const auto* selection = std::get_if<SelectionEvent>(&event.mechanism)) same_neighbours(selection->alternatives);
  if (const auto* division = std::get_if<DisjointPartsEvent>(&event.mechanism)) {
    same_neighbours(division->parts);
    require(event.neighbours == Neighbours::replace_one,
            "a division is accounted for under replace-one neighbours only");
  }
  require(event.neighbours == Neighbours::replace_one || !fixed_size(event.mechanism),
          "a sample of fixed size is accounted for under replace-one neighbours only");
  require(event.neighbours == Neighbours::replace_one ||
              !(std::holds_alternative<ObjectivePerturbationEvent>(event.mechanism) ||
                std::holds_alternative<PureObjectiveEvent>(event.mechanism)),
          "a perturbed objective is accounted for under replace-one neighbours only");
  require(event.neighbours == Neighbours::replace_one ||
              !std::holds_alternative<RegularisedExponentialEvent>(event.mechanism),
          "the regularised exponential mechanism is accounted for under replace-one neighbours only");
  require(event.repetitions >= 1, "repetitions", fmt::format("must be at least 1; got {}", event.repetitions));
}

void validate(std::span<const PrivacyEvent> events) {
  for (const PrivacyEvent& event : events) {
    validate(event);
    require(event.neighbours == events.front().neighbours,
            fmt::format("'{}' is stated for {} neighbours and '{}' for {}; their guarantees do not add up",
                        events.front().what, word(events.front().neighbours), event.what, word(event.neighbours)));
  }
}

bool is_gaussian(const PrivacyEvent& event) { return std::holds_alternative<GaussianEvent>(event.mechanism); }

bool is_unprotected(std::span<const PrivacyEvent> events) {
  return std::any_of(events.begin(), events.end(), [](const PrivacyEvent& event) {
    if (const auto* division = std::get_if<DisjointPartsEvent>(&event.mechanism)) {
      return std::any_of(division->parts.begin(), division->parts.end(),
                         [](const std::vector<PrivacyEvent>& part) { return is_unprotected(part); });
    }
    return std::holds_alternative<UnprotectedEvent>(event.mechanism);
  });
}

std::optional<GaussianEvent> as_gaussian(const PrivacyEvent& event) {
  if (const auto* gaussian = std::get_if<GaussianEvent>(&event.mechanism)) return *gaussian;
  const auto* sampled = std::get_if<SampledGaussianEvent>(&event.mechanism);
  if (!sampled || sampled->rate < 1) return std::nullopt;
  const double factor = event.neighbours == Neighbours::replace_one ? 2 : 1;
  const double change = factor * sampled->contribution;
  return GaussianEvent{sampled->group <= 1 ? change : times(change, sampled->group), sampled->sigma};
}

double times(double sensitivity, std::uint64_t count) {
  const double factor = static_cast<double>(count), product = sensitivity * factor;
  // The remainder of a rounded product is exact.
  return std::fma(sensitivity, factor, -product) > 0 ? std::nextafter(product, HUGE_VAL) : product;
}

double contribution_of(double sensitivity, Neighbours neighbours) {
  return neighbours == Neighbours::replace_one ? sensitivity / 2 : sensitivity;
}

std::vector<PrivacyEvent> compressed(const std::vector<PrivacyEvent>& events) {
  std::vector<PrivacyEvent> joined;
  for (const PrivacyEvent& event : events) {
    std::int64_t total = 0;
    // A count that does not fit stays in two entries: a wrapped sum would understate what was released.
    if (!joined.empty() && same_release(joined.back(), event) &&
        !__builtin_add_overflow(joined.back().repetitions, event.repetitions, &total)) {
      joined.back().repetitions = total;
    } else {
      joined.push_back(event);
    }
  }
  return joined;
}

}  // namespace dperm::privacy
