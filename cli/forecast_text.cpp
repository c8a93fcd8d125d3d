// SPDX-License-Identifier: Apache-2.0
#include "cli/forecast_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <future>
#include <optional>

#include "cli/text.hpp"
#include "dperm/core/error.hpp"

namespace dperm::cli {

namespace {

// The one number that is told: points of accuracy, or how far predictions of a real target are off.
double unit_of(const planner::Forecast& prediction, double half_width) {
  return prediction.accuracy_lost ? 100 : half_width;
}

// More digits would pretend to know more.
std::string two_digits(double value) {
  if (!(value >= 100)) return fmt::format("{:.2g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

// Fewer points than this are not worth a number of their own.
constexpr double kFewPoints = 0.1;

std::string expectation(const planner::Forecast& prediction, double half_width) {
  const double unit = unit_of(prediction, half_width), expected = unit * prediction.told.expected;
  const std::string least = two_digits(unit * prediction.told.lower), most = two_digits(unit * prediction.told.upper);
  if (prediction.accuracy_lost && expected < kFewPoints) {
    return fmt::format("expect to lose less than {} points of accuracy to privacy", most);
  }
  const std::string range = prediction.told.lower > 0 ? fmt::format("(most often {} to {})", least, most)
                                                      : fmt::format("(most often less than {})", most);
  return prediction.accuracy_lost
             ? fmt::format("expect to lose about {} points of accuracy to privacy {}", two_digits(expected), range)
             : fmt::format("expect predictions to move by about {}, root mean square, in the target's unit {}",
                           two_digits(expected), range);
}

std::optional<std::string> value_for(const methods::Planner& plan, const methods::Task& task,
                                     const planner::Population& population, double half_width) {
  try {
    const auto other = planner::forecast(plan(task), population);
    if (!other) return std::nullopt;
    const double expected = unit_of(*other, half_width) * other->told.expected;
    return other->accuracy_lost && expected < kFewPoints ? fmt::format("less than {:g}", kFewPoints)
                                                         : two_digits(expected);
  } catch (const ArgumentError&) {
    return std::nullopt;  // a given penalty, say, does not fit the other size
  }
}

std::string mean_text(const methods::Plan& plan, double half_width) {
  const auto error = planner::proven_mean_error(plan);
  if (!error) return "";
  return fmt::format("the mean is off by at most {}, root mean square, in the target's unit; that is proven",
                     two_digits(*error * half_width));
}

// Rounded up, so that it is enough.
std::string two_digits_above(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return fmt::format("{:.10g}", std::ceil(value / unit - 1e-9) * unit);
}

std::string worth_text(const planner::Alternative& constant) {
  const methods::Task& task = constant.plan->task;
  const double more = static_cast<double>(constant.worth_from->rows) / static_cast<double>(task.facts.rows);
  const auto& epsilon = constant.worth_from->epsilon;
  return fmt::format(
      "the table is too small for a model at this epsilon: an answer that looks at no column does as well or better; "
      "with {} times the rows ({}){} a model would be worth it",
      two_digits_above(more), two_digits_above(static_cast<double>(constant.worth_from->rows)),
      epsilon ? fmt::format(" or epsilon {}", two_digits_above(*epsilon)) : "");
}

}  // namespace

std::string forecast_text(const planner::Alternative& chosen, const methods::Task& task,
                          const planner::Population& population, double half_width) {
  if (chosen.worth_from) return worth_text(chosen) + "\n";
  if (!chosen.predicted) {
    const std::string mean = mean_text(*chosen.plan, half_width);
    return mean.empty() ? fmt::format("no prediction: {}\n", planner::why_no_forecast(*chosen.plan)) : mean + "\n";
  }
  std::string text = fmt::format("with {} and epsilon {:g} {}\n", counted(task.facts.rows, "row"), task.budget.epsilon,
                                 expectation(*chosen.predicted, half_width));
  methods::Task more_rows = task, more_epsilon = task;
  more_rows.facts.rows *= 2;
  more_epsilon.budget.epsilon *= 2;
  // Side by side: calibrating the noise of small samples can take a tenth of a second.
  auto rows_value =
      std::async(std::launch::async, [&] { return value_for(chosen.planner, more_rows, population, half_width); });
  const auto by_epsilon = value_for(chosen.planner, more_epsilon, population, half_width);
  const auto by_rows = rows_value.get();
  if (by_rows) text += fmt::format("  {} rows would make it {}\n", more_rows.facts.rows, *by_rows);
  if (by_epsilon) text += fmt::format("  epsilon {:g} would make it {}\n", more_epsilon.budget.epsilon, *by_epsilon);
  return text;
}

std::string expectation_line(const planner::Alternative& chosen, double half_width) {
  const std::string text = chosen.worth_from  ? worth_text(chosen)
                           : chosen.predicted ? expectation(*chosen.predicted, half_width)
                           : chosen.plan      ? mean_text(*chosen.plan, half_width)
                                              : "";
  return text.empty() ? "" : fmt::format("          {}\n", text);
}

}  // namespace dperm::cli
