// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/output_loss.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::network {
namespace {

std::size_t class_of(std::int32_t target, std::size_t outputs) {
  return std::min(static_cast<std::size_t>(std::max(target, 0)), outputs - 1);
}

double scalar_target(const loss::Loss& loss, std::int32_t target) {
  if (loss::is_classification(loss.kind)) return target > 0 ? 1 : -1;
  return static_cast<double>(target) / schema::kTargetOne;
}

float largest(std::span<const float> scores) { return *std::max_element(scores.begin(), scores.end()); }

}  // namespace

void validate_output(const loss::Loss& loss, std::size_t outputs) {
  loss::validate(loss);
  if (loss.kind == loss::LossKind::softmax) {
    require(outputs >= 2, "the softmax loss needs a network with one output per class, two or more");
  } else {
    require(loss::has_one_score(loss.kind), "the zero-one loss has no slope to follow; choose another");
    require(outputs == 1, "this loss needs a network with exactly one output; for classes choose softmax");
  }
}

// [proof network_clipped_sum.losses]
void slopes(const loss::Loss& loss, std::span<const float> scores, std::int32_t target, float* slopes) {
  if (loss.kind != loss::LossKind::softmax) {
    slopes[0] = static_cast<float>(loss::slope(loss, static_cast<double>(scores[0]), scalar_target(loss, target)));
    return;
  }
  const float top = largest(scores);
  float sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    slopes[k] = std::exp(scores[k] - top);
    sum += slopes[k];
  }
  for (std::size_t k = 0; k < scores.size(); ++k) slopes[k] /= sum;
  slopes[class_of(target, scores.size())] -= 1;
}
// [/proof]

}  // namespace dperm::network
