// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/gaussian_dp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Computed with mpmath at 40 digits and printed to 12.
struct Vector {
  double epsilon, delta, mu;
};
const std::vector<Vector> kMuVectors = {
    {0.1, 1e-5, 0.0325207840562}, {1, 1e-5, 0.268051123211}, {1, 1e-6, 0.236704380663}, {2, 1e-5, 0.50155168917},
    {4, 1e-6, 0.83785875709},     {8, 1e-5, 1.66603059785},  {10, 1e-6, 1.84813220577}};

struct Row {
  double epsilon, delta;
  long double mu;
};

std::vector<Row> golden() {
  std::ifstream in(std::string(DPERM_PRIVACY_GOLDEN) + "/gaussian_dp.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    rows.push_back({std::stod(line.substr(0, first)), std::stod(line.substr(first + 1, second - first - 1)),
                    std::stold(line.substr(second + 1))});
  }
  return rows;
}

double just_above(long double x) {
  const double d = static_cast<double>(x);
  return static_cast<long double>(d) > x ? d : std::nextafter(d, kInf);
}
double just_below(long double x) {
  const double d = static_cast<double>(x);
  return static_cast<long double>(d) < x ? d : std::nextafter(d, 0.0);
}

TEST(GaussianDp, MuMatchesReferenceValues) {
  for (const Vector& v : kMuVectors) EXPECT_NEAR(mu_for(v.epsilon, v.delta) / v.mu, 1, 5e-12) << v.epsilon;
}

TEST(GaussianDp, EpsilonAndDeltaMatchReferenceValues) {
  EXPECT_NEAR(epsilon_gaussian(1, 1e-5), 4.37717809568, 1e-11);
  EXPECT_NEAR(epsilon_gaussian(0.5, 1e-6), 2.25408465022, 1e-11);
  EXPECT_NEAR(delta_gaussian(1, 1), 0.126936737507, 1e-12);
  EXPECT_NEAR(delta_gaussian(1, 0.5), 0.00682959498311, 1e-14);
  EXPECT_NEAR(delta_gaussian(0, 2), std::erf(1 / std::sqrt(2.0)), 1e-15);
  EXPECT_NEAR(epsilon_gaussian(std::sqrt(0.04), 1e-5), 0.725521750858, 1e-11);
  EXPECT_NEAR(epsilon_gaussian(std::sqrt(0.1), 1e-6), 1.36757147508, 1e-11);
}

TEST(GaussianDp, TenThousandTargetsAreNeverMissedOnTheUnsafeSide) {
  const std::vector<Row> rows = golden();
  ASSERT_EQ(rows.size(), 10000u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const long double mu = mu_for(row.epsilon, row.delta);
    ASSERT_LE(mu, row.mu) << "row " << i;
    ASSERT_GT(mu, row.mu * (1 - 0x1p-35L)) << "row " << i;
    // A larger mu than the one that meets the target exactly needs a larger epsilon, and has a larger delta.
    if (i % 4 == 0) {
      const double epsilon = epsilon_gaussian(just_above(row.mu), row.delta);
      ASSERT_GE(epsilon, row.epsilon) << "row " << i;
      ASSERT_LT(epsilon, row.epsilon * (1 + 0x1p-35)) << "row " << i;
    }
    ASSERT_GE(delta_gaussian(row.epsilon, just_above(row.mu)), row.delta) << "row " << i;
  }
}

TEST(GaussianDp, DeltaIsSharpToTheLastBits) {
  const std::vector<Row> rows = golden();
  for (std::size_t i = 0; i < rows.size(); i += 10) {
    const Row& row = rows[i];
    // d ln delta / d ln mu is at most (epsilon/mu + mu/2)^2 + 2: what one ulp of mu can change.
    const double slope = std::pow(row.epsilon / static_cast<double>(row.mu) + static_cast<double>(row.mu), 2) + 2;
    EXPECT_LE(delta_gaussian(row.epsilon, just_below(row.mu)), row.delta * (1 + 0x1p-52)) << "row " << i;
    EXPECT_LE(delta_gaussian(row.epsilon, just_above(row.mu)), row.delta * (1 + (slope + 2) * 0x1p-51)) << "row " << i;
  }
}

TEST(GaussianDp, LogDeltaAgreesWithDeltaAndGoesFarBelowTheDoubles) {
  EXPECT_NEAR(log_delta_gaussian(1, 0.5), std::log(0.00682959498311), 1e-11);
  // mpmath: ln delta.
  EXPECT_NEAR(log_delta_gaussian(100, 0.5) / -19962.24004387807, 1, 1e-14);
  EXPECT_NEAR(log_delta_gaussian(1, 0.001) / -500021.1422074951, 1, 1e-14);
  EXPECT_EQ(delta_gaussian(100, 0.5), std::numeric_limits<double>::denorm_min());
  EXPECT_GT(log_delta_gaussian(1e300, 1e-300), -kInf);
}

TEST(GaussianDp, TinyDeltaAndTinyMuAreHandled) {
  for (const double delta : {1e-300, 5e-324, 1e-30, 0.999999}) {
    for (const double epsilon : {0.0, 1e-12, 1e-3, 1.0, 50.0, 1000.0, 1e6}) {
      const double mu = mu_for(epsilon, delta);
      ASSERT_GT(mu, 0) << epsilon << ' ' << delta;
      EXPECT_LE(delta_gaussian(epsilon, mu), delta) << epsilon << ' ' << delta;
      if (mu > 1e-300) {
        EXPECT_GT(delta_gaussian(epsilon, mu * (1 + 0x1p-34)), delta) << epsilon << ' ' << delta;
      }
      EXPECT_LE(epsilon_gaussian(mu, delta), epsilon * (1 + 0x1p-34)) << epsilon << ' ' << delta;
    }
  }
}

TEST(GaussianDp, EdgesAreTheLimits) {
  EXPECT_EQ(delta_gaussian(1, 0), 0);
  EXPECT_EQ(log_delta_gaussian(1, 0), -kInf);
  EXPECT_EQ(delta_gaussian(1, 1e6), 1);
  EXPECT_EQ(epsilon_gaussian(0, 1e-6), 0);
  EXPECT_EQ(epsilon_gaussian(0.1, 0.5), 0);
  EXPECT_EQ(epsilon_gaussian(1e200, 1e-6), kInf);
  const double huge = epsilon_gaussian(1e10, 1e-6);  // (mu^2/2) (1 + 2 z / mu) with Phi(-z) = delta
  EXPECT_NEAR(huge / (5e19 + 1e10 * 4.753424308823), 1, 1e-14);
}

TEST(GaussianDp, ArgumentsOutsideTheirRangeAreRefused) {
  for (const double bad : {kNan, -1.0, kInf}) {
    EXPECT_THROW(delta_gaussian(bad, 1), ArgumentError);
    EXPECT_THROW(delta_gaussian(1, bad), ArgumentError);
    EXPECT_THROW(epsilon_gaussian(bad, 1e-6), ArgumentError);
    EXPECT_THROW(mu_for(bad, 1e-6), ArgumentError);
  }
  for (const double bad : {kNan, 0.0, 1.0, -1e-6, 2.0}) {
    EXPECT_THROW(epsilon_gaussian(1, bad), ArgumentError);
    EXPECT_THROW(mu_for(1, bad), ArgumentError);
  }
}

}  // namespace
}  // namespace dperm::privacy
