// SPDX-License-Identifier: Apache-2.0
// Proof notes: clipped_sum.md and dperm/engine/cpu/clipped_pass.md.
#include "dperm/engine/network/clipped_error.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/network/clipped_sum.hpp"
#include "dperm/engine/network/output_loss.hpp"
#include "dperm/engine/rounding_error.hpp"

namespace dperm::network {
namespace {

// [proof network_clipped_sum.accuracy]
constexpr double kUnit = 0x1p-24;          // relative rounding of a float
constexpr double kUnderflow = 0x1p-120;    // above the absolute error of a float operation that underflows
constexpr double kFeatureError = 0x1p-22;  // relative, of a feature
constexpr double kScaleError = 0x1p-14;    // relative, of scales chosen by approximate norms
constexpr double kRoom = 1 - 0x1p-11;      // share of the clip that is left for gradient and rounding
constexpr double kLargestInteger = 32767;
constexpr auto kSteps = static_cast<double>(kClipSteps);

double root_columns(const LinearRows& rows) { return std::sqrt(static_cast<double>(rows.columns)); }

// Features of a row that are not 0, at most: a block has one, the two knots of a curve or the four of a surface.
double feature_count(const LinearRows& rows) {
  return static_cast<double>(std::min(rows.shape.inputs, 4 * rows.columns));
}

double score_error(const LinearRows& rows) {
  const double terms = feature_count(rows);
  const auto outputs = static_cast<double>(rows.shape.outputs);
  return rounded_up(1.1 * (terms + 4) * kUnit * root_columns(rows) * rows.weight_norm +
                    2 * terms * outputs * kUnderflow);
}

// Of slopes as a function of the computed scores: their largest norm, and the error of the computed ones.
struct Slopes {
  double largest, error;
};

Slopes slopes_of(const LinearRows& rows) {
  const double scores = rounded_up(root_columns(rows) * rows.weight_norm + score_error(rows));
  const auto outputs = static_cast<double>(rows.shape.outputs);
  const double largest = loss::constants(rows.loss, scores, rows.shape.outputs).lipschitz;
  return {largest, rounded_up(1.1 * kUnit * (outputs + 2 * std::log(outputs) + 7) + outputs * kUnderflow)};
}

// The largest norm of a gradient as the scales see it.
double gradient_norm(const LinearRows& rows, const Slopes& slopes) {
  return rounded_up(root_columns(rows) * (slopes.largest + slopes.error) * (1 + kFeatureError));
}

// How far rounding to integers moves a gradient of `product` steps. Grows with it.
double rounding_steps(const LinearRows& rows, double product) {
  const auto inputs = static_cast<double>(rows.shape.inputs);
  const auto outputs = static_cast<double>(rows.shape.outputs);
  const double ratio = std::sqrt(inputs / outputs);
  const double left = std::fmin(std::fmax(std::sqrt(product * ratio), product / kLargestInteger), kLargestInteger);
  const double root = std::sqrt(feature_count(rows));
  const double rounding = (root * product / left + std::sqrt(outputs) * left) / 2 + root * std::sqrt(outputs) / 4;
  const double of_tiny_slopes = 1 + 9 * std::sqrt(ratio);
  return std::fmax(rounding * (1 + kScaleError) + product * 0x1p-21, of_tiny_slopes);
}

// The longest gradient, in steps, that fits the clip together with its rounding.
double longest_product(const LinearRows& rows) {
  double low = 0, high = kSteps;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (middle + rounding_steps(rows, middle) <= kRoom * kSteps ? low : high) = middle;
  }
  return low;
}
// [/proof]

// [proof engine_clipped.accuracy]
// One output: the pass over tiles.
double tile_score_error(const LinearRows& rows) {
  const double norm = rounded_up(root_columns(rows) * rows.weight_norm);
  const double score = engine::slope_error(rows.loss, 1, norm, rows.columns, engine::Resolution::release).score;
  return loss::is_classification(rows.loss.kind) ? score : score + kUnit;  // a target is rounded, too
}

Slopes tile_slopes(const LinearRows& rows) {
  const double scores = rounded_up(root_columns(rows) * rows.weight_norm + tile_score_error(rows));
  const loss::LossConstants constants = loss::constants(rows.loss, scores);
  // Next to a kink the slope is one of a score that is a little off, and its size is good to two units.
  const double rounding = std::isinf(constants.smoothness) ? 2 * kUnit : loss::slope_rounding(rows.loss, kUnit, 0);
  return {constants.lipschitz, rounded_up(rounding + 4 * kUnit * constants.lipschitz)};
}

double least_tile_clip(const LinearRows& rows) {
  const Slopes slopes = tile_slopes(rows);
  const auto m = static_cast<double>(rows.columns);
  const double share = clipped_margin(rows.columns) - (0.51 * m + 8) * kUnit;
  return rounded_up(root_columns(rows) * (slopes.largest + slopes.error) / share);
}

RowError tile_row_error(const LinearRows& rows, double clip) {
  const double truncation = engine::kTruncationSteps * clip / std::ldexp(1.0, kClippedBits);
  return {tile_score_error(rows), rounded_up(root_columns(rows) * (tile_slopes(rows).error + truncation))};
}
// [/proof]

void check(const LinearRows& rows) {
  validate(rows.shape);
  require(rows.shape.hidden.empty(), "gradients of networks with hidden layers have no known accuracy");
  validate_output(rows.loss, rows.shape.outputs);
  require(rows.columns >= 1 && rows.columns <= kMaximumWidth, "columns", "must be between 1 and the widest network");
  require_nonnegative_finite("weight_norm", rows.weight_norm);
  require(root_columns(rows) * rows.weight_norm <= kLargestScore, "the weights are too large for float arithmetic");
}

}  // namespace

// [proof network_clipped_sum.bounds]
double least_clip(const LinearRows& rows) {
  check(rows);
  if (rows.shape.outputs == 1) return least_tile_clip(rows);
  return rounded_up(gradient_norm(rows, slopes_of(rows)) * kSteps / longest_product(rows));
}

RowError row_error(const LinearRows& rows, double clip) {
  require_in_closed_range("clip", clip, least_clip(rows), kLargestClip);
  if (rows.shape.outputs == 1) return tile_row_error(rows, clip);
  const Slopes slopes = slopes_of(rows);
  const double rounding = rounding_steps(rows, gradient_norm(rows, slopes) / clip * kSteps) * step_size(clip);
  const double factors = root_columns(rows) * (slopes.error * (1 + kFeatureError) + slopes.largest * kFeatureError);
  return {score_error(rows), rounded_up(rounding + factors)};
}
// [/proof]

}  // namespace dperm::network
