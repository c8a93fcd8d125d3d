// SPDX-License-Identifier: Apache-2.0
// All algorithms by their own names. Each is an options struct and a function plan_for; this is the only place that
// knows the whole list.
#pragma once

#include <string_view>
#include <vector>

#include "dperm/methods/option_table.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::methods {

// Checks every precondition (ArgumentError says which fails and what to do), calibrates, lists the events to come.
Plan plan_for(const Task& task, const ObjectivePerturbationOptions& options);
Plan plan_for(const Task& task, const OneVsRestOptions& options);
Plan plan_for(const Task& task, const SufficientStatisticsOptions& options);
Plan plan_for(const Task& task, const ExponentialLocationOptions& options);
Plan plan_for(const Task& task, const ExponentialRulesOptions& options);
Plan plan_for(const Task& task, const ExponentialBallOptions& options);
Plan plan_for(const Task& task, const ExponentialRegularisedOptions& options);
Plan plan_for(const Task& task, const GradientDescentOptions& options);
Plan plan_for(const Task& task, const NewtonOptions& options);
Plan plan_for(const Task& task, const OutputCertifiedOptions& options);
Plan plan_for(const Task& task, const OutputDescentOptions& options);
Plan plan_for(const Task& task, const OutputSgdOptions& options);
Plan plan_for(const Task& task, const SgdOptions& options);
Plan plan_for(const Task& task, const ConstantOptions& options);
Plan plan_for(const Task& task, const TunedOptions& options);
Plan plan_for(const Task& task, const NonPrivateOptions& options);
// Where the facts name a unit, the plan protects a person's rows together (shared/unit_plan.md).
Plan plan_for(const Task& task, const AlgorithmOptions& options);

// "output-certified", and the command line's word for it and its siblings, "output-perturbation".
std::string_view algorithm_name(const AlgorithmOptions& options);
std::string_view method_name(const AlgorithmOptions& options);

// Every algorithm that protects with default options, but for tuned, which needs candidates.
std::vector<AlgorithmOptions> all_algorithms();

// The text edge: options as texts, and back. Throws ArgumentError for an unknown algorithm, option or value.
Texts option_texts(const AlgorithmOptions& options);
AlgorithmOptions options_named(std::string_view algorithm, const Texts& texts);

}  // namespace dperm::methods
