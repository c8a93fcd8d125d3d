// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/question.hpp"

#include <fmt/core.h>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/class_spec.hpp"
#include "dperm/privacy/calibration.hpp"

namespace dperm::methods {

namespace {

void check_form(const Question& question) {
  const Problem& problem = question.problem;
  const bool zero_one = problem.loss.kind == loss::LossKind::zero_one;
  require(zero_one || problem.rules.empty(), "a class of rules goes with the zero-one loss; add --loss zero-one");
  if (zero_one) {
    require(!problem.rules.empty(), "the zero-one loss needs a class of rules to choose from: --class, e.g. stumps");
    require(problem.hidden.empty(), "a class of rules has no hidden layers");
    require(question.facts.rules >= 1, "the class of rules is empty");
  }
  require((problem.loss.kind == loss::LossKind::softmax) == (question.facts.classes >= 2),
          "the softmax loss goes with a target of kind class, and the other losses with other targets");
  if (!problem.hidden.empty()) network::validate(network_shape(question));
}

}  // namespace

ModelForm model_form(const Problem& problem) {
  if (problem.loss.kind == loss::LossKind::zero_one) return ModelForm::rule;
  if (!problem.hidden.empty()) return ModelForm::network;
  return problem.loss.kind == loss::LossKind::softmax ? ModelForm::multiclass : ModelForm::linear;
}

network::Shape network_shape(const Question& question) {
  const Problem& problem = question.problem;
  const bool softmax = problem.loss.kind == loss::LossKind::softmax;
  return {question.facts.dimension, problem.hidden, softmax ? question.facts.classes : 1, problem.activation};
}

std::size_t weight_count(const Question& question) {
  switch (model_form(question.problem)) {
    case ModelForm::linear:
      return question.facts.dimension;
    case ModelForm::multiclass:
      return question.facts.classes * question.facts.dimension;
    case ModelForm::network:
      return network::weight_count(network_shape(question));
    case ModelForm::rule:
      return 1;
  }
  throw InternalError("a model form without weights");
}

PublicFacts facts_of(const schema::Encoding& encoding, const Problem& problem, std::size_t rows) {
  PublicFacts facts{rows, encoding.dimension(), encoding.columns()};
  const schema::Target& target = encoding.schema().target;
  if (target.kind == schema::TargetKind::classes) facts.classes = target.values.size();
  if (!problem.rules.empty()) facts.rules = make_class(encoding, parse_class(problem.rules))->size();
  return facts;
}

void validate(const Question& question) {
  loss::validate(question.problem.loss);
  loss::validate(question.problem.feasible_set);
  require_nonnegative_finite("l2_penalty", question.problem.l2_penalty);
  require(question.facts.rows >= 1, "the data needs at least one row");
  require(question.facts.dimension >= 1 && question.facts.columns >= 1, "the schema needs at least the intercept");
  check_form(question);
  privacy::require_meaningful_epsilon(question.budget.epsilon);
  if (!(question.budget.delta >= 0 && question.budget.delta < 1)) {
    throw ArgumentError(
        fmt::format("delta must be at least 0 and below 1 (well below 1/rows); got {}", question.budget.delta));
  }
}

void validate_linear(const Question& question, std::string_view method) {
  validate(question);
  const ModelForm form = model_form(question.problem);
  if (form == ModelForm::linear) return;
  throw ArgumentError(fmt::format("{} fits linear models, not {}", method,
                                  form == ModelForm::rule ? "rules; use exponential"
                                  : form == ModelForm::multiclass
                                      ? "those with one score a class; use objective-perturbation, "
                                        "output-perturbation, gradient-descent or sgd"
                                      : "hidden layers; use sgd"));
}

void validate_linear_or_softmax(const Question& question, std::string_view method) {
  if (model_form(question.problem) == ModelForm::multiclass) return validate(question);
  validate_linear(question, method);
}

}  // namespace dperm::methods
