// SPDX-License-Identifier: Apache-2.0
// Checks a model's guarantee from its public parts alone: the plan is made anew from schema, task and options, and
// the guarantee anew from the recorded events. Note: verify.md says what this can and cannot show.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::model {

struct Check {
  std::string what;
  bool passed;
  std::string detail;  // what was found, when it did not pass
};

std::vector<Check> verify(const Model& model);
bool all_passed(const std::vector<Check>& checks);

}  // namespace dperm::model
