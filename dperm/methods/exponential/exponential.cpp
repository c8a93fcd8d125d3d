// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential/exponential.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "dperm/methods/exponential_ball/exponential_ball.hpp"
#include "dperm/methods/exponential_location/exponential_location.hpp"
#include "dperm/methods/exponential_regularised/exponential_regularised.hpp"
#include "dperm/methods/exponential_rules/exponential_rules.hpp"

namespace dperm::methods {

namespace {

const ExponentialLocation kLocation;
const ExponentialBall kBall;
const ExponentialRegularised kRegularised;
const ExponentialRules kRules;
const std::array<const Method*, 4> kShapes = {&kLocation, &kBall, &kRegularised, &kRules};

bool is_location_loss(loss::LossKind kind) {
  return kind == loss::LossKind::squared || kind == loss::LossKind::absolute || kind == loss::LossKind::pinball;
}

const Method& shape_for(const Task& task, const std::map<std::string, std::string>& given) {
  if (model_form(task.problem) == ModelForm::rule) return kRules;
  if (task.facts.dimension == 1 && is_location_loss(task.problem.loss.kind)) return kLocation;
  const auto asked = given.find("regularised");
  if (asked != given.end() && asked->second == "yes") return kRegularised;
  if (asked != given.end() && asked->second == "no") return kBall;
  return task.facts.dimension <= kMostExactWeights ? static_cast<const Method&>(kBall) : kRegularised;
}

std::vector<OptionSpec> joined_options() {
  std::vector<OptionSpec> all;
  for (const Method* shape : kShapes) {
    for (const OptionSpec& spec : shape->options()) {
      if (std::none_of(all.begin(), all.end(), [&](const OptionSpec& each) { return each.name == spec.name; })) {
        all.push_back(spec);
      }
    }
  }
  return all;
}

}  // namespace

std::span<const OptionSpec> Exponential::options() const {
  static const std::vector<OptionSpec> all = joined_options();
  return all;
}

Plan Exponential::plan(const Task& task, const std::map<std::string, std::string>& given) const {
  return shape_for(task, given).plan(task, given);
}

FitResult Exponential::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                           const FitOptions& options) const {
  return shape_for(plan.task, plan.options).fit(plan, dataset, curator, options);
}

}  // namespace dperm::methods
