// SPDX-License-Identifier: Apache-2.0
#include "tests/theorems/experiment.hpp"

#include <fmt/core.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dperm::tests {

namespace {

Measured measure(const Theorem& theorem, const Sweep& sweep, const Point& point, std::uint64_t first_seed) {
  const Trial trial = theorem.at(point);
  const auto runs = static_cast<double>(theorem.runs);
  Measured measured{sweep.value(point), 0, 0, trial.bound, 0, point};
  double mean = 0, squares = 0;  // Welford
  for (std::size_t run = 0; run < theorem.runs; ++run) {
    const double excess = trial.excess(first_seed + run);
    const double step = excess - mean;
    mean += step / static_cast<double>(run + 1);
    squares += step * (excess - mean);
    if (!(excess <= trial.bound)) ++measured.above;
  }
  measured.mean = mean;
  measured.error = std::sqrt(squares / (runs - 1) / runs);
  return measured;
}

double at_least(std::size_t above, std::size_t runs, double probability) {
  if (above == 0) return 1;
  const boost::math::binomial distribution(static_cast<double>(runs), probability);
  return boost::math::cdf(boost::math::complement(distribution, static_cast<double>(above) - 1));
}

void check_bound(const Theorem& theorem, const Line& line, const Measured& point, Result& result) {
  const auto fail = [&](const std::string& what) {
    result.failures.push_back(fmt::format("{}, {} = {}: {}", theorem.name, line.sweep.axis, point.x, what));
  };
  const double spread = result.quantile * point.error;
  if (theorem.promise == Promise::with_probability) {
    if (!(at_least(point.above, theorem.runs, theorem.failure) > kFalseAlarm)) {
      fail(fmt::format("{} of {} runs exceed the bound, which allows a share of {}", point.above, theorem.runs,
                       theorem.failure));
    }
  } else if (theorem.promise == Promise::attained) {
    if (!(std::abs(point.mean - point.bound) <= spread)) {
      fail(fmt::format("mean excess risk {} +- {} is not the bound {}", point.mean, spread, point.bound));
    }
  } else if (!(point.mean + spread <= point.bound)) {
    fail(fmt::format("mean excess risk {} + {} is above the bound {}", point.mean, spread, point.bound));
  }
}

void check_slope(const Theorem& theorem, const Line& line, Result& result) {
  const Sweep& sweep = line.sweep;
  if (sweep.tight && !(std::abs(line.promised - sweep.exponent) <= kPowerSlack * std::abs(sweep.exponent))) {
    result.failures.push_back(fmt::format("{}: the bound goes with {} to the power {}, the theorem says {}",
                                          theorem.name, sweep.axis, line.promised, sweep.exponent));
  }
  const double spread = result.quantile * line.measured.error;
  const double difference = line.measured.value - line.promised;
  const bool holds = sweep.tight ? std::abs(difference) <= spread : difference <= spread;
  if (holds) return;
  result.failures.push_back(fmt::format("{}, slope in {}: measured {} +- {}, the bound has {}", theorem.name,
                                        sweep.axis, line.measured.value, spread, line.promised));
}

Sweep sweep_of(std::string axis, double exponent, std::function<double(Point)> value) {
  return {std::move(axis), exponent, std::move(value), {}};
}

}  // namespace

Sweep rows_sweep(double exponent, const Point& base, const std::vector<double>& rows) {
  Sweep sweep = sweep_of("rows n", exponent, [](const Point& point) { return point.rows; });
  for (const double each : rows) sweep.points.push_back({each, base.epsilon, base.rules});
  return sweep;
}

Sweep epsilon_sweep(double exponent, const Point& base, const std::vector<double>& epsilons) {
  Sweep sweep = sweep_of("epsilon", exponent, [](const Point& point) { return point.epsilon; });
  for (const double each : epsilons) sweep.points.push_back({base.rows, each, base.rules});
  return sweep;
}

Slope log_log_slope(const std::vector<Measured>& points) {
  double middle = 0;
  for (const Measured& point : points) middle += std::log(point.x) / static_cast<double>(points.size());
  double square = 0, product = 0, variance = 0;
  for (const Measured& point : points) {
    const double u = std::log(point.x) - middle;
    const double relative = point.error / point.mean;
    square += u * u;
    product += u * std::log(point.mean);
    variance += u * u * relative * relative;
  }
  return {product / square, std::sqrt(variance) / square};
}

double allowed_errors(std::size_t runs) {
  const boost::math::students_t distribution(static_cast<double>(runs) - 1);
  return boost::math::quantile(boost::math::complement(distribution, kFalseAlarm / 2));
}

Result examine(const Theorem& theorem) {
  Result result{{}, allowed_errors(theorem.runs), {}};
  std::uint64_t seed = 1;  // every point has seeds of its own, so that the points are independent
  for (const Sweep& sweep : theorem.sweeps) {
    Line line{sweep, {}, {}, 0};
    std::vector<Measured> bounds;
    for (const Point& point : sweep.points) {
      line.points.push_back(measure(theorem, sweep, point, seed));
      seed += theorem.runs;
      bounds.push_back({line.points.back().x, line.points.back().bound, 0, 0});
      check_bound(theorem, line, line.points.back(), result);
    }
    line.measured = log_log_slope(line.points);
    line.promised = log_log_slope(bounds).value;
    check_slope(theorem, line, result);
    result.lines.push_back(std::move(line));
  }
  return result;
}

void write_points(const Theorem& theorem, const Result& result, const std::string& folder) {
  nlohmann::ordered_json json = {{"name", theorem.name},
                                 {"title", theorem.title},
                                 {"statement", theorem.statement},
                                 {"failure", theorem.promise == Promise::with_probability ? theorem.failure : 0},
                                 {"runs", theorem.runs},
                                 {"allowed_errors", result.quantile},
                                 {"lines", nlohmann::ordered_json::array()}};
  for (const Line& line : result.lines) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const Measured& point : line.points) {
      points.push_back({{"rows", point.at.rows},
                        {"epsilon", point.at.epsilon},
                        {"rules", point.at.rules},
                        {"x", point.x},
                        {"mean", point.mean},
                        {"error", point.error},
                        {"bound", point.bound},
                        {"above", point.above}});
    }
    json["lines"].push_back({{"axis", line.sweep.axis},
                             {"exponent", line.sweep.exponent},
                             {"slope", line.measured.value},
                             {"slope_error", line.measured.error},
                             {"bound_slope", line.promised},
                             {"points", points}});
  }
  std::ofstream file(folder + "/" + theorem.name + ".json");
  file << json.dump(1) << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write to " + folder);
}

}  // namespace dperm::tests
