// SPDX-License-Identifier: Apache-2.0
// A utility theorem as an experiment: excess risk measured over seeds at several sizes and budgets, compared with the
// bound that the plan promised, and its growth compared with the bound's. docs/theorems/README.md explains the method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dperm::tests {

// Chance that one check fails although the theorem and the code are right.
inline constexpr double kFalseAlarm = 1e-9;
// The bound's own slope may differ from the theorem's power by this share of it: numbers of steps are whole, and
// mu(epsilon, delta) is not quite linear in epsilon.
inline constexpr double kPowerSlack = 0.08;

struct Point {
  double rows = 0;
  double epsilon = 0;
  double rules = 0;  // size of the class, where there is one
};

// Everything fixed before the first seed: the promised bound, and the excess risk of the run of a seed.
struct Trial {
  double bound;
  std::function<double(std::uint64_t seed)> excess;
};

enum class Promise {
  on_average,        // the mean excess risk is at most the bound
  attained,          // it equals the bound on this instance
  with_probability,  // the bound is exceeded with probability at most `failure`
};

struct Sweep {
  std::string axis;                    // what is varied: "rows n", "epsilon", "ln(rules)"
  double exponent;                     // the theorem's power of it
  std::function<double(Point)> value;  // the number on the axis
  std::vector<Point> points;
  bool tight = true;  // false: the instance may fall faster than the bound, not more slowly
};

struct Theorem {
  std::string name;  // of the page: objective_perturbation
  std::string title;
  std::string statement;  // the bound in one line
  Promise promise = Promise::on_average;
  double failure = 0;
  std::size_t runs = 200;
  std::vector<Sweep> sweeps;
  std::function<Trial(const Point&)> at;
};

struct Measured {
  double x;            // on the sweep's axis
  double mean, error;  // of the excess risk; standard error
  double bound;
  std::size_t above = 0;  // runs beyond the bound
  Point at = {};
};

struct Slope {
  double value, error;
};

struct Line {
  Sweep sweep;
  std::vector<Measured> points;
  Slope measured;
  double promised;  // slope of the bound over the same points, fitted in the same way
};

struct Result {
  std::vector<Line> lines;
  double quantile;                    // standard errors that a check allows
  std::vector<std::string> failures;  // empty: the theorem was seen to hold
};

// n and epsilon on a logarithmic axis, through the base point.
Sweep rows_sweep(double exponent, const Point& base, const std::vector<double>& rows);
Sweep epsilon_sweep(double exponent, const Point& base, const std::vector<double>& epsilons);

// Least squares in the logarithms; the error by the delta method from the standard errors of the means.
Slope log_log_slope(const std::vector<Measured>& points);

// Student's quantile: a mean of `runs` runs is farther from its expectation than so many standard errors with
// probability kFalseAlarm (as far as the mean is normal).
double allowed_errors(std::size_t runs);

Result examine(const Theorem& theorem);

// Writes <folder>/<name>.json for tools/draw_theorems.py.
void write_points(const Theorem& theorem, const Result& result, const std::string& folder);

}  // namespace dperm::tests
