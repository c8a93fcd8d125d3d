// SPDX-License-Identifier: Apache-2.0
#include "cli/prediction_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "dperm/core/error.hpp"

namespace dperm::cli {

namespace {

// The one number that is told: points of accuracy, or how far predictions of a real target are off.
double told(const plan::Prediction& prediction, double half_width) {
  return prediction.accuracy_lost ? 100 * *prediction.accuracy_lost : prediction.score_noise * half_width;
}

// Both follow from the excess risk: accuracy in proportion, distances by its root.
double told_factor(const plan::Prediction& prediction) {
  return prediction.accuracy_lost ? plan::kPredictionFactor : std::sqrt(plan::kPredictionFactor);
}

std::string expectation(const plan::Prediction& prediction, double half_width) {
  const double value = told(prediction, half_width), factor = told_factor(prediction);
  const char* words = prediction.accuracy_lost
                          ? "expect to lose about {:.2g} points of accuracy to privacy (most often {:.2g} to {:.2g})"
                          : "expect predictions to move by about {:.2g}, root mean square, in the target's unit (most "
                            "often {:.2g} to {:.2g})";
  return fmt::format(fmt::runtime(words), value, value / factor, value * factor);
}

std::optional<double> value_for(const plan::Alternative& chosen, const methods::Question& question,
                                const plan::GivenOptions& given, const plan::Population& population,
                                double half_width) {
  try {
    const auto other = plan::choose(chosen.method, question, given, population).predicted;
    return other ? std::optional(told(*other, half_width)) : std::nullopt;
  } catch (const ArgumentError&) {
    return std::nullopt;  // a given penalty, say, does not fit the other size
  }
}

}  // namespace

double target_half_width(const schema::Encoding& encoding) {
  const schema::Target& target = encoding.schema().target;
  return target.kind == schema::TargetKind::real ? (target.upper - target.lower) / 2 : 1;
}

std::string prediction_text(const plan::Alternative& chosen, const methods::Question& question,
                            const plan::GivenOptions& given, const plan::Population& population, double half_width) {
  if (!chosen.predicted) return fmt::format("nothing is predicted for {} on this question\n", chosen.method);
  std::string text = fmt::format("with {} rows and epsilon {:g} {}\n", question.facts.rows, question.budget.epsilon,
                                 expectation(*chosen.predicted, half_width));
  methods::Question more_rows = question, more_epsilon = question;
  more_rows.facts.rows *= 2;
  more_epsilon.budget.epsilon *= 2;
  const auto by_rows = value_for(chosen, more_rows, given, population, half_width);
  const auto by_epsilon = value_for(chosen, more_epsilon, given, population, half_width);
  if (by_rows) text += fmt::format("  {} rows would make it {:.2g}\n", more_rows.facts.rows, *by_rows);
  if (by_epsilon)
    text += fmt::format("  epsilon {:g} would make it {:.2g}\n", more_epsilon.budget.epsilon, *by_epsilon);
  return text;
}

std::string expectation_line(const plan::Alternative& chosen, double half_width) {
  return chosen.predicted ? fmt::format("          {}\n", expectation(*chosen.predicted, half_width)) : "";
}

}  // namespace dperm::cli
