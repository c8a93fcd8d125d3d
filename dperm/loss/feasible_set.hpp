// SPDX-License-Identifier: Apache-2.0
// Where the weights may lie, in encoded units. All sets are public, convex and contain 0, so projection is a
// 1-Lipschitz post-processing step.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace dperm::loss {

enum class SetKind { unconstrained, ball, box };

struct FeasibleSet {
  SetKind kind = SetKind::unconstrained;
  double radius = 0;  // ball: ||w||_2 <= radius; box: |w_j| <= radius
};

void validate(const FeasibleSet& set);  // throws ArgumentError
void project(const FeasibleSet& set, std::span<double> weights);
// Largest ||w||_2 in the set; infinity when unconstrained.
double norm_bound(const FeasibleSet& set, std::size_t dimension);
// How far a computed projection can be from the true one; clamping to a box is exact.
double projection_error(const FeasibleSet& set, std::size_t dimension);
std::string describe(const FeasibleSet& set);

}  // namespace dperm::loss
