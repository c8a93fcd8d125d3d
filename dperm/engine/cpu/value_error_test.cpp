// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/engine/cpu/sums.hpp"
#include "dperm/engine/rounding_error.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

// The same row `kCopies` times, so that a bias of a fraction of a step shows.
constexpr std::size_t kCopies = 64;

tests::EncodedTable copies_of(const tests::EncodedTable& table, std::size_t row) {
  tests::EncodedTable one = table;
  for (std::size_t j = 0; j < table.reals.size(); ++j) one.reals[j].assign(kCopies, table.reals[j][row]);
  for (std::size_t j = 0; j < table.codes.size(); ++j) one.codes[j].assign(kCopies, table.codes[j][row]);
  one.targets.assign(kCopies, table.targets[row]);
  return one;
}

TEST(ValueError, HoldsForEveryRow) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const double norm : {0.3, 4.0, 100.0, 1e5}) {
      for (const auto& table :
           tests::plain_and_curves(tests::random_table(40, 20, {7}, loss::is_classification(loss.kind), 71))) {
        std::vector<double> weights = tests::random_weights(table.dimension(), 1, 72);
        const double scale = norm / tests::norm_of(weights);
        for (double& w : weights) w *= scale;
        const double value_bound = loss::constants(loss, norm * 1.01).largest_value;
        const double error = value_error(loss, norm * (1 + 1e-12), table.columns());
        EXPECT_LT(error, 1e-12 * (1 + value_bound) * (1 + loss::constants(loss, norm).lipschitz))
            << "too loose to be of use";
        for (std::size_t row = 0; row < table.rows(); ++row) {
          const auto one = copies_of(table, row);
          const data::TileSet tiles = tests::build_tiles(one, 64);
          const long double t = tests::exact_score(one, 0, weights);
          const long double y = tests::encoded_target(loss, one.targets[0]);
          const long double value = tests::exact_value(loss, t, y);
          const auto got = static_cast<long double>(loss_sum(tiles, loss, value_bound, weights, {1})) / kCopies;
          const long double unit = static_cast<long double>(steps(Resolution::solver, kCopies)) / value_bound;
          ASSERT_LE(got, unit * (value + error)) << loss::name(loss.kind) << " norm " << norm;
          ASSERT_GT(got, unit * (value - error) - 1) << loss::name(loss.kind) << " norm " << norm;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dperm::engine
