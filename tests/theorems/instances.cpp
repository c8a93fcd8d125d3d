// SPDX-License-Identifier: Apache-2.0
#include "tests/theorems/instances.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

namespace dperm::tests {

std::size_t Instance::rows() const {
  return std::accumulate(groups.begin(), groups.end(), std::size_t{0},
                         [](std::size_t sum, const Group& group) { return sum + group.count; });
}

EncodedTable Instance::table(bool classification) const {
  EncodedTable table;
  if (levels > 0) {
    table.levels = {levels};
    table.codes.resize(1);
  }
  const double unit = classification ? 1 : schema::kTargetOne;
  for (const Group& group : groups) {
    if (levels > 0) table.codes[0].insert(table.codes[0].end(), group.count, group.level);
    table.targets.insert(table.targets.end(), group.count,
                         static_cast<std::int32_t>(std::llround(group.target * unit)));
  }
  return table;
}

double Instance::risk(const methods::Problem& problem, const std::vector<double>& weights) const {
  const double scale = levels > 0 ? std::sqrt(0.5) : 1;
  double sum = 0, square = 0;
  for (const Group& group : groups) {
    const double score = scale * (weights[0] + (group.level < levels ? weights[1 + group.level] : 0));
    sum += static_cast<double>(group.count) * loss::value(problem.loss, score, group.target);
  }
  for (const double weight : weights) square += weight * weight;
  return sum / static_cast<double>(rows()) + problem.l2_penalty / 2 * square;
}

methods::PublicFacts facts_for(double rows, std::uint32_t levels) {
  methods::PublicFacts facts;
  facts.rows = static_cast<std::size_t>(rows);
  facts.dimension = 1 + levels;
  facts.columns = levels > 0 ? 2 : 1;
  return facts;
}

Instance sparse_instance(std::size_t rows, std::uint32_t levels, double informative, double size) {
  const auto count = static_cast<std::size_t>(std::llround(informative));
  if (count * levels > rows) throw std::logic_error("more informative records than rows");
  Instance instance{levels, {}};
  for (std::uint32_t level = 0; level < levels; ++level) {
    instance.groups.push_back({level, level % 2 == 0 ? size : -size, count});
  }
  const std::size_t rest = rows - count * levels;
  instance.groups.push_back({levels, size, rest / 2});
  instance.groups.push_back({levels, -size, rest - rest / 2});
  return instance;
}

double least_sparse_risk(const Instance& instance, const methods::Problem& problem, double radius) {
  std::vector<double> weights(1 + instance.levels, 0.0);
  for (std::uint32_t level = 0; level < instance.levels; ++level) {
    weights[1 + level] = (level % 2 == 0 ? 1 : -1) * radius / std::sqrt(static_cast<double>(instance.levels));
  }
  return instance.risk(problem, weights);
}

Instance sampled(std::uint32_t levels, std::vector<Group> groups, const std::vector<double>& shares, std::size_t rows,
                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::discrete_distribution<std::size_t> distribution(shares.begin(), shares.end());
  for (Group& group : groups) group.count = 0;
  for (std::size_t row = 0; row < rows; ++row) ++groups[distribution(random)].count;
  return {levels, std::move(groups)};
}

std::vector<double> fitted_weights(const methods::Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  methods::FitOptions options;
  options.threads.count = 1;
  return methods::fit(plan, dataset, curator, options).weights.get();
}

Trial method_trial(const methods::Plan& plan, const Instance& instance, const methods::Problem& problem,
                   double least_risk) {
  const auto dataset =
      std::make_shared<const data::Dataset>(dataset_of(instance.table(loss::is_classification(problem.loss.kind))));
  return {plan.utility.excess_risk, [=](std::uint64_t seed) {
            return instance.risk(problem, fitted_weights(plan, *dataset, seed)) - least_risk;
          }};
}

}  // namespace dperm::tests
