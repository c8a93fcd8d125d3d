// SPDX-License-Identifier: Apache-2.0
// What a method would release about two tables, the second with the first one's outputs: the exact sums of neighbours
// may be no further apart than is declared.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "dperm/audit/replay/compare.hpp"
#include "dperm/audit/replay/watch.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "tests/neighbours/seen.hpp"

namespace dperm::neighbours {

namespace {

// Noise is added to the objective, and the neighbour's has to be found by the record that differs: the audit's own
// replay does that.
bool has_random_term(const methods::AlgorithmOptions& options) {
  return std::holds_alternative<methods::ObjectivePerturbationOptions>(options) ||
         std::holds_alternative<methods::OneVsRestOptions>(options);
}

// Coins or batches belong to places: a record that moves has other ones.
bool draws_by_place(const methods::AlgorithmOptions& options) {
  return std::holds_alternative<methods::SgdOptions>(options) ||
         std::holds_alternative<methods::OutputSgdOptions>(options);
}

methods::Task task_of(const Seen& seen, std::size_t loss, double l2_penalty) {
  const std::vector<loss::LossKind> kinds = loss::losses_for(seen.encoding->schema().target.kind);
  if (kinds.empty()) throw ArgumentError("no target");
  methods::Task task;
  task.problem.loss.kind = kinds[loss % kinds.size()];
  task.problem.l2_penalty = l2_penalty;
  task.facts = methods::facts_of(*seen.encoding, task.problem, seen.rows);
  task.budget = {1, 1e-6};
  return task;
}

// 0: within what is declared, 1: not, -1: the method is not for such a table, or not for records that move.
int replayed(const Seen& first, const Seen& second, std::size_t algorithm, std::size_t loss, double l2_penalty,
             std::uint64_t seed, bool moved, std::string& text) {
  const std::vector<methods::AlgorithmOptions> all = methods::all_algorithms();
  const methods::AlgorithmOptions& options = all[algorithm % all.size()];
  text = methods::algorithm_name(options);
  if (has_random_term(options) || (moved && draws_by_place(options))) return -1;
  methods::Plan plan;
  try {
    plan = methods::plan_for(task_of(first, loss, l2_penalty), options);
  } catch (const ArgumentError&) {
    return -1;
  }
  const audit::Transcript one = audit::watched_run(plan, first.dataset.value(), {.seed = seed});
  const audit::Transcript other = audit::watched_run(plan, second.dataset.value(), {.seed = seed, .frozen = &one});
  const audit::Comparison found = audit::compare(one, other, plan);
  text += fmt::format(": {:.6g} of the declared sensitivity; {}", found.worst_share, found.difference);
  return found.within() ? 0 : 1;
}

}  // namespace

extern "C" {

std::size_t neighbours_algorithms() { return methods::all_algorithms().size(); }

int neighbours_replay(const Seen* first, const Seen* second, std::size_t algorithm, std::size_t loss, double l2_penalty,
                      std::uint64_t seed, bool moved, char* text, std::size_t room) {
  std::string told;
  int result = 1;
  try {
    result = replayed(*first, *second, algorithm, loss, l2_penalty, seed, moved, told);
  } catch (const std::exception& error) {
    told += std::string(": ") + error.what();
  }
  std::strncpy(text, told.c_str(), room - 1);
  text[room - 1] = '\0';
  return result;
}
}

}  // namespace dperm::neighbours
