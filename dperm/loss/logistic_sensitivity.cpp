// SPDX-License-Identifier: Apache-2.0
// Branch and bound over the two angles that decide the distance of two logistic gradients.
#include "dperm/loss/logistic_sensitivity.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"

namespace dperm::loss {
namespace {

constexpr double kPi = std::numbers::pi;

// What the certificate may lose; 1.0002 would also succeed, with ten times the boxes.
constexpr double kSlack = 1.002;
// Some 3 000 boxes suffice for every r; the limit only bounds the time of a failure.
constexpr int kMaximumBoxes = 400'000;
// Covers the rounding of a dozen operations on numbers of size at most 4.
constexpr double kBoundRounding = 1e-12;

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

// max over tau in [0, 1] of tau * sigmoid(tau c): the longest gradient in a direction with inner product c. Below
// -kTurn the maximum is inside, at tau = kTurn / |c|, with value kPeak / |c|; both constants solve 1 + e^x = x e^x.
constexpr double kTurn = 1.2784645427610738;
constexpr double kPeak = 0.27846454276107383;
// max over c >= kTurn of sigmoid(c) + kPeak / c, rounded up: attained near c = 4.1.
constexpr double kOppositeBound = 1.052;
double longest_gradient(double c) { return c >= -kTurn ? sigmoid(c) : kPeak / -c; }

struct Box {
  double low, high, other_low, other_high;  // angles of the two records to the weights, in [0, pi]
  double longest, other_longest;            // longest gradient at the low ends
};

}  // namespace

double logistic_symmetric_distance(double r) {
  require_nonnegative_finite("r", r);
  // The logarithm of the function is concave in alpha, so a golden-section search finds the maximum.
  const auto distance = [r](double alpha) { return 2 * std::sin(alpha) * sigmoid(r * std::cos(alpha)); };
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = 0;
  double high = kPi / 2;
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double at_left = distance(left);
  double at_right = distance(right);
  for (int i = 0; i < 60; ++i) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = distance(right);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = distance(left);
    }
  }
  return std::fmax(std::fmax(at_left, at_right), 1.0);  // alpha = pi/2 gives 1
}

// [proof loss_logistic_sensitivity.certificate]
bool certify_logistic_distance(double r, double bound) {
  require_nonnegative_finite("r", r);
  // Beyond this r the fallback is as good, and the rounding of r cos(angle) would need a wider margin.
  if (!(r <= 1000) || !(bound >= (r <= kTurn ? 1 : kOppositeBound))) return false;
  const double target = bound * bound * (1 - kBoundRounding) - kBoundRounding;
  const auto longest_at = [r](double angle) { return longest_gradient(r * std::cos(angle)); };
  std::vector<Box> open;
  open.push_back({0, kPi, 0, kPi / 2, longest_at(0), longest_at(0)});
  for (int boxes = 0; !open.empty(); ++boxes) {
    if (boxes == kMaximumBoxes) return false;
    const Box box = open.back();
    open.pop_back();
    // Only angle >= other and angle + other <= pi matter: the first by symmetry, the second by the note's case 2.
    if (box.high < box.other_low || box.low + box.other_low > kPi) continue;
    const double between = std::fmin(kPi, box.high + box.other_high);
    const double square = box.longest * box.longest + box.other_longest * box.other_longest -
                          2 * box.longest * box.other_longest * std::cos(between);
    if (square <= target) continue;
    Box lower = box;
    Box upper = box;
    if (box.high - box.low >= box.other_high - box.other_low) {
      const double middle = (box.low + box.high) / 2;
      if (!(middle > box.low && middle < box.high)) return false;
      lower.high = upper.low = middle;
      upper.longest = longest_at(middle);
    } else {
      const double middle = (box.other_low + box.other_high) / 2;
      lower.other_high = upper.other_low = middle;
      upper.other_longest = longest_at(middle);
    }
    open.push_back(lower);
    open.push_back(upper);
  }
  return true;
}

double logistic_gradient_difference(double r) {
  require(r >= 0, "the bound on the norm of the weights must be at least 0");
  if (r == std::numeric_limits<double>::infinity()) return 2;
  const double fallback = std::fmin(2.0, rounded_up(2 * sigmoid(r)));
  const double sharp = rounded_up(kSlack * logistic_symmetric_distance(r));
  if (!(sharp < fallback)) return fallback;
  return certify_logistic_distance(r, sharp) ? sharp : fallback;
}
// [/proof]

}  // namespace dperm::loss
