// SPDX-License-Identifier: Apache-2.0
// The zero-one loss counts the wrong answers of a rule. It has no slope, and its constants are those of a count.
#pragma once

#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct ZeroOne {
  static constexpr LossInfo info{.kind = LossKind::zero_one,
                                 .name = "zero-one",
                                 .target = schema::TargetKind::binary,
                                 .link = Link::answer,
                                 .unit = LossUnit::share_of_errors};
};

}  // namespace dperm::loss
