// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/unit_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/events/group.hpp"

namespace dperm::methods {

namespace {

constexpr double kEnough = 0.995;   // share of epsilon that ends the search
constexpr double kRounding = 1e-9;  // by which the first guess stays below its formula
constexpr int kMostTrials = 24;

// [proof methods_unit_plan.covered]
// Why an algorithm takes no unit; empty where it does.
struct Refusal {
  const Task& task;

  std::string operator()(const OutputSgdOptions&) const {
    return "`solver = permutation-sgd` visits rows in batches, and its proof is about one row of one batch; take "
           "`solver = certified` or `solver = gradient-descent`";
  }
  std::string operator()(const TunedOptions&) const {
    return "tuning divides the rows, and its proof is about one row; name the settings";
  }
  std::string operator()(const ExponentialLocationOptions&) const { return kEveryRow; }
  std::string operator()(const ExponentialRulesOptions&) const { return kEveryRow; }
  std::string operator()(const ExponentialBallOptions&) const { return kEveryRow; }
  std::string operator()(const ConstantOptions&) const {
    return task.facts.classes > 0 || loss::is_classification(task.problem.loss.kind) ? "" : kEveryRow;
  }
  std::string operator()(const auto&) const { return ""; }

 private:
  static constexpr const char* kEveryRow = "its proof is about tables that have no blank rows";
};
// [/proof]

// The first guess: exact where all releases are Gaussian, or all pure.
double guess_of(const Task& task) {
  const auto& [epsilon, delta] = task.budget;
  const double rows = static_cast<double>(group_of(task.facts));
  if (rows == 1) return epsilon;
  if (delta <= 0) return epsilon / rows * (1 - kRounding);
  const double mu = privacy::mu_for(epsilon, delta) / rows;
  const double of_gaussian = privacy::epsilon_gaussian(mu, delta);
  return (of_gaussian > 0 ? of_gaussian : epsilon / rows) * (1 - kRounding);
}

DerivationStep rows_step(const Task& task) {
  return {"rows of one person", static_cast<double>(task.facts.unit_rows),
          "the schema's [unit]: neighbours differ in all of them; others are blank [unit_rule.md]"};
}

// [proof methods_unit_plan.plan]
// The plan of one row at this epsilon, as what it is for all rows of a person.
Plan as_unit(Plan plan, const Task& task, double row_epsilon) {
  const std::size_t rows = group_of(task.facts);
  plan.events = privacy::for_group(std::move(plan.events), rows);
  plan.guarantee = privacy::account(plan.events, task.budget.delta);
  plan.task.facts.unit_rows = task.facts.unit_rows;
  plan.task.budget = task.budget;
  plan.derivation.push_back(rows_step(task));
  plan.derivation.push_back({"epsilon of one row", row_epsilon,
                             "what the numbers above are for: rows of a person together have the plan's [group.md]"});
  return plan;
}

// Of all trials the one that spends most of what the task allows.
Plan searched(const Task& task, const std::function<Plan(const Task&)>& one_row) {
  Task row = task;
  row.facts.unit_rows = 1;  // rows may be blank, and neighbours differ in one
  std::optional<Plan> best;
  double low = 0, high = task.budget.epsilon, next = std::min(guess_of(task), high);
  for (int trial = 0; trial < kMostTrials; ++trial) {
    row.budget.epsilon = next;
    Plan plan = as_unit(one_row(row), task, next);
    const double spent = plan.guarantee.epsilon;
    const bool kept = spent <= task.budget.epsilon && plan.guarantee.delta <= task.budget.delta;
    if (kept && (!best || spent > best->guarantee.epsilon)) best = std::move(plan);
    (kept ? low : high) = next;
    if (best && best->guarantee.epsilon >= kEnough * task.budget.epsilon) break;
    if (low > 0 && high / low < 1 + kRounding) break;
    // Nearly in proportion; halves where that leads out of what is known.
    const double line = next * task.budget.epsilon / spent * (1 - kRounding);
    next = line > low && line < high ? line : (low > 0 ? std::sqrt(low * high) : high / 2);
  }
  if (!best) throw ArgumentError("no budget of one row keeps the promise for all rows of a person");
  return std::move(*best);
}
// [/proof]

}  // namespace

Plan plan_for_unit(const Task& task, const AlgorithmOptions& options, const std::function<Plan(const Task&)>& one_row) {
  if (const std::string why = std::visit(Refusal{task}, options); !why.empty()) {
    throw ArgumentError(fmt::format("with a schema that has a [unit]: {}", why));
  }
  // It finds its noise for the group itself: a sample may hold some rows of a person.
  if (std::holds_alternative<SgdOptions>(options)) {
    Plan plan = one_row(task);
    plan.derivation.push_back(rows_step(task));
    return plan;
  }
  return searched(task, one_row);
}

}  // namespace dperm::methods
