// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/tuned/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::methods {

namespace {

constexpr std::string_view kPenalty = "l2_penalty", kRadius = "radius";

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
      fmt::format("'{}' cannot be tuned for {}; what can: {}", name, method.name(), fmt::join(known, ", ")));
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
  require(status == std::errc() && end == text.data() + text.size(),
          fmt::format("{} must be a number; got '{}'", name, text));
  return value;
}

void apply(Candidate& candidate, std::string_view name, std::string_view value) {
  candidate.text += fmt::format("{}{}={}", candidate.text.empty() ? "" : ";", name, value);
  Problem& problem = candidate.task.problem;
  if (name == kPenalty) {
    require(problem.l2_penalty == 0, "l2_penalty is given and tuned as well");
    problem.l2_penalty = number_of(name, value);
    require_nonnegative_finite(kPenalty, problem.l2_penalty);
  } else if (name == kRadius) {
    require(problem.feasible_set.kind == loss::SetKind::unconstrained, "the feasible set is given and tuned as well");
    problem.feasible_set = {loss::SetKind::ball, number_of(name, value)};
    require_positive_finite(kRadius, problem.feasible_set.radius);
  } else {
    candidate.options[std::string(name)] = std::string(value);
  }
}

}  // namespace

std::vector<Candidate> candidates_of(std::string_view grid, const Method& method, const Task& task) {
  std::vector<Candidate> candidates = {{"", task, {}}};
  std::vector<std::string_view> seen;
  for (const std::string_view text : parts(grid, ';')) {
    const Axis axis = axis_of(text, method);
    require(std::ranges::find(seen, axis.name) == seen.end(),
            fmt::format("{} is given twice: tune it or give it as an option, and once", axis.name));
    seen.push_back(axis.name);
    require(
        candidates.size() * axis.values.size() <= kMostCandidates,
        fmt::format("the grid has more than {} candidates; random runs would hardly meet any twice", kMostCandidates));
    std::vector<Candidate> next;
    for (const Candidate& each : candidates) {
      for (const std::string_view value : axis.values) apply(next.emplace_back(each), axis.name, value);
    }
    candidates = std::move(next);
  }
  require(candidates.size() >= 2,
          "a grid of one candidate leaves nothing to choose, at the price of a choice; "
          "give the values as ordinary options");
  return candidates;
}

}  // namespace dperm::methods
