// SPDX-License-Identifier: Apache-2.0
#include "cli/event_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <set>
#include <type_traits>
#include <vector>

#include "cli/numbers.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/words.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::cli {
namespace {

using privacy::Neighbours;
using Values = std::map<std::string, std::string>;

constexpr const char* kCount = "count";  // short for PrivacyEvent::repetitions, with every kind

// Short forms: other words for a kind, other keys for a field, and what a field is where nothing is said.
struct KindAlias {
  std::string_view kind, word;
};
constexpr std::array kKindAliases = {KindAlias{"pure", "randomised-response"}, KindAlias{"laplace", "sampled-laplace"}};

struct KeyAlias {
  std::string_view kind, key, field;
};
constexpr std::array kKeyAliases = {
    KeyAlias{"gaussian", "sensitivity", "l2_sensitivity"}, KeyAlias{"k-norm", "sensitivity", "l2_sensitivity"},
    KeyAlias{"selection", "epsilon", "base_epsilon"}, KeyAlias{"selection", "mu", "base_mu"}};

struct Default {
  std::string_view kind, field, value;
};
constexpr std::array kDefaults = {
    Default{"gaussian", "l2_sensitivity", "1"},       Default{"k-norm", "l2_sensitivity", "1"},
    Default{"sampled-gaussian", "contribution", "1"}, Default{"sampled-gaussian", "sampling", "poisson"},
    Default{"sampled-laplace", "contribution", "1"},  Default{"sampled-laplace", "sampling", "poisson"},
    Default{"selection", "base_epsilon", "0"},        Default{"selection", "base_mu", "0"}};

struct Runs {
  std::string_view word, distribution, shape, parameter;  // an empty shape must be given
};
constexpr std::array kRuns = {Runs{"geometric", "truncated-negative-binomial", "1", "gamma"},
                              Runs{"logarithmic", "truncated-negative-binomial", "0", "gamma"},
                              Runs{"negative-binomial", "truncated-negative-binomial", "", "gamma"},
                              Runs{"poisson", "poisson", "0", "mean"}};

void put(Values& values, const EventText& text, std::string_view field, std::string value) {
  if (!values.emplace(field, std::move(value)).second) {
    throw ArgumentError(fmt::format("{} gives {} twice", text.kind, field));
  }
}

// The value of a key, which is taken out; empty where it is not there.
std::string take(Values& values, std::string_view key) {
  const auto node = values.extract(std::string(key));
  return node.empty() ? "" : node.mapped();
}

// laplace: real noise on a number of this sensitivity, every record taking part.
void expand_laplace(Values& values, const EventText& text, Neighbours neighbours) {
  const std::string said = take(values, "sensitivity");
  const double sensitivity = said.empty() ? 1 : parse_number("laplace:sensitivity", said);
  put(values, text, "contribution", fmt::format("{}", privacy::contribution_of(sensitivity, neighbours)));
  put(values, text, "rate", "1");
  put(values, text, "sampling", "poisson");
}

// exponential:epsilon=E: a choice of which nothing else is known.
void expand_choice(Values& values, const EventText& text) {
  if (!values.contains("epsilon")) {
    if (values.contains("range")) return;
    throw ArgumentError(
        fmt::format("{} needs epsilon=NUMBER, or range, scale_numerator and scale_denominator", text.kind));
  }
  const privacy::LaplaceScale scale =
      privacy::choice_scale_of(parse_number(text.kind + ":epsilon", take(values, "epsilon")));
  put(values, text, "range", "1");
  put(values, text, "scale_numerator", fmt::format("{}", scale.numerator));
  put(values, text, "scale_denominator", fmt::format("{}", scale.denominator));
}

// selection:runs=WORD: the distribution of the number of runs by a word.
void expand_runs(Values& values, const EventText& text) {
  if (!values.contains("runs") && values.contains("repetition_distribution")) return;
  const std::string word = values.contains("runs") ? take(values, "runs") : "geometric";
  const auto runs = std::find_if(kRuns.begin(), kRuns.end(), [&](const Runs& each) { return each.word == word; });
  if (runs == kRuns.end()) {
    throw ArgumentError(fmt::format("runs is geometric, logarithmic, negative-binomial or poisson; got '{}'", word));
  }
  put(values, text, "repetition_distribution", std::string(runs->distribution));
  if (!runs->shape.empty()) put(values, text, "shape", std::string(runs->shape));
  if (values.contains(std::string(runs->parameter))) put(values, text, "parameter", take(values, runs->parameter));
  if (!values.contains("parameter")) {
    throw ArgumentError(fmt::format("selection with runs={} needs {}=NUMBER", word, runs->parameter));
  }
}

// The same values by the names of the event's own fields.
Values by_field(const EventText& text, Neighbours neighbours) {
  Values values = text.values;
  for (const auto& [kind, key, field] : kKeyAliases) {
    if (kind == text.kind && values.contains(std::string(key))) put(values, text, field, take(values, key));
  }
  if (text.kind == "laplace") expand_laplace(values, text, neighbours);
  if (text.kind == "exponential" || text.kind == "permute-and-flip") expand_choice(values, text);
  if (text.kind == "selection") expand_runs(values, text);
  for (const auto& [kind, field, value] : kDefaults) {
    if (kind == text.kind) values.emplace(field, value);
  }
  return values;
}

std::set<std::string> fields_of(const privacy::Mechanism& mechanism) {
  std::set<std::string> names;
  const auto add = [&](std::string_view name, const auto&, bool) { names.emplace(name); };
  std::visit([&](const auto& event) { privacy::for_each_leaf(event, add); }, mechanism);
  return names;
}

// Refuses what is neither a field nor a short form that stands for some.
void require_known(const EventText& text, const Values& values) {
  std::set<std::string> keys = fields_of(kind_of(text));
  const auto stray = std::find_if(values.begin(), values.end(),
                                  [&](const auto& each) { return !keys.contains(each.first) && each.first != kCount; });
  if (stray == values.end()) return;
  if (text.kind == "laplace") keys = {"scale", "sensitivity"};
  if (text.kind == "exponential" || text.kind == "permute-and-flip") keys.emplace("epsilon");
  if (text.kind == "selection") keys.insert({"runs", "gamma", "mean"});
  for (const auto& [kind, key, field] : kKeyAliases) {
    if (kind == text.kind) keys.emplace(key);
  }
  keys.emplace(kCount);
  throw ArgumentError(fmt::format("{} has no '{}'; it takes {}", text.kind, stray->first, fmt::join(keys, ", ")));
}

template <class Value>
Value parse_value(const std::string& name, const std::string& text) {
  if constexpr (std::same_as<Value, double>) {
    return parse_number(name, text);
  } else if constexpr (HasWords<Value>) {
    if (const auto found = from_word<Value>(text)) return *found;
    std::vector<std::string_view> words;
    for (const auto& each : Words<Value>::table) words.push_back(each.second);
    throw ArgumentError(fmt::format("{} is {}; got '{}'", name, fmt::join(words, " or "), text));
  } else if constexpr (std::unsigned_integral<Value>) {
    return parse_integer(name, text);
  } else {
    static_assert(std::same_as<Value, std::vector<std::vector<privacy::PrivacyEvent>>>);
    throw ArgumentError(fmt::format("{} can be given in a file only; use --file", name));
  }
}

[[noreturn]] void fail_missing(const EventText& text, std::string_view field) {
  throw ArgumentError(fmt::format("{} needs {}=VALUE{}", text.kind, field,
                                  text.values.contains("noise_multiplier")
                                      ? "; a noise multiplier is sigma with contribution 1, the default"
                                      : ""));
}

void fill(privacy::Mechanism& mechanism, const EventText& text, const Values& values, std::string_view sought) {
  const auto set = [&]<class Value>(std::string_view name, Value& value, bool optional) {
    const auto found = values.find(std::string(name));
    if (found != values.end()) {
      value = parse_value<Value>(fmt::format("{}:{}", text.kind, name), found->second);
    } else if (name != sought && !optional) {
      fail_missing(text, name);
    }
  };
  std::visit([&](auto& event) { privacy::for_each_leaf(event, set); }, mechanism);
}

std::int64_t count_of(const EventText& text) {
  const auto found = text.values.find(kCount);
  if (found == text.values.end()) return 1;
  const std::uint64_t count = parse_integer(text.kind + ":" + kCount, found->second);
  if (count > std::uint64_t{1} << 62) throw ArgumentError(fmt::format("{}:{} is too large", text.kind, kCount));
  return static_cast<std::int64_t>(count);
}

void require_free(const EventText& text, const Values& values, std::string_view sought) {
  if (text.values.contains(std::string(sought))) {
    throw ArgumentError(fmt::format("leave {} out: it is what is asked for", sought));
  }
  if (values.contains(std::string(sought))) {
    throw ArgumentError(
        fmt::format("{} has no {} to find; write {}", text.kind, sought, privacy::word_of(kind_of(text))));
  }
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

privacy::Mechanism kind_of(const EventText& text) {
  std::string_view word = text.kind;
  std::vector<std::string_view> known(privacy::kMechanismWords.begin(), privacy::kMechanismWords.end());
  for (const auto& alias : kKindAliases) {
    known.push_back(alias.kind);
    if (alias.kind == text.kind) word = alias.word;
  }
  if (auto mechanism = privacy::empty_mechanism(word)) return *mechanism;
  throw ArgumentError(fmt::format("there is no event '{}'; choose one of {}", text.kind, fmt::join(known, ", ")));
}

privacy::PrivacyEvent event_of(const EventText& text, Neighbours neighbours, std::string_view sought) {
  privacy::PrivacyEvent event{text.kind, kind_of(text), neighbours, 1};
  const Values values = by_field(text, neighbours);
  if (!sought.empty()) require_free(text, values, sought);
  fill(event.mechanism, text, values, sought);
  require_known(text, values);
  event.repetitions = count_of(text);
  if (sought.empty()) validate(event);
  return event;
}

privacy::Neighbours parse_neighbours(const std::string& text) {
  if (const auto found = from_word<Neighbours>(text)) return *found;
  throw ArgumentError(fmt::format("--neighbours is replace-one or add-remove; got '{}'", text));
}

std::string event_help() {
  return "Events, each with count=N for N repetitions:\n"
         "  gaussian:sigma=S,sensitivity=D   laplace:scale=B,sensitivity=D   k-norm:scale=B,sensitivity=D\n"
         "  sampled-gaussian:sigma=S,rate=Q[,contribution=C][,sampling=poisson|fixed-size][,group=K]\n"
         "  sampled-laplace:scale=B,rate=Q[,contribution=C][,sampling=poisson|fixed-size]\n"
         "  exponential:epsilon=E  permute-and-flip:epsilon=E  randomised-response:epsilon=E  pure:epsilon=E\n"
         "  selection:mu=M|epsilon=E,runs=geometric|logarithmic,gamma=G   selection:mu=M,runs=poisson,mean=N\n"
         "These are short forms. Every event of a model file can be written by its own word and keys:\n"
         "  discrete-laplace:l1_sensitivity=1,scale_numerator=5,scale_denominator=1\n"
         "A sensitivity holds for the neighbouring relation asked for; a contribution is what one record adds.\n"
         "group=K: one person has up to K records (Poisson samples).\n"
         "DP-SGD: sampled-gaussian, sigma the noise multiplier, rate = batch / rows, count = steps.";
}

}  // namespace dperm::cli
