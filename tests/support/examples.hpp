// SPDX-License-Identifier: Apache-2.0
// A table and a task that an algorithm applies to, found by trying: no test has to know which algorithm wants what.
#pragma once

#include <stdexcept>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::tests {

struct Example {
  EncodedTable table;
  methods::Task task;
};

// Tasks of every kind, at epsilon 1 and delta 1e-6.
inline std::vector<Example> example_tasks(std::size_t rows, std::uint64_t seed) {
  const auto example = [](EncodedTable table, loss::LossKind kind, double l2_penalty = 0, const char* rules = "") {
    Example result{std::move(table), {}};
    result.task.problem.loss.kind = kind;
    result.task.problem.l2_penalty = l2_penalty;
    result.task.problem.rules = rules;
    result.task.facts = methods::facts_of(encoding_for(result.table), result.task.problem, result.table.rows());
    result.task.budget = {1, 1e-6};
    return result;
  };
  EncodedTable alone = learnable_table(rows, 1, {}, false, seed);
  alone.reals.clear();
  return {
      example(alone, loss::LossKind::absolute),
      example(learnable_table(rows, 2, {3}, false, seed), loss::LossKind::squared),
      example(learnable_table(rows, 2, {3}, true, seed), loss::LossKind::zero_one, 0, "stumps"),
      example(class_table(rows, 2, {3}, 3, seed), loss::LossKind::softmax),
      example(learnable_table(rows, 1, {}, true, seed), loss::LossKind::logistic),
      example(learnable_table(rows, 2, {3}, true, seed), loss::LossKind::logistic),
      example(learnable_table(rows, 2, {3}, true, seed), loss::LossKind::logistic, 1),
  };
}

// The last of those tasks that the algorithm applies to.
inline Example example_for(const methods::AlgorithmOptions& options, std::size_t rows, std::uint64_t seed) {
  std::vector<Example> examples = example_tasks(rows, seed);
  for (; !examples.empty(); examples.pop_back()) {
    try {
      methods::plan_for(examples.back().task, options);
      return examples.back();
    } catch (const ArgumentError&) {
    }
  }
  throw std::logic_error("no example for this algorithm");
}

}  // namespace dperm::tests
