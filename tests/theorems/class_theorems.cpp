// SPDX-License-Identifier: Apache-2.0
// Theorems about choosing a rule of a finite class: on the rows at hand, and on the distribution they come from.
#include <cmath>
#include <memory>

#include "dperm/methods/exponential_rules/finite_choice.hpp"
#include "tests/theorems/instances.hpp"
#include "tests/theorems/theorems.hpp"

namespace dperm::tests {

namespace {

constexpr double kRules = 256;

// Stumps on one category: "is this level", "is not this level", "none of them" among the levels.
std::uint32_t levels_for(double rules) { return static_cast<std::uint32_t>(rules / 2) - 1; }

// The share of wrong answers of a rule, groups weighted by `shares` (not counts: shares of a population have no rows).
double error(const rules::Hypothesis& rule, const std::vector<Group>& groups, const std::vector<double>& shares) {
  double wrong = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::uint32_t code = groups[g].level;
    const rules::EncodedRow row{{}, {&code, 1}};
    if (rules::predict(rule, row) != (groups[g].target > 0)) wrong += shares[g];
  }
  return wrong;
}

std::uint64_t chosen_rule(const data::Dataset& dataset, const methods::ClassPlan& plan, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return methods::choose_rule(*rules::stumps(dataset.encoding()), plan, dataset, curator, {1}).get();
}

// How many errors fewer make one rule about as likely as so many competitors.
double critical_gap(double competitors, double epsilon) {
  return static_cast<double>(methods::kErrorRange) * std::log(competitors) / epsilon;
}

// The true error of the chosen rule above that of the best.
Trial population_trial(const Point& point, double bound, const std::vector<Group>& groups,
                       const std::vector<double>& shares) {
  const auto rows = static_cast<std::size_t>(point.rows);
  const methods::ClassPlan plan = methods::plan_choice(static_cast<std::uint64_t>(point.rules), rows, point.epsilon);
  const std::uint32_t levels = levels_for(point.rules);
  const std::shared_ptr<const rules::FiniteClass> rules =
      rules::stumps(encoding_for(Instance{levels, {{0, 1, 1}}}.table(true)));
  const double least = error(rules->hypothesis(0), groups, shares);
  return {bound, [=](std::uint64_t seed) {
            const Instance sample = sampled(levels, groups, shares, rows, seed);
            const std::uint64_t chosen = chosen_rule(dataset_of(sample.table(true)), plan, seed);
            return error(rules->hypothesis(chosen), groups, shares) - least;
          }};
}

Theorem class_theorem(const char* name, const char* title, const char* statement) {
  Theorem theorem;
  theorem.name = name;
  theorem.title = title;
  theorem.statement = statement;
  theorem.runs = 2000;
  return theorem;
}

}  // namespace

Theorem best_of_a_class() {
  Theorem theorem = class_theorem("finite_class", "The best rule of a finite class",
                                  "E training errors above the best <= 2 ln|H| / epsilon");
  const Point base{1000, 0.25, kRules};
  Sweep sizes{"ln(rules)", 1, [](const Point& point) { return std::log(point.rules); }, {}};
  for (const double rules : {64.0, 256.0, 1024.0, 4096.0, 16384.0}) sizes.points.push_back({1000, 0.25, rules});
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000}), epsilon_sweep(-1, base, {0.0625, 0.125, 0.25, 0.5}),
                    std::move(sizes)};
  theorem.at = [](const Point& point) {
    const auto rows = static_cast<std::size_t>(point.rows);
    const methods::ClassPlan plan = methods::plan_choice(static_cast<std::uint64_t>(point.rules), rows, point.epsilon);
    // "Is level 0" and "is not level 2" are right; nearly all others err `gap` times more. Level 1 tells nothing.
    const auto gap = static_cast<std::size_t>(std::llround(critical_gap(point.rules - 4, point.epsilon)));
    const std::size_t rest = rows - 2 * gap;
    const Instance instance{levels_for(point.rules),
                            {{0, 1, gap}, {2, -1, gap}, {1, 1, rest / 2}, {1, -1, rest - rest / 2}}};
    std::vector<double> shares;
    for (const Group& group : instance.groups) shares.push_back(static_cast<double>(group.count) / point.rows);
    const auto dataset = std::make_shared<const data::Dataset>(dataset_of(instance.table(true)));
    const std::shared_ptr<const rules::FiniteClass> rules = rules::stumps(dataset->encoding());
    const double least = error(rules->hypothesis(0), instance.groups, shares);
    return Trial{plan.expected_gap / point.rows, [=](std::uint64_t seed) {
                   return error(rules->hypothesis(chosen_rule(*dataset, plan, seed)), instance.groups, shares) - least;
                 }};
  };
  return theorem;
}

Theorem agnostic_learning() {
  Theorem theorem =
      class_theorem("agnostic_learning", "Private learning, any distribution",
                    "true error above the best <= sampling + 2 ln(3|H|/0.05) / (epsilon n), probability 0.95");
  theorem.promise = Promise::with_probability;
  theorem.failure = 0.05;
  const Point base{1000, 0.25, kRules};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000}), epsilon_sweep(-1, base, {0.125, 0.25, 0.5, 1})};
  // The bound also pays for sampling, which falls as n^(-1/2) and not with epsilon.
  for (Sweep& sweep : theorem.sweeps) sweep.tight = false;
  theorem.at = [](const Point& point) {
    const double share = critical_gap(point.rules - 4, point.epsilon) / point.rows;
    const double rest = (1 - 2 * share) / 2;
    return population_trial(point, methods::agnostic_error(point.rules, point.rows, point.epsilon, 0.05),
                            {{0, 1, 0}, {2, -1, 0}, {1, 1, 0}, {1, -1, 0}}, {share, share, rest, rest});
  };
  return theorem;
}

Theorem realisable_learning() {
  Theorem theorem = class_theorem("realisable_learning", "Private learning, some rule always right",
                                  "true error <= 4 ln(2|H|/0.05) / (epsilon n) with probability 0.95, epsilon <= 1/2");
  theorem.promise = Promise::with_probability;
  theorem.failure = 0.05;
  const Point base{1000, 0.25, kRules};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000}), epsilon_sweep(-1, base, {0.0625, 0.125, 0.25, 0.5})};
  theorem.at = [](const Point& point) {
    const double share = critical_gap(point.rules / 2, point.epsilon) / point.rows;
    return population_trial(point, methods::realisable_error(point.rules, point.rows, point.epsilon, 0.05),
                            {{0, 1, 0}, {1, -1, 0}}, {share, 1 - share});
  };
  return theorem;
}

}  // namespace dperm::tests
