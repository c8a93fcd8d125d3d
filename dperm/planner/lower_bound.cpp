// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/lower_bound.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/methods/method.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::planner {

namespace {

// c_A = 1/2 integral (p - q)^2/(p + q) for N(0,1) and N(A,1); the trapezoid rule is exact to double for such tails.
double overlap(double shift) {
  const double step = 1.0 / 64;
  double sum = 0;
  for (double x = -9; x <= 9 + shift; x += step) {
    const double p = std::exp(-x * x / 2), q = std::exp(-(x - shift) * (x - shift) / 2);
    if (p + q > 0) sum += (p - q) * (p - q) / (p + q);
  }
  return sum * step / (2 * std::sqrt(2 * M_PI));
}

// max over whole m with 1 <= m <= most of value(m * unit), which rises once and falls once.
template <class Value>
double best_multiple(double unit, double most, Value value) {
  double best = 0;
  // Beyond A = 12 both functions are below 1e-4 of their maximum.
  for (double m = 1; m <= most && m * unit <= 12; m = std::max(m + 1, std::floor(m * 1.0005))) {
    best = std::max(best, value(m * unit));
  }
  return best;
}

}  // namespace

double gaussian_floor(double rows, double dimension, double lipschitz, double radius, double mu) {
  const double constant = best_multiple(mu, rows / dimension, [](double a) { return a * (1 - std::sqrt(overlap(a))); });
  return lipschitz * radius * std::sqrt(dimension) / (rows * mu) * constant;
}

double pure_floor(double rows, double dimension, double lipschitz, double radius, double epsilon) {
  const double constant = best_multiple(epsilon, rows / dimension, [](double a) { return a * (1 - std::tanh(a / 2)); });
  const double coordinates = lipschitz * radius * std::sqrt(dimension) / (rows * epsilon) * constant;
  double packing = 0;
  for (double angle = 0.01; angle < M_PI / 2; angle += 0.01) {
    const double records = std::min(rows, std::floor((dimension - 1) * -std::log(std::sin(angle)) / epsilon));
    packing = std::max(packing, (1 - std::cos(angle / 2)) / 2 * records * lipschitz * radius / rows);
  }
  return std::max(coordinates, packing);
}

double excess_risk_floor(const methods::Task& task) {
  methods::validate(task);
  if (methods::model_form(task.problem) != methods::ModelForm::linear) return 0;
  const methods::PublicFacts& facts = task.facts;
  const double radius = std::min(loss::norm_bound(task.problem.feasible_set, facts.dimension),
                                 methods::default_radius(task.problem, facts));
  const double lipschitz = loss::constants(task.problem.loss, radius).lipschitz;
  const double rows = static_cast<double>(facts.rows), dimension = static_cast<double>(facts.dimension);
  if (task.budget.delta <= 0) return pure_floor(rows, dimension, lipschitz, radius, task.budget.epsilon);
  return gaussian_floor(rows, dimension, lipschitz, radius, privacy::mu_for(task.budget.epsilon, task.budget.delta));
}

}  // namespace dperm::planner
