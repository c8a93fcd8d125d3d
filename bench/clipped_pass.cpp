// SPDX-License-Identifier: Apache-2.0
// Rows per second and core of a clipped pass on a table of census shape, over all rows and over samples drawn as coins,
// beside the plain pass and the copy that is read row by row; linear and with every number column as a curve. All in
// turns, in one run: a busy machine slows all alike. Processor time; a rate counts rows of the table, not of the
// sample. Usage: clipped_pass [ROWS [REPETITIONS]]; text on standard error, JSON on standard output.
#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bench/census_tiles.hpp"
#include "dperm/data/rows/row_table.hpp"
#include "dperm/data/tiles/select.hpp"
#include "dperm/engine/cpu/tile_sums.hpp"
#include "dperm/engine/network/clipped_sum.hpp"
#include "dperm/random/choice/coin_sample.hpp"

namespace {

using namespace dperm;
using namespace dperm::bench;

struct Case {
  std::string name;
  std::function<void()> pass;
  double rows;
  std::vector<double> seconds = {};
};

std::vector<double> some_weights(std::size_t count) {
  std::mt19937_64 random(2);
  std::vector<double> weights(count);
  for (double& w : weights) w = static_cast<double>(static_cast<int>(random() % 2001) - 1000) / 1000;
  return weights;
}

// The passes over one reading of the tiles.
void add_cases(std::vector<Case>& cases, const std::string& prefix, const engine::TileSums& sums,
               const std::vector<double>& weights) {
  const auto rows = static_cast<double>(sums.rows());
  cases.push_back({prefix + "plain",
                   [&sums, &weights] {
                     sums.gradient({.loss = {}, .slope_bound = 1, .weights = weights}, engine::Resolution::release,
                                   {1});
                   },
                   rows});
  for (const double rate : {1.0, 0.5, 0.1, 0.01, 0.001}) {
    cases.push_back({fmt::format("{}clipped, rate {:g}", prefix, rate),
                     [&sums, &weights, rate] {
                       const random::CoinSample sample({1, 2, 3, 4}, rate, sums.rows());
                       sums.clipped_gradient({{.inputs = sums.dimension()}, {}, weights, 1}, sample, {1});
                     },
                     rows});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8'000'000;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 9;
  const data::TileSet tiles = random_tiles(rows, Columns::census);
  const engine::TileSums linear(tiles), curves(tiles.read_as(encoding_of(Columns::census, Numbers::curves)));
  const std::vector<double> weights = some_weights(linear.dimension()), bent = some_weights(curves.dimension());
  std::vector<Case> cases;
  add_cases(cases, "", linear, weights);
  add_cases(cases, "curves, ", curves, bent);
  const std::size_t copied = std::min<std::size_t>(rows, 500'000);  // the copy is slow
  std::vector<std::size_t> some(copied);
  for (std::size_t row = 0; row < copied; ++row) some[row] = row;
  const network::RowTable table(data::select_rows(tiles, some), {1});
  const random::CoinSample all({}, 1, copied);
  cases.push_back(
      {"row-by-row copy, all rows",
       [&] { network::clipped_gradient_sum(table, all, {{.inputs = linear.dimension()}, {}, weights, 1}, {1}); },
       static_cast<double>(copied)});
  cases.push_back({"coins alone, rate 0.3",
                   [&] {
                     const random::CoinSample sample({1, 2, 3, 4}, 0.3, rows);
                     std::vector<std::uint64_t> words(64);
                     for (std::size_t first = 0; first + 4096 <= rows; first += 4096) sample.mark(first, 4096, words);
                   },
                   static_cast<double>(rows)});
  for (int i = 0; i < repetitions; ++i) {
    for (Case& each : cases) {
      const double start = cpu_seconds();
      each.pass();
      each.seconds.push_back(cpu_seconds() - start);
    }
  }
  fmt::print(stderr, "{}, {} rows, processor time of one core\n",
             hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()), rows);
  std::string json;
  for (const Case& each : cases) {
    const double rate = each.rows / median(each.seconds);
    fmt::print(stderr, "{:<28}{:>9.1f} M rows/s\n", each.name, rate / 1e6);
    json += fmt::format("{}\"{}\": {:.4g}", json.empty() ? "" : ", ", each.name, rate);
  }
  fmt::print("{{\"rows\": {}, \"rows_per_s\": {{{}}}}}\n", rows, json);
}
