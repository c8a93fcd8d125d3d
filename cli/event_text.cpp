// SPDX-License-Identifier: Apache-2.0
#include "cli/event_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/numbers.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::cli {
namespace {

using privacy::Neighbours;

// The values of one event; remembers what was asked for so that a stray key is refused.
class Values {
 public:
  explicit Values(const EventText& text) : text_(text) {}

  double number(const char* key) {
    known_.insert(key);
    const auto found = text_.values.find(key);
    if (found == text_.values.end()) {
      throw ArgumentError(fmt::format("{} needs {}=NUMBER{}", text_.kind, key,
                                      text_.values.contains("noise_multiplier")
                                          ? "; a noise multiplier is sigma with contribution 1, the default"
                                          : ""));
    }
    return parse_number(fmt::format("{}:{}", text_.kind, key), found->second);
  }
  double number(const char* key, double otherwise) {
    known_.insert(key);
    return text_.values.contains(key) ? number(key) : otherwise;
  }
  std::string word(const char* key, const char* otherwise) {
    known_.insert(key);
    const auto found = text_.values.find(key);
    return found == text_.values.end() ? otherwise : found->second;
  }
  void finish() const {
    for (const auto& [key, value] : text_.values) {
      if (!known_.contains(key)) {
        throw ArgumentError(fmt::format("{} has no '{}'; it takes {}", text_.kind, key, fmt::join(known_, ", ")));
      }
    }
  }

 private:
  const EventText& text_;
  std::set<std::string> known_;
};

privacy::Sampling sampling_of(Values& values) {
  const std::string word = values.word("sampling", "poisson");
  if (word == "poisson") return privacy::Sampling::poisson;
  if (word == "fixed-size") return privacy::Sampling::fixed_size;
  throw ArgumentError(fmt::format("sampling is poisson or fixed-size; got '{}'", word));
}

// A fraction whose epsilon is at least the one given.
template <class Choice>
Choice choice_of(double epsilon) {
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(1, epsilon * (1 + 0x1p-40));
  return {1, scale.numerator, scale.denominator};
}

privacy::SelectionEvent selection_of(Values& values) {
  const std::string runs = values.word("runs", "geometric");
  privacy::SelectionEvent event{privacy::RepetitionDistribution::truncated_negative_binomial, 1, 0,
                                values.number("epsilon", 0), values.number("mu", 0)};
  if (runs == "poisson") {
    event.distribution = privacy::RepetitionDistribution::poisson;
    event.shape = 0;
    event.parameter = values.number("mean");
    return event;
  }
  if (runs == "logarithmic") event.shape = 0;
  if (runs == "negative-binomial") event.shape = values.number("shape");
  if (runs != "geometric" && runs != "logarithmic" && runs != "negative-binomial") {
    throw ArgumentError(fmt::format("runs is geometric, logarithmic, negative-binomial or poisson; got '{}'", runs));
  }
  event.parameter = values.number("gamma");
  return event;
}

privacy::Mechanism mechanism_of(const std::string& kind, Values& values, Neighbours neighbours) {
  if (kind == "gaussian") return privacy::GaussianEvent{values.number("sensitivity", 1), values.number("sigma")};
  if (kind == "laplace") {
    // The event's contribution is doubled under replacement; `sensitivity` is for the relation itself.
    const double half = neighbours == Neighbours::replace_one ? 0.5 : 1;
    return privacy::SampledLaplaceEvent{values.number("sensitivity", 1) * half, values.number("scale"), 1,
                                        privacy::Sampling::poisson};
  }
  if (kind == "k-norm") return privacy::KNormEvent{values.number("sensitivity", 1), values.number("scale")};
  if (kind == "sampled-gaussian") {
    return privacy::SampledGaussianEvent{values.number("contribution", 1), values.number("sigma"),
                                         values.number("rate"), sampling_of(values)};
  }
  if (kind == "sampled-laplace") {
    return privacy::SampledLaplaceEvent{values.number("contribution", 1), values.number("scale"), values.number("rate"),
                                        sampling_of(values)};
  }
  if (kind == "exponential") return choice_of<privacy::ExponentialEvent>(values.number("epsilon"));
  if (kind == "permute-and-flip") return choice_of<privacy::PermuteAndFlipEvent>(values.number("epsilon"));
  if (kind == "randomised-response" || kind == "pure") {
    return privacy::RandomisedResponseEvent{values.number("epsilon")};
  }
  if (kind == "selection") return selection_of(values);
  throw ArgumentError(
      fmt::format("there is no event '{}'; choose one of gaussian, laplace, k-norm, sampled-gaussian, sampled-laplace, "
                  "exponential, permute-and-flip, randomised-response, pure, selection",
                  kind));
}

}  // namespace

EventText parse_event_text(const std::string& text) {
  const auto colon = text.find(':');
  EventText result{text.substr(0, colon), {}};
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string item = rest.substr(0, comma);
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ArgumentError(fmt::format("'{}' is not an event; write KIND:KEY=VALUE,KEY=VALUE", text));
    }
    if (!result.values.emplace(item.substr(0, equals), item.substr(equals + 1)).second) {
      throw ArgumentError(fmt::format("'{}' gives {} twice", text, item.substr(0, equals)));
    }
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return result;
}

privacy::PrivacyEvent event_of(const EventText& text, Neighbours neighbours) {
  Values values(text);
  privacy::PrivacyEvent event{text.kind, mechanism_of(text.kind, values, neighbours), neighbours, 1};
  const std::string count = values.word("count", "1");
  const std::uint64_t whole = parse_integer(text.kind + ":count", count);
  if (whole > std::uint64_t{1} << 62) throw ArgumentError(fmt::format("{}:count is too large", text.kind));
  event.repetitions = static_cast<std::int64_t>(whole);
  values.finish();
  validate(event);
  return event;
}

privacy::Neighbours parse_neighbours(const std::string& text) {
  for (const auto each : {Neighbours::replace_one, Neighbours::add_remove}) {
    if (privacy::to_string(each) == text) return each;
  }
  throw ArgumentError(fmt::format("--neighbours is replace-one or add-remove; got '{}'", text));
}

std::string event_help() {
  return "Events, each with count=N for N repetitions:\n"
         "  gaussian:sigma=S,sensitivity=D   laplace:scale=B,sensitivity=D   k-norm:scale=B,sensitivity=D\n"
         "  sampled-gaussian:sigma=S,rate=Q[,contribution=C][,sampling=poisson|fixed-size]\n"
         "  sampled-laplace:scale=B,rate=Q[,contribution=C][,sampling=poisson|fixed-size]\n"
         "  exponential:epsilon=E  permute-and-flip:epsilon=E  randomised-response:epsilon=E  pure:epsilon=E\n"
         "  selection:mu=M|epsilon=E,runs=geometric|logarithmic,gamma=G   selection:mu=M,runs=poisson,mean=N\n"
         "A sensitivity holds for the neighbouring relation asked for; a contribution is what one record adds.\n"
         "DP-SGD: sampled-gaussian, sigma the noise multiplier, rate = batch / rows, count = steps.";
}

}  // namespace dperm::cli
