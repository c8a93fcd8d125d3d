// SPDX-License-Identifier: Apache-2.0
// What is asked about a table before it is decided how its columns enter: which of them as curves, with how many
// pieces, follows here from public facts alone. Measurements: docs/shapes_settings.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "dperm/methods/task.hpp"
#include "dperm/planner/population.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::planner {

struct Question {
  schema::Schema schema;  // shapes may be left open
  methods::Problem problem;
  std::size_t rows = 0;
  methods::Budget budget;
  std::optional<double> time_limit = {};  // seconds that a plan may take to run once the rows are read
  double cores = 1;                       // that it will run on
  double pass_overhead = 0;               // seconds of a pass besides, where rows lie on other machines
  // How many of the rows teach something, where others stay blank because their persons are kept out; 0: all. Forecasts
  // are for these, plans for all.
  std::size_t teaching_rows = 0;
};

// The same with every shape decided.
struct ShapedTask {
  std::shared_ptr<const schema::Encoding> encoding;
  methods::Task task;
  Population population;
};

// What columns whose shape is left open become.
enum class OpenShapes { linear, curves };

// Throws DataError for an invalid schema and ArgumentError for a task that is not valid with it.
ShapedTask shaped(const Question& question, OpenShapes open);

}  // namespace dperm::planner
