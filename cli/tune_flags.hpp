// SPDX-License-Identifier: Apache-2.0
// The options that have settings chosen from a grid: --tune and its companions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/task_flags.hpp"
#include "dperm/planner/compare.hpp"

namespace dperm::cli {

struct TuneFlags {
  std::vector<std::string> grid;               // "steps=50,200", one per --tune
  std::map<std::string, std::string> options;  // of the method tuned
  bool given() const { return !grid.empty() || !options.empty(); }
};

std::shared_ptr<TuneFlags> add_tune_flags(CLI::App& command);

// The plan for the grid; options given for the method beside it hold for every candidate. Throws ArgumentError where
// there is no grid.
planner::Alternative plan_tuned(const TuneFlags& flags, const TaskFlags& asked, const planner::Question& question);

}  // namespace dperm::cli
