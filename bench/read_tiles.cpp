// SPDX-License-Identifier: Apache-2.0
// Time and memory of turning files into tiles. Usage: read_tiles SCHEMA THREADS TILES DATA..., TILES "-" for tiles in
// memory. Prints one line of JSON: rows, wall and CPU seconds, payload bytes per row, peak resident bytes.
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "dperm/engine/dataset.hpp"

namespace {

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The high-water mark of this program's own memory; getrusage would count what its parent had at the fork.
std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::stoull(line.substr(6));
  }
  return 0;
}

void run(int argc, char** argv) {
  dperm::data::ReadOptions options;
  options.threads = std::atoi(argv[2]);
  if (std::string(argv[3]) != "-") options.tiles_path = argv[3];
  const auto encoding = std::make_shared<const dperm::schema::Encoding>(dperm::schema::read_schema(argv[1]));
  const auto start = std::chrono::steady_clock::now();
  const auto dataset = dperm::data::read_dataset(std::vector<std::string>(argv + 4, argv + argc), encoding, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const dperm::data::TileLayout layout(*encoding);
  fmt::print(
      R"({{"rows": {}, "wall_seconds": {:.4f}, "cpu_seconds": {:.4f}, "bytes_per_row": {:.2f}, "peak_bytes": {}}})"
      "\n",
      dataset.rows(), wall.count(), cpu_seconds(usage), layout.bytes_per_row(), peak_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: read_tiles SCHEMA THREADS TILES DATA...\n");
    return 2;
  }
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  return 0;
}
