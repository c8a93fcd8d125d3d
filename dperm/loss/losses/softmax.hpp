// SPDX-License-Identifier: Apache-2.0
// The softmax loss: -ln of the right class's share e^{t_y} / sum_k e^{t_k}. It has a score per class, so its values and
// slopes are not here: the engine computes them row by row. Note: dperm/loss/loss.md.
#pragma once

#include <cmath>
#include <cstddef>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct Softmax {
  static constexpr LossInfo info{.kind = LossKind::softmax,
                                 .name = "softmax",
                                 .target = schema::TargetKind::classes,
                                 .link = Link::class_scores,
                                 .unit = LossUnit::nats};

  // [proof loss.softmax]
  // r bounds the norm of all weights together, so two scores differ by at most sqrt(2) r.
  static LossConstants constants(std::size_t classes, double r) {
    require(classes >= 2, "softmax needs at least two classes");
    const double root = rounded_up(std::sqrt(2.0));
    return {.lipschitz = root,
            .smoothness = 0.5,
            .range = rounded_up(2 * root * r),
            .largest_value = rounded_up(std::log(static_cast<double>(classes)) + root * r),
            .gradient_difference = 2 * root};
  }
  // [/proof]
};

}  // namespace dperm::loss
