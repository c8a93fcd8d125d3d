// SPDX-License-Identifier: Apache-2.0
// Rows per second of one gradient pass on a table of census shape, beside the memory-read limit of the machine; and
// what the pass costs with every number column as a curve, on that table and on its number columns alone.
// Usage: gradient_pass [ROWS [REPETITIONS]]; text on standard error, JSON on standard output. With the word "serve" as
// third argument it times one pass for each line on standard input: release, solver (CPU time), one, two (threads,
// wall).
#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/census_tiles.hpp"
#include "dperm/engine/cpu/tile_sums.hpp"

namespace {

using namespace dperm;
using namespace dperm::bench;

// Eight interleaved streams of 4 KiB blocks with prefetching: the most that one core reads.
double read_limit(const std::vector<std::uint64_t>& memory) {
  constexpr std::size_t kStreams = 8;
  constexpr std::size_t kBlock = 512;
  const std::size_t length = memory.size() / kStreams / kBlock * kBlock;
  std::uint64_t sum = 0;
  const double start = cpu_seconds();
  for (std::size_t block = 0; block < length; block += kBlock) {
    for (std::size_t i = 0; i < kBlock; i += 8) {
      for (std::size_t s = 0; s < kStreams; ++s) {
        const std::uint64_t* p = memory.data() + s * length + block + i;
        __builtin_prefetch(p + kBlock, 0, 2);
        for (std::size_t k = 0; k < 8; ++k) sum += p[k];
      }
    }
  }
  const double seconds = cpu_seconds() - start;
  volatile std::uint64_t sink = sum;  // keeps the loop
  static_cast<void>(sink);
  return static_cast<double>(kStreams * length * 8) / seconds;
}

struct Times {
  std::vector<double> release, solver, release_wall, two, limit;
};

class Bench {
 public:
  explicit Bench(data::TileSet tiles) : tiles_(std::move(tiles)), weights_(tiles_.layout().dimension()) {
    std::mt19937_64 random(2);
    for (double& w : weights_) w = 0.1 * static_cast<double>(static_cast<int>(random() % 2001) - 1000) / 100;
  }

  const data::TileSet& tiles() const { return tiles_; }

  std::uint64_t pass(engine::Resolution resolution, int threads) {
    const engine::GradientQuery query{.loss = {}, .slope_bound = 1, .weights = weights_};
    std::uint64_t checksum = 0;
    for (const std::int64_t g : engine::TileSums(tiles_).gradient(query, resolution, {threads})) {
      checksum = checksum * 31 + static_cast<std::uint64_t>(g);
    }
    return checksum;
  }

  double timed(engine::Resolution resolution, int threads, double (*clock)()) {
    const double start = clock();
    pass(resolution, threads);
    return clock() - start;
  }

 private:
  data::TileSet tiles_;
  std::vector<double> weights_;
};

void serve(Bench& bench) {
  fmt::print("{}\n", bench.tiles().rows());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const auto resolution = line == "solver" ? engine::Resolution::solver : engine::Resolution::release;
    const bool wall = line == "one" || line == "two";
    fmt::print("{:.9f}\n", bench.timed(resolution, line == "two" ? 2 : 1, wall ? wall_seconds : cpu_seconds));
    std::fflush(stdout);
  }
}

struct CurveCost {
  double linear, curves;  // rows per second
  double ratio;           // of their times
};

// Both passes by turns, so that a busy machine slows both.
CurveCost curve_cost(const data::TileSet& tiles, Columns columns, engine::Resolution resolution, int repetitions) {
  Bench linear(tiles), curves(tiles.read_as(encoding_of(columns, Numbers::curves)));
  std::vector<double> plain, additive, ratios;
  for (int i = 0; i < repetitions; ++i) {
    plain.push_back(linear.timed(resolution, 1, cpu_seconds));
    additive.push_back(curves.timed(resolution, 1, cpu_seconds));
    ratios.push_back(additive.back() / plain.back());
  }
  const auto rows = static_cast<double>(tiles.rows());
  return {rows / median(plain), rows / median(additive), median(ratios)};
}

std::string curve_costs(const data::TileSet& tiles, Columns columns, int repetitions) {
  using engine::Resolution;
  const char* name = columns == Columns::census ? "census" : "numbers";
  const CurveCost release = curve_cost(tiles, columns, Resolution::release, repetitions);
  const CurveCost solver = curve_cost(tiles, columns, Resolution::solver, repetitions);
  fmt::print(stderr, "{:<7} linear, curves  {:.1f}, {:.1f} M rows/s: {:.2f} times (solver {:.2f} times)\n", name,
             release.linear / 1e6, release.curves / 1e6, release.ratio, solver.ratio);
  return fmt::format(
      "\"{0}\": {{\"linear_rows_per_s\": {1:.4g}, \"curves_rows_per_s\": {2:.4g}, \"ratio\": {3:.3f}, "
      "\"solver_ratio\": {4:.3f}}}",
      name, release.linear, release.curves, release.ratio, solver.ratio);
}

void measure(Bench& bench, int repetitions) {
  using engine::Resolution;
  const auto rows = static_cast<double>(bench.tiles().rows());
  const double bytes = bench.tiles().layout().bytes_per_row();
  std::vector<std::uint64_t> memory(std::size_t{1} << 27, 1);
  Times times;
  for (int i = 0; i < repetitions; ++i) {
    times.release.push_back(bench.timed(Resolution::release, 1, cpu_seconds));
    times.solver.push_back(bench.timed(Resolution::solver, 1, cpu_seconds));
    times.release_wall.push_back(bench.timed(Resolution::release, 1, wall_seconds));
    times.two.push_back(bench.timed(Resolution::release, 2, wall_seconds));
    times.limit.push_back(read_limit(memory));
  }
  const double release = rows / median(times.release);
  const double solver = rows / median(times.solver);
  const double two = rows / *std::min_element(times.two.begin(), times.two.end());
  const double scaling = two * *std::min_element(times.release_wall.begin(), times.release_wall.end()) / rows;
  const double limit = median(times.limit);
  const bool same = bench.pass(Resolution::release, 1) == bench.pass(Resolution::release, 2);
  fmt::print(
      stderr,
      "instruction set        {}\nrows                   {:.0f}\nbytes per row          {:.1f}\n"
      "read limit, 1 core     {:.2f} GB/s\nrelease, 1 thread      {:.1f} M rows/s, {:.2f} GB/s, {:.2f} of the limit\n"
      "solver, 1 thread       {:.1f} M rows/s\nrelease, 2 threads     {:.1f} M rows/s (best), {:.2f} times 1 thread\n"
      "same integers          {}\n",
      hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()), rows, bytes, limit / 1e9, release / 1e6,
      release * bytes / 1e9, release * bytes / limit, solver / 1e6, two / 1e6, scaling, same ? "yes" : "NO");
  const std::string census = curve_costs(bench.tiles(), Columns::census, repetitions);
  const std::string numbers =
      curve_costs(random_tiles(bench.tiles().rows(), Columns::numbers), Columns::numbers, repetitions);
  fmt::print(
      "{{\"rows\": {:.0f}, \"bytes_per_row\": {:.2f}, \"read_limit_bytes_per_s\": {:.4g}, "
      "\"release_rows_per_s\": {:.4g}, \"solver_rows_per_s\": {:.4g}, \"two_threads_rows_per_s\": {:.4g}, "
      "\"two_threads_scaling\": {:.3f}, \"same_integers\": {}, \"curves\": {{\"pieces\": {}, {}, {}}}}}\n",
      rows, bytes, limit, release, solver, two, scaling, same, kPieces, census, numbers);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8'000'000;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 15;
  Bench bench(random_tiles(rows, Columns::census));
  if (argc > 3 && std::string(argv[3]) == "serve") {
    serve(bench);
  } else {
    measure(bench, repetitions);
  }
}
