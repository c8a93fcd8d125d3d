// SPDX-License-Identifier: Apache-2.0
// Losses of a linear score t = <w, x> and a target y, with the constants their proofs use. On the encoded domain
// ||x|| <= 1; y is -1 or +1 for classification losses and in [-1, 1] for regression losses. Notes: loss.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dperm::loss {

enum class LossKind { logistic, hinge, smoothed_hinge, squared, absolute, pinball, huber, softmax, zero_one };

// The losses of one score: value, slope and constants below are theirs. Softmax has a score a class (-ln of the right
// class's share), zero-one counts the wrong answers of a rule.
inline constexpr std::array kAllLosses = {LossKind::logistic, LossKind::hinge,    LossKind::smoothed_hinge,
                                          LossKind::squared,  LossKind::absolute, LossKind::pinball,
                                          LossKind::huber};

std::string_view name(LossKind kind);            // "logistic", "smoothed-hinge", ...
LossKind loss_from_name(std::string_view name);  // throws ArgumentError listing the names
bool has_one_score(LossKind kind);               // one of kAllLosses
bool is_classification(LossKind kind);           // of one score: margin losses, value(t, y) = phi(y t)

// A loss with its parameters. Only the parameter of its own kind is read.
struct Loss {
  LossKind kind = LossKind::logistic;
  double smoothing = 0.35;  // smoothed hinge: width h of  h ln(1 + exp((margin - z)/h))
  double margin = 0.5;      // smoothed hinge: where the loss begins to vanish; the plain hinge has margin 1
  double quantile = 0.5;    // pinball: level in (0, 1)
  double threshold = 0.5;   // Huber: quadratic within this distance
  // Margin losses, in the engine's sums: the stored target that means y = +1, all others -1 (one class against the
  // rest); none: every target above 0.
  std::optional<std::int32_t> positive = {};
};

// Scores and targets are of size about 1, so a width outside these limits is a slip (and would overflow a float).
inline constexpr double kSmallestWidth = 1e-6;
inline constexpr double kLargestWidth = 1e6;

// Throws ArgumentError unless the parameters are in range: smoothing and threshold within the widths above, margin
// between 0 and the largest of them, quantile in the open interval (0, 1), positive between 0 and 2^24.
void validate(const Loss& loss);

double value(const Loss& loss, double score, double target);
// The derivative in the score; at a kink the subgradient 0.
double slope(const Loss& loss, double score, double target);

// What proofs may assume about a loss when every score is at most `score_bound` in size (infinity: no feasible set).
struct LossConstants {
  double lipschitz;      // sup |slope|; infinity when unbounded
  double smoothness;     // sup second derivative; infinity for kinks
  double range;          // sup_z (sup_w - inf_w) of one record's loss
  double largest_value;  // sup of the loss itself (used to bound an evaluated mean)
  // sup ||grad(w; z) - grad(w; z')|| over records z, z' and feasible w: replace-one sensitivity of the summed gradient.
  double gradient_difference;
};
// Every field is an upper bound, rounded up. For softmax score_bound bounds the norm of the weights of all classes
// together, and slope means the vector of slopes, one a class; the others do not read `classes`. Throws ArgumentError
// unless the loss is valid and score_bound >= 0, for softmax also unless there are two classes.
LossConstants constants(const Loss& loss, double score_bound, std::size_t classes = 0);

}  // namespace dperm::loss
