// SPDX-License-Identifier: Apache-2.0
// The options that state a task (loss, penalty, feasible set, budget, method and its options): the same words for
// fit and plan.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dperm/engine/dataset.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/planner/question.hpp"
#include "dperm/schema/encoding.hpp"

namespace CLI {
class App;
}

namespace dperm::cli {

// The one method that protects nobody.
inline constexpr std::string_view kNonPrivate = "non-private";

struct TaskFlags {
  std::string schema_path;
  std::string loss;                                              // empty: by the kind of target
  std::map<std::string, std::optional<double>> loss_parameters;  // by the name of the field
  std::optional<double> radius, box;
  std::string shape;  // of columns whose shape the schema leaves open: "curve", "steps:12"; empty: chosen when planned
  std::vector<std::size_t> hidden;
  std::string activation = "tanh";
  std::string rules;  // a class of rules by name, or a file of rules
  double l2_penalty = 0;
  double epsilon = 0, delta = 0;
  std::optional<double> time_limit;
  std::string method = "auto";
  std::map<std::string, std::string> method_options;
};

// Declares the flags on a subcommand; the returned object lives as long as the callback that uses it.
std::shared_ptr<TaskFlags> add_task_flags(CLI::App& command);

std::shared_ptr<const schema::Encoding> load_encoding(const std::string& schema_path);

// The question about a table of `rows` rows. Throws ArgumentError unless it is valid.
planner::Question make_question(const TaskFlags& flags, const schema::Encoding& encoding, std::size_t rows);

// Flags of every command that reads records.
struct DataFlags {
  std::vector<std::string> paths;
  data::ReadOptions read;
};
inline constexpr const char* kFormatHelp =
    "what DATA is, whatever its name: csv, tsv, libsvm, parquet or arrow;\ndefault: by the extension";
// DATA, --format and --threads only; `flags` must live as long as the command.
void add_data_argument(CLI::App& command, DataFlags& flags);
std::shared_ptr<DataFlags> add_data_flags(CLI::App& command);

}  // namespace dperm::cli
