// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/task_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dperm/schema/encoding.hpp"

namespace dperm::report {

namespace {

// What people call the model with this loss.
std::string model_name(const methods::Problem& problem) {
  if (!problem.hidden.empty()) {
    return fmt::format("a neural network with hidden layers of {} ({})", fmt::join(problem.hidden, " and "),
                       loss::describe(problem.loss));
  }
  switch (problem.loss.kind) {
    case loss::LossKind::logistic:
      return "a logistic regression";
    case loss::LossKind::squared:
      return "a linear regression";
    case loss::LossKind::softmax:
      return "a softmax regression";
    case loss::LossKind::absolute:
      return "a median regression";
    case loss::LossKind::pinball:
      return fmt::format("a regression for the quantile {:.4g}", problem.loss.quantile);
    case loss::LossKind::huber:
      return "a Huber regression";
    case loss::LossKind::hinge:
    case loss::LossKind::smoothed_hinge:
      return "a support vector machine";
    case loss::LossKind::zero_one:
      return "a rule";
  }
  return fmt::format("a linear model ({})", loss::describe(problem.loss));
}

std::string curves_words(const schema::Encoding& encoding, std::size_t columns) {
  const auto curved = static_cast<std::size_t>(
      std::ranges::count_if(encoding.reals(), [](const schema::RealCode& real) { return real.pieces > 0; }));
  std::string text;
  if (curved == columns) {
    text = columns == 1 ? ", as a curve" : ", as curves";
  } else if (curved > 0) {
    text = fmt::format(", {} of them as {}", curved, curved == 1 ? "a curve" : "curves");
  }
  const std::size_t pairs = encoding.pairs().size();
  return text + (pairs == 0 ? "" : fmt::format(", and {} pair{}", pairs, pairs == 1 ? "" : "s"));
}

}  // namespace

std::string task_words(const schema::Schema& schema, const methods::Problem& problem) {
  const schema::Encoding encoding(schema);
  const std::size_t columns = encoding.reals().size() + encoding.categories().size();
  if (columns == 0) return fmt::format("the {} of {}", loss::constant_answer(problem.loss), schema.target.name);
  return fmt::format("{} of {} on {} column{}{}", model_name(problem), schema.target.name, columns,
                     columns == 1 ? "" : "s", curves_words(encoding, columns));
}

}  // namespace dperm::report
