// SPDX-License-Identifier: Apache-2.0
// Softmax's part of the profile: calibrated values, the exact density of the minimiser over two neighbouring datasets,
// and the pointwise inequality that the proof rests on.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {
namespace {

PerturbedObjective softmax(std::size_t classes, double penalty, double sigma = 1) {
  return {GradientSign::multinomial, kMultinomialGradient, 1, penalty, sigma, classes};
}

TEST(ObjectiveSoftmax, CalibratesToIndependentlyComputedNoise) {
  // (classes, epsilon, delta, penalty) -> sigma, bisected with 40-digit arithmetic.
  EXPECT_NEAR(sigma_for_objective(softmax(3, 8), 1, 1e-5), 11.907260523798, 1e-7);
  EXPECT_NEAR(sigma_for_objective(softmax(7, 10), 1, 1e-6), 14.120027924258, 1e-7);
  EXPECT_NEAR(sigma_for_objective(softmax(4, 20), 0.5, 1e-6), 25.966537534455, 1e-7);
  EXPECT_NEAR(sigma_for_objective(softmax(10, 20), 1, 2.8e-10), 17.86489648129, 1e-7);
  EXPECT_NEAR(sigma_for_objective(softmax(10, 5), 3, 1e-9), 6.1438003688704, 1e-7);
  EXPECT_NEAR(sigma_for_objective(softmax(2, 4), 1, 1e-5), 11.895753865328, 1e-7);
}

TEST(ObjectiveSoftmax, ForwardAndInverseAgreeOnTheSafeSide) {
  for (const std::size_t classes : {2u, 3u, 100u}) {
    for (const double epsilon : {0.1, 1.0, 8.0}) {
      for (const double factor : {1.5, 4.0, 100.0}) {
        PerturbedObjective m = softmax(classes, factor / epsilon);
        m.sigma = sigma_for_objective(m, epsilon, 1e-6);
        EXPECT_LE(delta_objective(epsilon, m), 1e-6);
        EXPECT_LE(epsilon_objective(m, 1e-6), epsilon * (1 + 1e-9));
        EXPECT_EQ(mu_objective(m), 0) << "several directions: not one Gaussian release";
        m.sigma *= 1 - 1e-6;
        EXPECT_GT(delta_objective(epsilon, m), 1e-6);
        PureObjective pure{GradientSign::multinomial, kMultinomialGradient, 1, factor / epsilon, 1, classes};
        pure.scale = scale_for_pure_objective(pure, epsilon);
        EXPECT_LE(epsilon_pure_objective(pure), epsilon);
        pure.scale *= 1 - 1e-6;
        EXPECT_GT(epsilon_pure_objective(pure), epsilon);
      }
    }
  }
}

struct Record {
  std::vector<double> x;
  std::size_t y;
  double weight = 1;
};

std::vector<double> shares(const std::vector<double>& w, const std::vector<double>& x, std::size_t classes) {
  std::vector<double> p(classes, 0.0);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t j = 0; j < x.size(); ++j) p[k] += w[k * x.size() + j] * x[j];
  }
  const double largest = *std::max_element(p.begin(), p.end());
  double total = 0;
  for (double& each : p) total += each = std::exp(each - largest);
  for (double& each : p) each /= total;
  return p;
}

// ln det of a positive definite matrix.
double log_determinant(std::vector<double> a, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::log(a[i * n + i]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double factor = a[r * n + i] / a[i * n + i];
      for (std::size_t c = i; c < n; ++c) a[r * n + c] -= factor * a[i * n + c];
    }
  }
  return sum;
}

struct At {
  std::vector<double> b;  // the term whose minimiser w is
  double log_determinant;
};

At at(const std::vector<Record>& records, const std::vector<double>& w, std::size_t classes, double penalty) {
  const std::size_t n = w.size(), d = n / classes;
  std::vector<double> b(n), hessian(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    b[i] = -penalty * w[i];
    hessian[i * n + i] = penalty;
  }
  for (const auto& [x, y, weight] : records) {
    const std::vector<double> p = shares(w, x, classes);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = i / d;
      b[i] -= weight * (p[k] - (k == y ? 1 : 0)) * x[i % d];
      for (std::size_t c = 0; c < n; ++c) {
        const double entry = (k == c / d ? p[k] : 0) - p[k] * p[c / d];
        hessian[i * n + c] += weight * entry * x[i % d] * x[c % d];
      }
    }
  }
  return {b, log_determinant(hessian, n)};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Adding a vector to the weights of all classes moves neither slopes nor Hessian, so three classes with one feature, or
// two classes with two, leave two coordinates. `shift` is what very many other records of one slope add to the
// gradient.
struct Plane {
  std::size_t classes;
  std::vector<double> first, second;  // orthonormal
  std::array<double, 2> shift = {0, 0};
};
const double kHalf = std::sqrt(0.5), kSixth = std::sqrt(1 / 6.0);
const Plane kThreeClasses{3, {kHalf, -kHalf, 0}, {kSixth, kSixth, -2 * kSixth}};
const Plane kTwoClasses{2, {kHalf, 0, -kHalf, 0}, {0, kHalf, 0, -kHalf}};

struct Attack {
  double delta = 0, mass = 0;  // mass: the integral of the density itself, to see that the grid is right
};

Attack exact_delta(const Plane& plane, double epsilon, double penalty, double sigma, const std::vector<Record>& records,
                   const std::vector<Record>& neighbour) {
  double weight = 0;
  for (const Record& record : records) weight += record.weight;
  const double reach = (6.5 * sigma + 1.5 * weight) / penalty;
  const int cells = 160;
  const double width = 2 * reach / cells;
  const std::size_t n = plane.first.size();
  const double constant = -std::log(2 * M_PI * sigma * sigma) - static_cast<double>(n - 2) * std::log(penalty);
  const auto log_density = [&](const std::vector<Record>& rows, const std::vector<double>& w) {
    const At here = at(rows, w, plane.classes, penalty);
    const double b0 = dot(here.b, plane.first) - plane.shift[0], b1 = dot(here.b, plane.second) - plane.shift[1];
    return constant - (b0 * b0 + b1 * b1) / (2 * sigma * sigma) + here.log_determinant;
  };
  Attack result;
  std::vector<double> w(n);
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const double u = -plane.shift[0] / penalty - reach + (i + 0.5) * width;
      const double v = -plane.shift[1] / penalty - reach + (j + 0.5) * width;
      for (std::size_t c = 0; c < n; ++c) w[c] = u * plane.first[c] + v * plane.second[c];
      const double p = log_density(records, w), q = log_density(neighbour, w);
      result.mass += std::exp(p) * width * width;
      if (p - q > epsilon) result.delta += (std::exp(p) - std::exp(epsilon + q)) * width * width;
    }
  }
  EXPECT_NEAR(result.mass, 1, 1e-3) << "the grid misses part of the density";
  return result;
}

TEST(ObjectiveSoftmax, TheExactDensityOfThreeClassesKeepsItsDelta) {
  const double epsilon = 1, delta = 1e-2;
  for (const double penalty : {1.5, 4.0}) {
    const double sigma = sigma_for_objective(softmax(3, penalty), epsilon, delta);
    double worst = 0, with_less = 0;
    for (const std::vector<Record>& others : {std::vector<Record>{}, {{{-0.8}, 1, 4}}}) {
      for (const double x_other : {-1.0, 0.0, 1.0}) {
        for (const std::size_t y_other : {0u, 1u}) {
          std::vector<Record> records = others, neighbour = others;
          records.push_back({{1}, 0});
          neighbour.push_back({{x_other}, y_other});
          worst = std::max({worst, exact_delta(kThreeClasses, epsilon, penalty, sigma, records, neighbour).delta,
                            exact_delta(kThreeClasses, epsilon, penalty, sigma, neighbour, records).delta});
          with_less =
              std::max(with_less, exact_delta(kThreeClasses, epsilon, penalty, sigma / 5, records, neighbour).delta);
        }
      }
    }
    EXPECT_LE(worst, delta) << penalty;
    EXPECT_GT(with_less, delta) << "a fifth of the noise must be caught: in one dimension the worst pair is not there";
  }
}

TEST(ObjectiveSoftmax, TwoSaturatedRecordsSpendMostOfTheDelta) {
  const double epsilon = 1, delta = 1e-2, penalty = 4;
  const double sigma = sigma_for_objective(softmax(2, penalty), epsilon, delta);
  // Both records are of class 0, and w is far where both take class 1 for certain.
  Plane plane = kTwoClasses;
  plane.shift = {0, -1e4};
  const double angle = 0.15;
  const std::vector<Record> left = {{{-std::cos(angle), -std::sin(angle)}, 0}};
  const std::vector<Record> right = {{{std::cos(angle), -std::sin(angle)}, 0}};
  const double exact = exact_delta(plane, epsilon, penalty, sigma, left, right).delta;
  EXPECT_LE(exact, delta);
  EXPECT_GT(exact, 0.3 * delta) << "the attack is too weak to test anything";
  EXPECT_GT(exact_delta(plane, epsilon, penalty, 0.8 * sigma, left, right).delta, delta);
}

// The proof: the log-ratio of densities is at most kappa (1 - 1/K) plus the largest Gaussian loss of a pair of
// vertices.
TEST(ObjectiveSoftmax, TheLogRatioStaysBelowItsVerticesAtEveryPoint) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  double tightest = -1e9;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t classes = 2 + static_cast<std::size_t>(trial) % 3,
                      d = 1 + static_cast<std::size_t>(trial) / 3 % 2;
    const double penalty = trial % 5 == 0 ? 0.3 : 3, sigma = trial % 7 < 4 ? 0.7 : 6;
    const auto any_record = [&] {
      Record record{std::vector<double>(d), random() % classes};
      for (double& each : record.x) each = normal(random);
      const double norm = std::sqrt(dot(record.x, record.x)), length = random() % 2 == 0 ? 1 : 0.4;
      for (double& each : record.x) each *= length / norm;
      return record;
    };
    const Record record = any_record(), other = any_record();
    std::vector<Record> records, neighbour;
    if (trial % 4 == 0) records.push_back(any_record()), records.back().weight = 20;
    neighbour = records;
    records.push_back(record);
    neighbour.push_back(other);
    std::vector<double> w(classes * d);
    const double size = std::exp(normal(random) * 2);
    for (double& each : w) each = size * normal(random);
    const At here = at(records, w, classes, penalty), there = at(neighbour, w, classes, penalty);
    const double ratio = (dot(there.b, there.b) - dot(here.b, here.b)) / (2 * sigma * sigma) + here.log_determinant -
                         there.log_determinant;
    double vertex = -1e9;
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t l = 0; l < classes; ++l) {
        std::vector<double> g(w.size(), 0.0);
        for (std::size_t j = 0; j < d; ++j) {
          g[k * d + j] += record.x[j];
          g[record.y * d + j] -= record.x[j];
          g[l * d + j] -= other.x[j];
          g[other.y * d + j] += other.x[j];
        }
        vertex = std::max(vertex, (2 * dot(here.b, g) + dot(g, g)) / (2 * sigma * sigma));
      }
    }
    const double bound = least_epsilon(softmax(classes, penalty, sigma)) + vertex;
    EXPECT_LE(ratio, bound + 1e-9) << "classes " << classes << " features " << d;
    tightest = std::max(tightest, ratio - bound);
    // Pure: the noise's part is at most |g| / scale.
    const PureObjective pure{GradientSign::multinomial, kMultinomialGradient, 1, penalty, sigma, classes};
    const double pure_ratio = (std::sqrt(dot(there.b, there.b)) - std::sqrt(dot(here.b, here.b))) / sigma +
                              here.log_determinant - there.log_determinant;
    EXPECT_LE(pure_ratio, epsilon_pure_objective(pure));
  }
  EXPECT_GT(tightest, -0.05) << "no point comes near the bound";
}

TEST(ObjectiveSoftmax, RefusesWhatCannotBeProved) {
  EXPECT_EQ(delta_objective(0.2, softmax(3, 2, 10)), 1) << "below its least epsilon";
  EXPECT_LT(delta_objective(0.4, softmax(3, 2, 10)), 1);
  EXPECT_THROW(sigma_for_objective(softmax(4, 0.5), 1, 1e-6), ArgumentError);
  EXPECT_THROW(delta_objective(1, softmax(1, 2, 10)), ArgumentError);
  EXPECT_THROW(delta_objective(1, softmax(0, 2, 10)), ArgumentError);
  PerturbedObjective m = softmax(3, 2, 10);
  m.gradient = 1;
  EXPECT_THROW(delta_objective(1, m), ArgumentError);
  EXPECT_THROW(scale_for_pure_objective({GradientSign::multinomial, kMultinomialGradient, 1, 0.5, 1, 3}, 1),
               ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
