// SPDX-License-Identifier: Apache-2.0
// Numbers of a plan's derivation by their names.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "dperm/methods/method.hpp"

namespace dperm::tests {

inline double derived(const methods::Plan& plan, std::string_view quantity) {
  for (const methods::DerivationStep& step : plan.derivation) {
    if (step.quantity == quantity) return step.value;
  }
  ADD_FAILURE() << "no derivation step " << quantity;
  return 0;
}

}  // namespace dperm::tests
