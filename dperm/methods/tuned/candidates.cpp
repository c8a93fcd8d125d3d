// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/tuned/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {

namespace {

constexpr std::string_view kPenalty = "l2_penalty", kRadius = "radius";
constexpr std::string_view kBetween = " | ";

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t end = text.find(separator);
    result.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

struct Axis {
  std::string_view name;
  std::vector<std::string_view> values;
};

void check_name(std::string_view name, const Method& method) {
  std::vector<std::string_view> known = {kPenalty, kRadius};
  for (const OptionSpec& spec : method.options()) known.push_back(spec.name);
  if (std::ranges::find(known, name) != known.end()) return;
  throw ArgumentError(
      fmt::format("'{}' cannot be tuned for {}; these can: {}", name, method.name(), fmt::join(known, ", ")));
}

Axis axis_of(std::string_view text, const Method& method) {
  const std::size_t equals = text.find('=');
  require(equals != std::string_view::npos && equals > 0,
          fmt::format("a tuned option is written name=value,value,...; got '{}'", text));
  Axis axis{text.substr(0, equals), parts(text.substr(equals + 1), ',')};
  check_name(axis.name, method);
  std::vector<std::string_view> sorted = axis.values;
  std::ranges::sort(sorted);
  require(std::ranges::adjacent_find(sorted) == sorted.end(), fmt::format("{} names a value twice", text));
  require(!sorted.front().empty(), fmt::format("{} has an empty value", text));
  return axis;
}

double number_of(std::string_view name, std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(status == std::errc() && end == text.data() + text.size(), name,
          fmt::format("must be a number; got '{}'", text));
  return value;
}

// What a label's settings ask for; the method's own options are kept as texts until a task is planned.
TunedCandidate candidate_from(const Method& method, std::string label) {
  TunedCandidate candidate{.label = std::move(label)};
  Texts options;
  std::set<std::string_view> seen;
  for (const std::string_view part : parts(candidate.label, ';')) {
    const std::size_t equals = part.find('=');
    require(equals != std::string_view::npos, fmt::format("a candidate is written name=value;...; got '{}'", part));
    const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    check_name(name, method);
    require(seen.insert(name).second, fmt::format("a candidate gives {} twice", name));
    if (name == kPenalty) {
      candidate.l2_penalty = number_of(name, value);
      require_nonnegative_finite(kPenalty, *candidate.l2_penalty);
    } else if (name == kRadius) {
      candidate.radius = number_of(name, value);
      require_positive_finite(kRadius, *candidate.radius);
    } else {
      options[std::string(name)] = std::string(value);
    }
  }
  candidate.plan = [&method, options](const Task& task) { return method.plan(task, options); };
  return candidate;
}

const Method& tuned_method(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Method* method : all_methods()) {
    if (method->name() == name) return *method;
    names.push_back(method->name());
  }
  throw ArgumentError(
      fmt::format("tuning needs `method` with a name, not '{}'; choose {}", name, fmt::join(names, ", ")));
}

}  // namespace

std::vector<TunedCandidate> candidates_of(std::string_view grid, const Method& method) {
  std::vector<std::string> labels = {""};
  std::vector<std::string_view> seen;
  for (const std::string_view text : parts(grid, ';')) {
    const Axis axis = axis_of(text, method);
    require(std::ranges::find(seen, axis.name) == seen.end(),
            fmt::format("{} is given twice: tune it or give it as an option, and once", axis.name));
    seen.push_back(axis.name);
    require(
        labels.size() * axis.values.size() <= kMostCandidates,
        fmt::format("the grid has more than {} candidates; random runs would hardly meet any twice", kMostCandidates));
    std::vector<std::string> next;
    for (const std::string& each : labels) {
      for (const std::string_view value : axis.values) {
        next.push_back(fmt::format("{}{}{}={}", each, each.empty() ? "" : ";", axis.name, value));
      }
    }
    labels = std::move(next);
  }
  require(labels.size() >= 2,
          "a grid of one candidate leaves nothing to choose, at the price of a choice; "
          "give the values as ordinary options");
  std::vector<TunedCandidate> candidates;
  for (std::string& label : labels) candidates.push_back(candidate_from(method, std::move(label)));
  return candidates;
}

TunedOptions tuned_options(const Texts& texts) {
  Texts rest = texts;
  const auto take = [&](const char* name) {
    const auto node = rest.extract(name);
    return node ? node.mapped() : std::string();
  };
  const std::string method = take("method"), grid = take("grid"), candidates = take("candidates");
  require(texts.contains("method"), "tuning needs the name of the method whose settings are tuned, and a grid");
  require(!grid.empty() || !candidates.empty(), "tuning needs a grid of values to choose from");
  require(grid.empty() || candidates.empty(), "tuning takes a grid or a list of candidates, not both");
  TunedOptions options = options_from<TunedOptions>(rest);
  options.method = method;
  const Method& tuned = tuned_method(method);
  if (!grid.empty()) {
    options.candidates = candidates_of(grid, tuned);
    return options;
  }
  for (std::string_view left = candidates;;) {
    const std::size_t end = left.find(kBetween);
    options.candidates.push_back(candidate_from(tuned, std::string(left.substr(0, end))));
    if (end == std::string_view::npos) return options;
    left.remove_prefix(end + kBetween.size());
  }
}

Texts tuned_texts(const TunedOptions& options) {
  Texts texts = texts_of(options);
  texts["method"] = options.method;
  std::string& labels = texts["candidates"];
  for (const TunedCandidate& each : options.candidates) {
    labels += fmt::format("{}{}", labels.empty() ? std::string_view() : kBetween, each.label);
  }
  return texts;
}

Task candidate_task(const TunedCandidate& candidate, Task task) {
  if (candidate.l2_penalty) {
    require(task.problem.l2_penalty == 0, "`l2_penalty` is given and tuned as well");
    task.problem.l2_penalty = *candidate.l2_penalty;
  }
  if (candidate.radius) {
    require(task.problem.feasible_set.kind == loss::SetKind::unconstrained,
            "the feasible set is given and tuned as well");
    task.problem.feasible_set = {loss::SetKind::ball, *candidate.radius};
  }
  return task;
}

}  // namespace dperm::methods
