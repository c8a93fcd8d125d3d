// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

Alternative planned(const methods::Method& method, const methods::Question& question, const GivenOptions& given,
                    const Population& population) {
  Alternative result{std::string(method.name()), method.plan(question, given), std::nullopt, ""};
  result.predicted = predict(*result.plan, population);
  return result;
}

Alternative alternative(const methods::Method& method, const methods::Question& question, const GivenOptions& given,
                        const Population& population) {
  Alternative result{std::string(method.name()), std::nullopt, std::nullopt, ""};
  try {
    return planned(method, question, given, population);
  } catch (const ArgumentError& error) {
    result.refusal = error.what();
  }
  return result;
}

// Of softmax regression nothing is predicted. Measured on covertype and on digits, sgd, of which nothing is proven,
// does better than a proven bound above one percent of the loss of zero weights: it clips gradients to the length they
// have.
constexpr double kConvincing = 0.01;

bool promises_little(const Alternative& each) {
  if (!each.plan || each.predicted || !std::isfinite(each.expected_risk())) return false;
  const methods::Question& question = each.plan->question;
  if (methods::model_form(question.problem) != methods::ModelForm::multiclass) return false;
  const double zero = loss::constants(question.problem.loss, 0, question.facts.classes).largest_value;
  return each.expected_risk() >= kConvincing * zero;
}

// Steps on samples hold a row-major copy of the encoded table; beyond this many cells auto leaves them out.
constexpr double kMostCells = 0x1p30;

// Of sgd no model predicts the risk: clipping makes it minimise another loss. Measured on seven public tables and on
// parts of them from 1,000 rows up, it answered as well as or better than every other method, except with the smoothed
// hinge (docs/prediction.md). So for other linear models without penalty or set it is put beside the best of those that
// are predicted, and taken.
void let_sgd_stand_beside_the_best(const methods::Question& question, std::vector<Alternative>& alternatives) {
  const auto sgd = std::find_if(alternatives.begin(), alternatives.end(), [](const Alternative& each) {
    return each.method == "sgd" && each.plan && !each.predicted;
  });
  if (sgd == alternatives.end()) return;
  const methods::Problem& problem = question.problem;
  const double cells = static_cast<double>(question.facts.rows) * static_cast<double>(question.facts.columns);
  const bool has_features = question.facts.dimension > 1 && methods::model_form(problem) == methods::ModelForm::linear;
  // A penalty or a set asks for one particular minimum, from which clipping would lead away.
  const bool plain = problem.l2_penalty == 0 && problem.feasible_set.kind == loss::SetKind::unconstrained &&
                     problem.loss.kind != loss::LossKind::smoothed_hinge;
  if (!has_features || !plain || cells > kMostCells) return;
  const auto best =
      std::min_element(alternatives.begin(), alternatives.end(), [](const Alternative& a, const Alternative& b) {
        if (a.predicted.has_value() != b.predicted.has_value()) return a.predicted.has_value();
        return a.predicted && a.predicted->excess_risk < b.predicted->excess_risk;
      });
  if (!best->predicted) return;
  sgd->predicted = best->predicted;
  sgd->predicted->stands_for = best->method;
  std::rotate(alternatives.begin(), sgd, sgd + 1);  // first among equals when sorted
}

}  // namespace

double Alternative::expected_risk() const {
  if (!plan) return std::numeric_limits<double>::infinity();
  return predicted ? predicted->excess_risk : plan->utility.excess_risk;
}

std::vector<Alternative> compare(const methods::Question& question, const GivenOptions& given,
                                 const Population& population) {
  methods::validate(question);
  check_options_exist(given);
  std::vector<Alternative> result;
  for (const methods::Method* method : methods::all_methods()) {
    result.push_back(alternative(*method, question, given, population));
  }
  let_sgd_stand_beside_the_best(question, result);
  std::stable_sort(result.begin(), result.end(), [](const Alternative& a, const Alternative& b) {
    if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
    if (promises_little(a) != promises_little(b)) return promises_little(b);
    return a.expected_risk() < b.expected_risk();
  });
  return result;
}

Alternative choose(const std::string& method, const methods::Question& question, const GivenOptions& given,
                   const Population& population) {
  if (method != "auto") return planned(methods::method_named(method), question, given, population);
  const std::vector<Alternative> alternatives = compare(question, given, population);
  if (alternatives.front().plan) return alternatives.front();
  std::string reasons;
  for (const Alternative& each : alternatives) reasons += fmt::format("\n  {}: {}", each.method, each.refusal);
  throw ArgumentError("no method answers this question:" + reasons);
}

}  // namespace dperm::plan
