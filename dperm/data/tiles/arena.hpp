// SPDX-License-Identifier: Apache-2.0
// The threads that a pass over the rows runs on. Internal to the rooms that sum over rows.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <map>
#include <mutex>

#include "dperm/core/check.hpp"
#include "dperm/core/threads.hpp"

namespace dperm::data {

// One arena a number of threads, for as long as the program runs. TBB frees an arena only once its workers have noticed
// its end: with one per pass, thousands pile up where workers wait for a core, and memory and time grow with the
// passes.
inline tbb::task_arena& arena_for(Threads threads) {
  require(threads.count >= 0 && threads.count <= 4096, "threads must be between 0 (all cores) and 4096");
  static std::mutex guard;
  static auto* arenas = new std::map<int, tbb::task_arena>;  // never destroyed: workers may outlive static objects
  const std::lock_guard lock(guard);
  const int all = tbb::task_arena::automatic;  // a copy: the constant has no address
  return arenas->try_emplace(threads.count, threads.count == 0 ? all : threads.count).first->second;
}

}  // namespace dperm::data
