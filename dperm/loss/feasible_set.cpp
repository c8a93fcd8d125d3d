// SPDX-License-Identifier: Apache-2.0
// Projection onto the feasible set and the norm bound that sensitivity proofs take from it.
#include "dperm/loss/feasible_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"

namespace dperm::loss {
namespace {

// Scaled by the largest entry, so that neither squares of huge weights overflow nor those of tiny ones vanish; in
// extended precision, so that many weights cost little accuracy.
double euclidean_norm(std::span<const double> weights) {
  double largest = 0;
  for (const double w : weights) largest = std::fmax(largest, std::fabs(w));
  if (largest == 0) return 0;
  long double sum = 0;
  for (const double w : weights) {
    const long double share = static_cast<long double>(w) / largest;
    sum += share * share;
  }
  return static_cast<double>(largest * std::sqrt(sum));
}

// [proof loss_feasible_set.projection]
// Four times the relative rounding of a computed norm (2^-53 and, for each weight, 2^-64).
double ball_margin(std::size_t dimension) { return 0x1p-50 + 0x1p-62 * static_cast<double>(dimension); }

void project_onto_ball(double radius, std::span<double> weights) {
  const double norm = euclidean_norm(weights);
  const double margin = ball_margin(weights.size());
  // The margins cover the rounding of the norm, so that the true norm is never an ulp above the radius, and leave a
  // projected point where it is when projected again.
  if (norm * (1 + margin) + 0x1p-1000 <= radius) return;
  const double inner = radius * (1 - 3 * margin);
  for (double& w : weights) w = w / norm * inner;
}

}  // namespace

void validate(const FeasibleSet& set) {
  switch (set.kind) {
    case SetKind::unconstrained:
      return;
    case SetKind::ball:
      return require_positive_finite("radius", set.radius);
    case SetKind::box:
      return require_positive_finite("box", set.radius);
  }
  throw ArgumentError("unknown kind of feasible set");
}

void project(const FeasibleSet& set, std::span<double> weights) {
  validate(set);
  require(std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }),
          "weights to project must be finite");
  switch (set.kind) {
    case SetKind::unconstrained:
      return;
    case SetKind::ball:
      return project_onto_ball(set.radius, weights);
    case SetKind::box:
      for (double& w : weights) w = std::clamp(w, -set.radius, set.radius);
      return;
  }
}

double norm_bound(const FeasibleSet& set, std::size_t dimension) {
  validate(set);
  switch (set.kind) {
    case SetKind::unconstrained:
      break;
    case SetKind::ball:
      return set.radius;
    case SetKind::box:
      return rounded_up(set.radius * std::sqrt(static_cast<double>(dimension)));
  }
  return std::numeric_limits<double>::infinity();
}

double projection_error(const FeasibleSet& set, std::size_t dimension) {
  validate(set);
  return set.kind == SetKind::ball ? rounded_up(5 * ball_margin(dimension) * set.radius) : 0;
}
// [/proof]

std::string describe(const FeasibleSet& set) {
  switch (set.kind) {
    case SetKind::unconstrained:
      return "unconstrained";
    case SetKind::ball:
      return fmt::format("ball of radius {}", set.radius);
    case SetKind::box:
      return fmt::format("box [-{0}, {0}] in each weight", set.radius);
  }
  throw ArgumentError("unknown kind of feasible set");
}

}  // namespace dperm::loss
