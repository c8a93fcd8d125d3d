// SPDX-License-Identifier: Apache-2.0
// What output perturbation releases has a known distribution: the point that the solver found, on its lattice, plus
// noise of a known density. For adversarial neighbours in one and two dimensions the log-ratio of the two
// distributions, or for Gaussian noise the integral of what exceeds it, must keep to the promise. Points come from the
// method itself: two fits with the same bits have the same noise, so their difference is that of the points.
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/methods/method.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/derivation.hpp"

namespace dperm::methods {
namespace {

constexpr double kEpsilon = 0.8;
constexpr double kDelta = 1e-5;
constexpr std::size_t kRows = 60;

struct Case {
  const char* name;
  loss::LossKind kind;
  double penalty;
  std::map<std::string, std::string> options;
};

// Huber: no row comes near the threshold's inside, so gradients differ as much as its constant says, at every step.
// Logistic with so large a penalty that all weights are small, where its constant is nearly attained too.
const Case kCases[] = {
    {"certified huber", loss::LossKind::huber, 2, {{"solver", "certified"}}},
    {"certified logistic", loss::LossKind::logistic, 10, {{"solver", "certified"}}},
    {"descent huber", loss::LossKind::huber, 2, {{"solver", "gradient-descent"}, {"passes", "20"}}},
    {"batches, decreasing steps", loss::LossKind::huber, 2, {{"batch", "7"}, {"passes", "3"}}},
    {"batches of one, decreasing steps", loss::LossKind::huber, 2, {{"batch", "1"}, {"passes", "2"}}},
    {"batches, no penalty", loss::LossKind::huber, 0, {{"batch", "7"}, {"passes", "2"}, {"step_size", "0.02"}}},
};

// A base table and its neighbours: one row, at several places, replaced by every corner and target.
std::vector<tests::EncodedTable> neighbours(const Case& each, int dimension) {
  const bool binary = loss::is_classification(each.kind);
  const std::int32_t one = binary ? 1 : 1 << 30;
  tests::EncodedTable base;
  base.targets.resize(kRows);
  for (std::size_t row = 0; row < kRows; ++row) base.targets[row] = row % 2 == 0 ? one : -one;
  if (dimension == 2) {
    base.reals.emplace_back(kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
      base.reals[0][row] = static_cast<std::int16_t>(32767 - 1000 * static_cast<int>(row));
    }
  }
  std::vector<tests::EncodedTable> tables = {base};
  for (const std::size_t row : {0ul, 31ul, kRows - 1}) {
    for (const std::int16_t q : std::initializer_list<std::int16_t>{32767, -32767, 0}) {
      for (const std::int32_t target : {one, -one}) {
        tests::EncodedTable neighbour = base;
        if (dimension == 2) neighbour.reals[0][row] = q;
        neighbour.targets[row] = target;
        tables.push_back(neighbour);
      }
      if (dimension == 1) break;
    }
  }
  return tables;
}

Plan plan_for(const Case& each, const tests::EncodedTable& table, double delta) {
  Task task;
  task.problem.loss.kind = each.kind;
  task.problem.l2_penalty = each.penalty;
  task.facts = tests::facts_of(table);
  task.budget = {kEpsilon, delta};
  return method_named("output-perturbation").plan(task, each.options);
}

// Points in lattice units, up to one shift that all share. Replaced rows at different places make datasets that differ
// in two rows; pairs are neighbours where they share the place or one is the base.
std::vector<std::vector<double>> points_of(const Plan& plan, const std::vector<tests::EncodedTable>& tables) {
  std::vector<std::vector<double>> points;
  const double step = tests::derived(plan, "lattice step");
  for (const auto& table : tables) {
    random::SeededBits bits(5);
    privacy::Curator curator(bits);
    std::vector<double> point = fit(plan, tests::dataset_of(table), curator, {}).weights.get();
    for (double& each : point) {
      each /= step;
      EXPECT_EQ(each, std::rint(each)) << "projected: choose other bits";
    }
    points.push_back(point);
  }
  return points;
}

// The largest difference of neighbours' points.
std::vector<double> largest_shift(const std::vector<std::vector<double>>& points) {
  const std::size_t each_place = (points.size() - 1) / 3;
  std::vector<double> largest(points[0].size(), 0.0);
  const auto consider = [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> shift = a;
    for (std::size_t j = 0; j < shift.size(); ++j) shift[j] -= b[j];
    if (tests::dot(shift, shift) > tests::dot(largest, largest)) largest = shift;
  };
  for (std::size_t a = 1; a < points.size(); ++a) {
    consider(points[a], points[0]);
    for (std::size_t b = 1; b < points.size(); ++b) {
      if ((a - 1) / each_place == (b - 1) / each_place) consider(points[a], points[b]);
    }
  }
  return largest;
}

// ln of the probability that noise with density exp(-|b|/scale)/(2 scale), rounded, is k.
double log_mass(double k, double scale) {
  const double size = std::fabs(k);
  if (size < 0.5) return std::log(-std::expm1(-0.5 / scale));
  return -(size - 0.5) / scale + std::log(-std::expm1(-1 / scale) / 2);
}

// The largest log-ratio of the two distributions over outputs up to 40 scales away: exact masses in one dimension; in
// two the density exp(-||b||/scale), of which a cell of the lattice, a millionth of a scale wide, is no different.
double largest_ratio(const std::vector<double>& shift, double scale) {
  double largest = 0;
  if (shift.size() == 1) {
    for (double k = -320; k <= 320; ++k) {
      const double y = std::rint(k * scale / 8);
      largest = std::max(largest, std::fabs(log_mass(y - shift[0], scale) - log_mass(y, scale)));
    }
    return largest;
  }
  for (int angle = 0; angle < 256; ++angle) {
    for (double size = scale / 8; size < 40 * scale; size *= 1.3) {
      const double y0 = size * std::cos(angle * M_PI / 128), y1 = size * std::sin(angle * M_PI / 128);
      const double ratio = (std::hypot(y0 - shift[0], y1 - shift[1]) - std::hypot(y0, y1)) / scale;
      largest = std::max(largest, std::fabs(ratio));
    }
  }
  return largest;
}

// The integral of max(0, p - e^epsilon q) for normal densities p around 0 and q around shift, by midpoints, to a
// relative error below kIntegration (about the square of the step: the kink).
constexpr double kIntegration = 1e-3;
double normal_delta(const std::vector<double>& shift, double sigma) {
  constexpr double kStep = 1.0 / 32, kEnd = 12;
  const auto excess = [&](double x, double y) {
    const double p = std::exp(-(x * x + y * y) / 2);
    const double dx = x - shift[0] / sigma, dy = shift.size() == 2 ? y - shift[1] / sigma : y;
    return std::fmax(0, p - std::exp(kEpsilon - (dx * dx + dy * dy) / 2));
  };
  double sum = 0;
  for (double x = -kEnd + kStep / 2; x < kEnd; x += kStep) {
    if (shift.size() == 1) {
      sum += excess(x, 0) * kStep / std::sqrt(2 * M_PI);
    } else {
      for (double y = -kEnd + kStep / 2; y < kEnd; y += kStep) sum += excess(x, y) * kStep * kStep / (2 * M_PI);
    }
  }
  return sum;
}

TEST(OutputDensity, LogRatiosStayWithinEpsilonForPureNoise) {
  for (const Case& each : kCases) {
    for (const int dimension : {1, 2}) {
      const auto tables = neighbours(each, dimension);
      const Plan plan = plan_for(each, tables[0], 0);
      const double scale = std::get<privacy::KNormEvent>(plan.events.at(0).mechanism).scale;
      const auto shift = largest_shift(points_of(plan, tables));
      const double ratio = largest_ratio(shift, scale);
      EXPECT_LE(ratio, kEpsilon) << each.name << ", dimension " << dimension;
      EXPECT_GT(ratio, 0.9 * kEpsilon) << each.name << ", dimension " << dimension << ": the attack is too weak";
      EXPECT_GT(largest_ratio(shift, 0.9 * scale), kEpsilon) << each.name << ": a tenth less noise must show";
    }
  }
}

TEST(OutputDensity, TheExcessOverEpsilonIntegratesToDeltaForGaussianNoise) {
  for (const Case& each : kCases) {
    for (const int dimension : {1, 2}) {
      const auto tables = neighbours(each, dimension);
      const Plan plan = plan_for(each, tables[0], kDelta);
      const double sigma = std::get<privacy::GaussianEvent>(plan.events.at(0).mechanism).sigma;
      const auto shift = largest_shift(points_of(plan, tables));
      EXPECT_LE(normal_delta(shift, sigma), kDelta * (1 + kIntegration)) << each.name << ", dimension " << dimension;
      EXPECT_GT(normal_delta(shift, 0.9 * sigma), kDelta) << each.name << ": a tenth less noise must show";
    }
  }
}

}  // namespace
}  // namespace dperm::methods
