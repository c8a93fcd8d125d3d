// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/task.hpp"

#include <fmt/core.h>

#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/shared/monotone.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/rules/class_spec.hpp"

namespace dperm::methods {

namespace {

// Beyond this the odds may change more than twenty-thousandfold.
constexpr double kLargeEpsilon = 5, kHugeEpsilon = 10;

void check_target(const Task& task) {
  if (!task.facts.target) return;
  const schema::TargetKind declared = *task.facts.target;
  if (declared == schema::TargetKind::none) {
    throw ArgumentError("the schema has no [target]; a fit needs the column to predict");
  }
  const loss::LossInfo& loss = loss::info(task.problem.loss.kind);
  if (loss.target != declared) {
    throw ArgumentError(fmt::format("`loss = {}` needs a target of kind {}, and the schema declares kind {}; choose {}",
                                    loss.name, word(loss.target), word(declared), loss::loss_names(declared)));
  }
}

void check_form(const Task& task) {
  const Problem& problem = task.problem;
  const bool zero_one = problem.loss.kind == loss::LossKind::zero_one;
  require(zero_one || problem.rules.empty(), "a class of rules goes with the zero-one loss; add `loss = zero-one`");
  if (zero_one) {
    require(!problem.rules.empty(), "the zero-one loss needs a class of rules to choose from: `rules`, e.g. stumps");
    require(problem.hidden.empty(), "a class of rules has no hidden layers");
    require(task.facts.rules >= 1, "the class of rules is empty");
  }
  require((problem.loss.kind == loss::LossKind::softmax) == (task.facts.classes >= 2),
          "the softmax loss goes with a target of kind class, and the other losses with other targets");
  if (!problem.hidden.empty()) network::validate(network_shape(task));
}

}  // namespace

ModelForm model_form(const Problem& problem) {
  if (problem.loss.kind == loss::LossKind::zero_one) return ModelForm::rule;
  if (!problem.hidden.empty()) return ModelForm::network;
  return problem.loss.kind == loss::LossKind::softmax ? ModelForm::multiclass : ModelForm::linear;
}

network::Shape network_shape(const Task& task) {
  const Problem& problem = task.problem;
  const bool softmax = problem.loss.kind == loss::LossKind::softmax;
  return {task.facts.dimension, problem.hidden, softmax ? task.facts.classes : 1, problem.activation};
}

std::size_t weight_count(const Task& task) {
  switch (model_form(task.problem)) {
    case ModelForm::linear:
      return task.facts.dimension;
    case ModelForm::multiclass:
      return task.facts.classes * task.facts.dimension;
    case ModelForm::network:
      return network::weight_count(network_shape(task));
    case ModelForm::rule:
      return 1;
  }
  throw InternalError("a model form without weights");
}

loss::LossKind default_loss(schema::TargetKind target, bool chooses_a_rule) {
  if (chooses_a_rule) return loss::LossKind::zero_one;
  const std::vector<loss::LossKind> losses = loss::losses_for(target);
  return losses.empty() ? loss::LossKind::logistic : losses.front();  // without a target nothing can be fitted
}

PublicFacts facts_of(const schema::Encoding& encoding, const Problem& problem, std::size_t rows) {
  require_possible_directions(encoding, problem);
  const schema::Target& target = encoding.schema().target;
  PublicFacts facts{.rows = rows,
                    .dimension = encoding.dimension(),
                    .columns = encoding.columns(),
                    .row_square = encoding.typical_square(),
                    .knots = encoding.has_knots(),
                    .target = target.kind};
  if (target.kind == schema::TargetKind::classes) facts.classes = target.values.size();
  if (encoding.schema().unit) facts.unit_rows = encoding.schema().unit->rows;
  if (!problem.rules.empty()) facts.rules = rules::make_class(encoding, rules::parse_class(problem.rules))->size();
  return facts;
}

void validate_problem(const Task& task) {
  loss::validate(task.problem.loss);
  loss::validate(task.problem.feasible_set);
  require_nonnegative_finite("l2_penalty", task.problem.l2_penalty);
  require(task.facts.rows >= 1, "the data needs at least one row");
  require(task.facts.dimension >= 1 && task.facts.columns >= 1, "the schema needs at least the intercept");
  check_target(task);
  check_form(task);
}

void validate(const Task& task) {
  validate_problem(task);
  privacy::require_meaningful_epsilon(task.budget.epsilon);
  if (!(task.budget.delta >= 0 && task.budget.delta < 1)) {
    throw ArgumentError("delta",
                        fmt::format("must be at least 0 and below 1 (well below 1/rows); got {}", task.budget.delta));
  }
}

void validate_asked(const Task& task) { asks_for_privacy(task.budget) ? validate(task) : validate_problem(task); }

std::vector<BudgetWarning> budget_warnings(const Budget& budget, std::size_t rows) {
  if (!asks_for_privacy(budget)) {
    return {
        {"this model has NO privacy: it can tell anyone what single rows hold. It is for the owner of the data; do "
         "not publish it, or anything computed from it",
         true}};
  }
  std::vector<BudgetWarning> warnings;
  const auto& [epsilon, delta] = budget;
  if (delta * static_cast<double>(rows) >= 1) {
    warnings.push_back(
        {fmt::format(
             "delta {:.3g} is not below 1/rows = {:.3g}: such a delta allows some record to be published in full",
             delta, 1 / static_cast<double>(rows)),
         true});
  }
  if (epsilon >= kHugeEpsilon) {
    warnings.push_back({fmt::format("epsilon {:.4g} protects hardly anybody: what someone believes about a record may "
                                    "change by a factor of {:.3g} in odds. Do not call the result private",
                                    epsilon, std::exp(epsilon)),
                        true});
  } else if (epsilon >= kLargeEpsilon) {
    warnings.push_back({fmt::format("epsilon {:.4g} is a weak promise: what someone believes about a record may change "
                                    "by a factor of {:.3g} in odds; 1 or less is usual for sensitive records",
                                    epsilon, std::exp(epsilon)),
                        false});
  }
  return warnings;
}

void validate_linear(const Task& task, std::string_view method) {
  validate(task);
  const ModelForm form = model_form(task.problem);
  if (form == ModelForm::linear) return;
  throw ArgumentError(fmt::format("{} fits linear models, not {}", method,
                                  form == ModelForm::rule ? "rules; use exponential"
                                  : form == ModelForm::multiclass
                                      ? "those with one score per class; use objective-perturbation, "
                                        "output-perturbation, gradient-descent or sgd"
                                      : "hidden layers; use sgd"));
}

void validate_linear_or_softmax(const Task& task, std::string_view method) {
  if (model_form(task.problem) == ModelForm::multiclass) return validate(task);
  validate_linear(task, method);
}

}  // namespace dperm::methods
