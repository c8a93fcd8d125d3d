// SPDX-License-Identifier: Apache-2.0
// Runs vector code on every instruction set of this machine, to see that results do not depend on it.
#pragma once

#include <hwy/targets.h>

#include <cstdint>

namespace dperm::testing {

// Runs the body for every instruction set that was compiled and that this machine has, the one-lane fallback included.
template <class Body>
void for_each_target(Body&& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace dperm::testing
