// SPDX-License-Identifier: Apache-2.0
// Is a model better than the best answer that looks at no column? From measures that were released with it.
#pragma once

#include <optional>

#include "dperm/methods/evaluation/measures.hpp"

namespace dperm::methods {

struct BesideConstant {
  double model, constant;  // accuracy, or R2, whose constant is 0
  double radius;           // of the difference
  bool ranks = false;      // its scores tell rows apart all the same: AUC above a half, error bars counted
  bool no_better() const { return model <= constant; }
  bool not_clearly_better() const { return model - radius <= constant; }
};

// Nothing where the measures do not tell.
std::optional<BesideConstant> beside_constant(const Measures& measures);

}  // namespace dperm::methods
