// SPDX-License-Identifier: Apache-2.0
#include "cli/forecast_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>
#include <vector>

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
// Times what is expected: so far above it lies what clipping does to skewed targets, not what noise does.
constexpr double kFarAbove = 10;

// An upper end in place of what is expected.
std::string at_most(double points) { return "less than " + two_digits(std::max(points, kFewPoints)); }

// Nobody would notice more rows or a larger epsilon.
bool is_nothing(const planner::Forecast& prediction) {
  return prediction.accuracy_lost && 100 * prediction.told.upper <= kFewPoints;
}

std::string expectation(const planner::Forecast& prediction, double half_width) {
  const double unit = unit_of(prediction, half_width), expected = unit * prediction.told.expected;
  const std::string least = two_digits(unit * prediction.told.lower), most = two_digits(unit * prediction.told.upper);
  if (prediction.accuracy_lost && expected < kFewPoints) {
    return fmt::format("to lose {} points of accuracy to privacy{}", at_most(unit * prediction.told.upper),
                       is_nothing(prediction) ? ", which nobody would notice" : "");
  }
  const bool skewed = !prediction.accuracy_lost && unit * prediction.told.upper > kFarAbove * expected;
  const std::string range = skewed                      ? fmt::format("(up to {} where the target is skewed)", most)
                            : prediction.told.lower > 0 ? fmt::format("(most often {} to {})", least, most)
                                                        : fmt::format("(most often less than {})", most);
  return prediction.accuracy_lost
             ? fmt::format("to lose about {} points of accuracy to privacy {}", two_digits(expected), range)
             : fmt::format("predictions to move by about {}, root mean square, in the target's unit {}",
                           two_digits(expected), range);
}

// The number alone.
std::string value_text(const planner::Forecast& prediction, double half_width) {
  const double unit = unit_of(prediction, half_width), expected = unit * prediction.told.expected;
  return prediction.accuracy_lost && expected < kFewPoints ? at_most(unit * prediction.told.upper)
                                                           : two_digits(expected);
}

std::optional<std::string> value_for(const methods::Planner& plan, const methods::Task& task,
                                     const planner::Population& population, double half_width) {
  try {
    const auto other = planner::forecast(plan(task), population);
    return other ? std::optional(value_text(*other, half_width)) : std::nullopt;
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

std::string worth_text(const planner::WorthFrom& worth, const methods::Task& task) {
  const double more = static_cast<double>(worth.rows) / static_cast<double>(task.facts.rows);
  return fmt::format(
      "the table is too small for a model at this epsilon: an answer that looks at no column does as well or better; "
      "with {} times the rows ({}){} a model would be worth it",
      two_digits_above(more), two_digits_above(static_cast<double>(worth.rows)),
      worth.epsilon ? fmt::format(" or epsilon {}", two_digits_above(*worth.epsilon)) : "");
}

// What twice the rows, and twice the epsilon, would make of the number that is told.
std::vector<std::string> more_texts(const planner::Alternative& chosen, const methods::Task& task,
                                    const planner::Population& population, double half_width) {
  if (is_nothing(*chosen.predicted)) return {};
  methods::Task more_rows = task, more_epsilon = task;
  more_rows.facts.rows *= 2;
  more_epsilon.budget.epsilon *= 2;
  // Side by side: calibrating the noise of small samples can take a tenth of a second.
  auto rows_value =
      std::async(std::launch::async, [&] { return value_for(chosen.planner, more_rows, population, half_width); });
  const auto by_epsilon = value_for(chosen.planner, more_epsilon, population, half_width);
  const auto by_rows = rows_value.get();
  const auto now = value_text(*chosen.predicted, half_width);  // what would stay as it is needs no advice
  std::vector<std::string> texts;
  if (by_rows && *by_rows != now)
    texts.push_back(fmt::format("{} rows would make it {}", more_rows.facts.rows, *by_rows));
  if (by_epsilon && *by_epsilon != now)
    texts.push_back(fmt::format("epsilon {:g} would make it {}", more_epsilon.budget.epsilon, *by_epsilon));
  return texts;
}

}  // namespace

std::string told_text(const planner::Forecast& prediction, double half_width) {
  const double expected = unit_of(prediction, half_width) * prediction.told.expected;
  const std::string number =
      prediction.accuracy_lost && expected < kFewPoints ? fmt::format("below {:g}", kFewPoints) : two_digits(expected);
  return number + (prediction.accuracy_lost ? " points" : "");
}

std::string forecast_text(const planner::Alternative& chosen, const methods::Task& task,
                          const planner::Population& population, double half_width) {
  if (!chosen.predicted || chosen.worth_from) {
    const std::string text = expectation_text(chosen, half_width);
    return text.empty() ? fmt::format("no prediction: {}\n", planner::why_no_forecast(*chosen.plan)) : text + "\n";
  }
  std::string text = fmt::format("with {} and epsilon {:g} expect {}\n", counted(task.facts.rows, "row"),
                                 task.budget.epsilon, expectation(*chosen.predicted, half_width));
  for (const std::string& more : more_texts(chosen, task, population, half_width)) text += "  " + more + "\n";
  return text;
}

std::string forecast_sentence(const planner::Alternative& chosen, double half_width) {
  if (!chosen.predicted || chosen.worth_from) {
    const std::string text = expectation_text(chosen, half_width);
    return text.empty() ? fmt::format("no prediction: {}", planner::why_no_forecast(*chosen.plan)) : text;
  }
  const std::vector<std::string> more = more_texts(chosen, chosen.asked->task, chosen.asked->population, half_width);
  return fmt::format("{}{}{}", expectation(*chosen.predicted, half_width), more.empty() ? "" : "; ",
                     fmt::join(more, ", "));
}

std::string expectation_text(const planner::Alternative& chosen, double half_width) {
  if (chosen.worth_from) return worth_text(*chosen.worth_from, chosen.plan->task);
  if (chosen.predicted) return expectation(*chosen.predicted, half_width);
  return chosen.plan ? mean_text(*chosen.plan, half_width) : "";
}

std::string too_small_text(const planner::Alternative& chosen) {
  if (chosen.worth_from || !chosen.predicted) return "";
  const auto worth = planner::too_small(chosen.asked->task);
  return worth ? worth_text(*worth, chosen.asked->task) : "";
}

}  // namespace dperm::cli
