// SPDX-License-Identifier: Apache-2.0
// Worst-case data for the theorems: few different records, many times each, so that risks have closed forms. The
// records that say anything grow in number with the noise, all others say nothing: then the theorem's rate is attained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dperm/methods/method.hpp"
#include "tests/support/datasets.hpp"
#include "tests/theorems/experiment.hpp"

namespace dperm::tests {

// `count` equal records. With L levels there is one category column, x = (1, e_level) / sqrt(2), and a level of L
// stands for none of them, x = (1, 0) / sqrt(2); without levels there is no column, x = (1).
struct Group {
  std::uint32_t level;
  double target;  // -1 or 1 (classification), in [-1, 1] (regression)
  std::size_t count;
};

struct Instance {
  std::uint32_t levels = 0;
  std::vector<Group> groups;

  std::size_t rows() const;
  EncodedTable table(bool classification) const;
  double risk(const methods::Problem& problem, const std::vector<double>& weights) const;
};

methods::PublicFacts facts_for(double rows, std::uint32_t levels);

// `informative` records of each level, labels +1 for even and -1 for odd levels; the rest without a level, labels or
// targets balanced. `size` scales the targets of regression.
Instance sparse_instance(std::size_t rows, std::uint32_t levels, double informative, double size = 1);

// The least risk in the ball of radius R on a sparse instance, for a margin loss that falls: by symmetry and convexity
// at w_0 = 0 and w_j = +-R / sqrt(levels).
double least_sparse_risk(const Instance& instance, const methods::Problem& problem, double radius);

// n independent draws from groups with these shares; their counts are not read.
Instance sampled(std::uint32_t levels, std::vector<Group> groups, const std::vector<double>& shares, std::size_t rows,
                 std::uint64_t seed);

std::vector<double> fitted_weights(const methods::Plan& plan, const data::Dataset& dataset, std::uint64_t seed);

// Runs the method's own plan on the instance with seeded bits.
Trial method_trial(const methods::Plan& plan, const Instance& instance, const methods::Problem& problem,
                   double least_risk);

}  // namespace dperm::tests
