// SPDX-License-Identifier: Apache-2.0
// Losses of a linear score t = <w, x> and a target y, with the constants their proofs use. On the encoded domain
// ||x|| <= 1; y is -1 or +1 for classification losses and in [-1, 1] for regression losses. Everything about one loss
// stands in its file of losses/; what is here looks it up. Notes: loss.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::loss {

enum class LossKind { logistic, hinge, smoothed_hinge, squared, absolute, pinball, huber, softmax, zero_one };

// A loss with its parameters. Only the parameters that its kind lists are read.
struct Loss {
  LossKind kind = LossKind::logistic;
  double smoothing = 0.35;
  double margin = 0.5;
  double quantile = 0.5;
  double threshold = 0.5;
  // Margin losses, in the engine's sums: the stored target that means y = +1, all others -1 (one class against the
  // rest); none: every target above 0.
  std::optional<std::int32_t> positive = {};
};

// What a score says about the target.
enum class Link {
  log_odds,      // logarithm of the odds that the target is +1
  margin,        // its sign is the predicted target
  number,        // the encoded target itself
  class_scores,  // one score per class; their softmax are the probabilities of the classes
  answer,        // +1 or -1
};

// What a mean loss is measured in.
enum class LossUnit {
  nats,
  score,
  target,           // times half the width of the target's bounds: in the target's own unit
  squared_target,   // the root of it likewise
  encoded_square,   // squares of the encoded target, with no counterpart in its own unit
  share_of_errors,  // of all rows
};

// One parameter of a loss: name, values and words, for model files, command lines and checks alike.
struct LossParameter {
  std::string_view name;
  double Loss::* member;
  double lower, upper;
  bool bounds_allowed = true;  // false: strictly between them
  std::string_view help = {};
  std::optional<double> before_it_was_written = {};  // its value in model files that do not name it
  bool is_asked_for = false;                         // part of what is asked, like the level of a quantile
};

struct LossInfo {
  LossKind kind;
  std::string_view name;  // "logistic", "smoothed-hinge", ...
  schema::TargetKind target;
  Link link;
  LossUnit unit;
  std::span<const LossParameter> parameters = {};
  std::string_view error_name = {};     // of the error people know that its mean stands for; empty: none
  std::string_view constant_name = {};  // what the best constant is; empty: it has no name
};

// All losses, in the order in which they are told.
std::span<const LossInfo> all_losses();
const LossInfo& info(LossKind kind);  // throws ArgumentError for a number that is no kind
std::string_view name(LossKind kind);
LossKind loss_from_name(std::string_view name);  // throws ArgumentError listing the names
bool has_one_score(LossKind kind);               // value, slope and constants below are theirs
bool is_classification(LossKind kind);           // of one score: margin losses, value(t, y) = phi(y t)

// The losses of one score. Softmax has a score per class (-ln of the right class's share), zero-one counts the wrong
// answers of a rule.
extern const std::span<const LossKind> kAllLosses;

// The first is the one to take where nothing is said. Empty for a schema without target.
std::vector<LossKind> losses_for(schema::TargetKind target);
// "logistic, hinge, smoothed-hinge or zero-one"
std::string loss_names(schema::TargetKind target);

// "pinball loss of quantile 0.9"
std::string describe(const Loss& loss);
// What a model without features answers: "mean", "median", "quantile 0.9", "best constant for the huber loss".
std::string constant_answer(const Loss& loss);

// Scores and targets are of size about 1, so a width outside these limits is a slip (and would overflow a float).
inline constexpr double kSmallestWidth = 1e-6;
inline constexpr double kLargestWidth = 1e6;

// Sets a parameter by its name. Throws ArgumentError for one of another loss: it would change nothing, and budget would
// be spent on a task that was not meant.
void set_parameter(Loss& loss, std::string_view name, double value);

// Throws ArgumentError unless the loss's own parameters are in range and positive is between 0 and 2^24.
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
// together, and slope means the vector of slopes, one per class; the others do not read `classes`. Throws ArgumentError
// unless the loss is valid and score_bound >= 0, for softmax also unless there are two classes.
LossConstants constants(const Loss& loss, double score_bound, std::size_t classes = 0);

// How far rounding moves the slope that the engine computes in arithmetic of rounding unit `unit` from a score that is
// off by `score_error`, before it is scaled and clamped.
double slope_rounding(const Loss& loss, double unit, double score_error);

// The largest loss that a score of 0 can have, over all targets: what a loss is compared with.
double loss_of_zero(const Loss& loss, std::size_t classes = 0);

}  // namespace dperm::loss
