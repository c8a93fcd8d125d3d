// SPDX-License-Identifier: Apache-2.0
// Checks a model's guarantee from its public parts alone: the plan is made anew from schema, task and options, and
// the guarantee anew from the recorded events. Note: verify.md says what this can and cannot show.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::model {

struct Check {
  std::string what;
  bool passed;
  std::string detail;  // what was found, when it did not pass
};

// A file whose plan cannot be made (ArgumentError, DataError) does not pass. Any other failure is our own, and is
// thrown: it says nothing about the file.
std::vector<Check> verify(const Model& model);

// The plan as this program makes it from the model's task and options: what may be shown to people, whatever words the
// file has. Throws DataError where it cannot be made.
methods::Plan planned_anew(const Model& model);

// The same with another way to plan.
using PlanAnew = std::function<methods::Plan(const Model& model)>;
std::vector<Check> verify(const Model& model, const PlanAnew& plan_anew);

bool all_passed(const std::vector<Check>& checks);

// The first check that fails, for commands that go on all the same: nothing where the file's claims follow from its
// parts. That a file calls itself not private, or records that there was no noise, is no claim of privacy.
std::optional<Check> first_failure(Model model);

}  // namespace dperm::model
