// SPDX-License-Identifier: Apache-2.0
// K classes by K binary models, each one class against the rest by objective perturbation, with the budget divided
// among them: for losses of one margin, which have no joint form. Proof note: one_vs_rest.md.
#pragma once

#include "dperm/methods/objective_perturbation/objective_settings.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::methods {

struct OneVsRest {
  Task task;                   // as asked, with the penalty that is used
  ObjectiveSettings of_class;  // the same for every class, with a class's share of the budget
  std::vector<privacy::PrivacyEvent> events;
};

// `asked` has a target of classes; its loss is that of the model, `binary` that of the fits with its parameters. Throws
// ArgumentError where objective perturbation does, or where no division of the budget is found.
OneVsRest one_vs_rest(const Task& asked, const loss::Loss& binary, TermNoise noise);

// Weights class by class.
privacy::Released<std::vector<double>> fit_classes(const OneVsRest& plan, const Sensitive<engine::SharedSums>& sums,
                                                   privacy::Curator& curator, Threads threads);

}  // namespace dperm::methods
