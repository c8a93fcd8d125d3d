// SPDX-License-Identifier: Apache-2.0
// What a fitted model of any form says about rows. Post-processing of its parameters, but about the given rows: the
// caller decides whether those are public.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::methods {

// Parameters and what they are parameters of.
struct FittedModel {
  Task task;
  std::vector<double> weights;
};

// Numbers per row: one score, or one per class.
std::size_t outputs_per_row(const Task& task);

// Row by row. A rule gives +1 or -1. Throws ArgumentError where weights and encoding do not fit the task.
std::vector<double> outputs(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                            Threads threads);

// The number of a rule model's rule; ArgumentError unless it is one of `rules`.
std::uint64_t rule_number(const FittedModel& model, std::uint64_t rules);

// The class of the largest output, the first among equals.
std::size_t predicted_class(std::span<const double> outputs);

// Rows whose predicted class (or sign) is not their target's. One row changes it by at most 1.
std::int64_t error_count(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                         Threads threads);

// sum over rows of trunc(steps * min(loss / bound, 1)), steps = engine::steps(solver): an integer between 0 and steps
// per row. Not for rules.
std::int64_t loss_sum(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                      double bound, Threads threads);

// The counts and sums that judge a model, and the answers to public rows; engine/queries.hpp says what they are.
std::vector<std::int64_t> judged(const engine::RowSums& sums, const schema::Encoding& encoding,
                                 const FittedModel& model, const engine::JudgedCells& cells,
                                 std::optional<std::size_t> group, Threads threads);
engine::RowAnswers answers(const engine::RowSums& sums, const schema::Encoding& encoding, const FittedModel& model,
                           std::optional<std::size_t> group, Threads threads);

}  // namespace dperm::methods
