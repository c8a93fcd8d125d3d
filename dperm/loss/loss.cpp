// SPDX-License-Identifier: Apache-2.0
// The losses themselves in double: the reference that the engine's vector code is tested against.
#include "dperm/loss/loss.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::loss {
namespace {

constexpr std::array<std::pair<LossKind, std::string_view>, kAllLosses.size() + 2> kNames = {{
    {LossKind::logistic, "logistic"},
    {LossKind::hinge, "hinge"},
    {LossKind::smoothed_hinge, "smoothed-hinge"},
    {LossKind::squared, "squared"},
    {LossKind::absolute, "absolute"},
    {LossKind::pinball, "pinball"},
    {LossKind::huber, "huber"},
    {LossKind::softmax, "softmax"},
    {LossKind::zero_one, "zero-one"},
}};

// ln(1 + e^v) without overflow and without loss of small values.
double softplus(double v) { return std::fmax(v, 0.0) + std::log1p(std::exp(-std::fabs(v))); }

// 1 / (1 + e^-v) without overflow.
double sigmoid(double v) {
  const double e = std::exp(-std::fabs(v));
  return v >= 0 ? 1 / (1 + e) : e / (1 + e);
}

}  // namespace

std::string_view name(LossKind kind) {
  for (const auto& [candidate, text] : kNames) {
    if (candidate == kind) return text;
  }
  throw InternalError("a loss kind without a name");
}

LossKind loss_from_name(std::string_view wanted) {
  std::string known;
  for (const auto& [kind, text] : kNames) {
    if (text == wanted) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text);
  }
  throw ArgumentError(fmt::format("loss '{}' is unknown; choose one of: {}", wanted, known));
}

bool has_one_score(LossKind kind) { return kind != LossKind::softmax && kind != LossKind::zero_one; }

bool is_classification(LossKind kind) {
  return kind == LossKind::logistic || kind == LossKind::hinge || kind == LossKind::smoothed_hinge ||
         !has_one_score(kind);
}

void validate(const Loss& loss) {
  require(!loss.positive || (*loss.positive >= 0 && *loss.positive <= 1 << 24),
          "positive must be the number of a class, at most 2^24");  // floats hold it exactly
  switch (loss.kind) {
    case LossKind::smoothed_hinge:
      require_in_closed_range("margin", loss.margin, 0, kLargestWidth);
      return require_in_closed_range("smoothing", loss.smoothing, kSmallestWidth, kLargestWidth);
    case LossKind::huber:
      return require_in_closed_range("threshold", loss.threshold, kSmallestWidth, kLargestWidth);
    case LossKind::pinball:
      return require_in_open_range("quantile", loss.quantile, 0, 1);
    case LossKind::logistic:
    case LossKind::hinge:
    case LossKind::squared:
    case LossKind::absolute:
    case LossKind::softmax:
    case LossKind::zero_one:
      return;
  }
  throw ArgumentError("unknown loss kind");
}

// [proof loss_loss.definitions]
double value(const Loss& loss, double score, double target) {
  const double margin = target * score;
  const double residual = score - target;
  const double size = std::fabs(residual);
  switch (loss.kind) {
    case LossKind::logistic:
      return softplus(-margin);
    case LossKind::hinge:
      return std::fmax(1 - margin, 0.0);
    case LossKind::smoothed_hinge:
      return loss.smoothing * softplus((loss.margin - margin) / loss.smoothing);
    case LossKind::squared:
      return residual * residual;
    case LossKind::absolute:
      return size;
    case LossKind::pinball:
      return residual <= 0 ? loss.quantile * size : (1 - loss.quantile) * size;
    case LossKind::huber:
      return size <= loss.threshold ? residual * residual / 2 : loss.threshold * (size - loss.threshold / 2);
    case LossKind::softmax:
    case LossKind::zero_one:
      break;
  }
  throw InternalError("not a loss of one score");
}

double slope(const Loss& loss, double score, double target) {
  const double margin = target * score;
  const double residual = score - target;
  switch (loss.kind) {
    case LossKind::logistic:
      return -target * sigmoid(-margin);
    case LossKind::hinge:
      return margin < 1 ? -target : 0;
    case LossKind::smoothed_hinge:
      return -target * sigmoid((loss.margin - margin) / loss.smoothing);
    case LossKind::squared:
      return 2 * residual;
    case LossKind::absolute:
      return residual > 0 ? 1 : residual < 0 ? -1 : 0;
    case LossKind::pinball:
      return residual > 0 ? 1 - loss.quantile : residual < 0 ? -loss.quantile : 0;
    case LossKind::huber:
      return std::fmax(-loss.threshold, std::fmin(loss.threshold, residual));
    case LossKind::softmax:
    case LossKind::zero_one:
      break;
  }
  throw InternalError("not a loss of one score");
}
// [/proof]

}  // namespace dperm::loss
