// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/gradient_lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::methods {
namespace {

// Small tables whose single row is each of a set of adversarial rows, in turn.
std::vector<tests::EncodedTable> adversarial_rows(bool binary) {
  std::vector<tests::EncodedTable> tables;
  for (const std::int16_t a : std::initializer_list<std::int16_t>{32767, -32767, 12345}) {
    for (const std::int16_t b : std::initializer_list<std::int16_t>{32767, -32767, 0}) {
      for (const std::uint32_t code : {0u, 1u, 2u}) {
        for (const std::int32_t target : {1, -1}) {
          tables.push_back({{{a}, {b}}, {2}, {{code}}, {binary ? target : target * (1 << 30)}});
        }
      }
    }
  }
  return tables;
}

std::vector<std::vector<double>> feasible_points(std::size_t dimension, double radius) {
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> points = {std::vector<double>(dimension, 0.0)};
  for (int k = 0; k < 40; ++k) {
    std::vector<double> w(dimension);
    for (double& each : w) each = static_cast<double>(random() % 2001) / 1000.0 - 1;
    loss::project({loss::SetKind::ball, radius * (k % 2 == 0 ? 1 : 0.3)}, w);
    const double norm = std::sqrt(tests::dot(w, w));
    if (k % 2 == 0) {
      for (double& each : w) each *= radius / norm;
    }
    points.push_back(w);
  }
  // Along one row, where the logistic difference is largest.
  for (const double sign : {-1.0, 1.0})
    points.push_back(std::vector<double>(dimension, sign * radius / std::sqrt(dimension)));
  return points;
}

double distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double difference = static_cast<double>(a[j] - b[j]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

class GradientLatticeOfLoss : public testing::TestWithParam<loss::LossKind> {};

TEST_P(GradientLatticeOfLoss, BruteForceNeighboursNeverExceedTheSensitivity) {
  const loss::Loss loss{GetParam()};
  const auto rows = adversarial_rows(loss::is_classification(loss.kind));
  for (const auto resolution : {engine::Resolution::release, engine::Resolution::solver}) {
    for (const double radius : {0.3, 2.0, 20.0}) {
      const GradientLattice lattice = gradient_lattice(loss, radius, tests::facts_of(rows[0]), resolution);
      double largest = 0;
      for (const auto& w : feasible_points(rows[0].dimension(), radius)) {
        std::vector<std::vector<std::int64_t>> sums;
        for (const auto& row : rows) {
          sums.push_back(
              engine::gradient_sum(tests::build_tiles(row), {loss, lattice.slope_bound, w}, resolution, {1}));
        }
        for (const auto& a : sums) {
          for (const auto& b : sums) largest = std::max(largest, distance(a, b));
        }
      }
      EXPECT_LE(largest, lattice.l2_sensitivity) << loss::name(loss.kind) << " radius " << radius;
      EXPECT_GT(largest, 0.3 * lattice.l2_sensitivity) << "the attack is too weak to test anything";
    }
  }
}

TEST_P(GradientLatticeOfLoss, MeanGradientIsWithinItsError) {
  const loss::Loss loss{GetParam()};
  const bool kink = std::isinf(loss::constants(loss, 1).smoothness);
  if (kink) return;  // the note claims this for losses without kinks only
  const auto table = tests::random_table(200, 3, {4, 2}, loss::is_classification(loss.kind), 11);
  for (const auto resolution : {engine::Resolution::release, engine::Resolution::solver}) {
    const GradientLattice lattice = gradient_lattice(loss, 5, tests::facts_of(table), resolution);
    const data::TileSet tiles = tests::build_tiles(table);
    for (const auto& w : feasible_points(table.dimension(), 5)) {
      const auto sum = engine::gradient_sum(tiles, {loss, lattice.slope_bound, w}, resolution, {1});
      std::vector<double> gradient;
      tests::plain_risk(table, {loss, 0, {}}, w, &gradient);
      double error = 0;
      for (std::size_t j = 0; j < w.size(); ++j) {
        error += std::pow(static_cast<double>(sum[j]) * lattice.to_mean - gradient[j], 2);
      }
      EXPECT_LE(std::sqrt(error), lattice.mean_error + 1e-14);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllLosses, GradientLatticeOfLoss, testing::ValuesIn(loss::kAllLosses));

TEST(GradientLattice, RefusesAnUnboundedRegion) {
  for (const auto kind : {loss::LossKind::squared, loss::LossKind::logistic}) {
    EXPECT_THROW(
        gradient_lattice({kind}, std::numeric_limits<double>::infinity(), {100, 3, 3}, engine::Resolution::release),
        ArgumentError);
  }
}

TEST(GradientLattice, RefusesWhatTheEngineWouldRefuse) {
  const auto lattice = [](loss::LossKind kind, double norm, std::size_t dimension) {
    return gradient_lattice({kind}, norm, {100, dimension, 3}, engine::Resolution::solver);
  };
  EXPECT_NO_THROW(lattice(loss::LossKind::logistic, 0x1p50, 3));
  EXPECT_THROW(lattice(loss::LossKind::logistic, 0x1p59, 3), ArgumentError);
  EXPECT_THROW(lattice(loss::LossKind::logistic, 0x1p55, 1 << 20), ArgumentError);
  EXPECT_THROW(lattice(loss::LossKind::squared, 1e300, 3), ArgumentError);
}

TEST(GradientLattice, LogisticInABallNeedsLessThanTwoRows) {
  const auto of_mean = [](double radius) {
    const GradientLattice lattice = gradient_lattice({}, radius, {100, 3, 3}, engine::Resolution::release);
    return lattice.l2_sensitivity * lattice.to_mean;
  };
  EXPECT_NEAR(of_mean(5) / of_mean(1e6), 1.61727809 * 1.002 / 2, 1e-3);
}

}  // namespace
}  // namespace dperm::methods
