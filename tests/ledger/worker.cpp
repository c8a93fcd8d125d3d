// SPDX-License-Identifier: Apache-2.0
// What a fit does with a ledger and nothing else: reserve, draw, keep, write. Fast, for thousands of trials.
//   ledger_worker LEDGER DATASET OUTPUT TIMES EPSILON
// Writes OUTPUT.0, OUTPUT.1, ... each naming its entry, and prints how many requests were refused.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "dperm/core/error.hpp"
#include "dperm/ledger/ledger.hpp"
#include "dperm/model/atomic_file.hpp"

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string path = argv[1], dataset = argv[2], output = argv[3];
  int refused = 0;
  try {
    dperm::ledger::Ledger ledger = dperm::ledger::Ledger::open(path);
    for (int i = 0; i < std::atoi(argv[4]); ++i) {
      dperm::ledger::Mark mark;
      try {
        mark = ledger.reserve(dataset, {.command = "worker", .epsilon = std::atof(argv[5])});
      } catch (const dperm::BudgetError&) {
        ++refused;
        continue;
      }
      const std::string released = std::to_string(mark.entry) + " " + mark.head + "\n";
      try {
        ledger.settle(mark, released);
      } catch (const dperm::DataError& error) {
        std::fprintf(stderr, "not settled: %s\n", error.what());
      }
      dperm::model::write_file_atomically(output + "." + std::to_string(i), released);
    }
  } catch (const dperm::DataError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return 5;
  }
  std::printf("%d\n", refused);
  return refused > 0 ? 4 : 0;
}
