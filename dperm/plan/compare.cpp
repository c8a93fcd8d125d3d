// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dperm/core/error.hpp"

namespace dperm::plan {

namespace {

bool has_option(const methods::Method& method, const std::string& name) {
  const auto specs = method.options();
  return std::any_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
}

void check_options_exist(const GivenOptions& given) {
  const auto all = methods::all_methods();
  for (const auto& option : given) {
    const std::string& name = option.first;
    if (std::none_of(all.begin(), all.end(), [&](const auto* method) { return has_option(*method, name); })) {
      throw ArgumentError(fmt::format("no method has an option '{}'", name));
    }
  }
}

Alternative alternative(const methods::Method& method, const methods::Question& question, const GivenOptions& given) {
  Alternative result{std::string(method.name()), std::nullopt, ""};
  try {
    result.plan = method.plan(question, given);
  } catch (const ArgumentError& error) {
    result.refusal = error.what();
  }
  return result;
}

}  // namespace

std::vector<Alternative> compare(const methods::Question& question, const GivenOptions& given) {
  methods::validate(question);
  check_options_exist(given);
  std::vector<Alternative> result;
  for (const methods::Method* method : methods::all_methods()) {
    result.push_back(alternative(*method, question, given));
  }
  std::stable_sort(result.begin(), result.end(), [](const Alternative& a, const Alternative& b) {
    if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
    return a.plan && a.plan->utility.excess_risk < b.plan->utility.excess_risk;
  });
  return result;
}

methods::Plan choose(const std::string& method, const methods::Question& question, const GivenOptions& given) {
  if (method != "auto") return methods::method_named(method).plan(question, given);
  const std::vector<Alternative> alternatives = compare(question, given);
  if (alternatives.front().plan) return *alternatives.front().plan;
  std::string reasons;
  for (const Alternative& each : alternatives) reasons += fmt::format("\n  {}: {}", each.method, each.refusal);
  throw ArgumentError("no method answers this question:" + reasons);
}

}  // namespace dperm::plan
