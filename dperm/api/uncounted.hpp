// SPDX-License-Identifier: Apache-2.0
// What spends, for callers that have asked the ledger, or have none to ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dperm/evaluate.hpp"
#include "dperm/model.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/schema.hpp"
#include "dperm/schema/draft.hpp"

namespace dperm::api {

// Throws ArgumentError for a dataset that a schema names: spending that is meant to be counted must not go uncounted.
void refuse_uncounted(const std::string& dataset);

Model fit_uncounted(const Plan& plan, const Dataset& dataset, const FitOptions& options);

Evaluation evaluate_uncounted(const Model& model, const Dataset& dataset, double epsilon,
                              const EvaluateOptions& options);
EvaluationReport report_uncounted(const Model& model, const Dataset& dataset, double epsilon,
                                  const ReportOptions& options);

schema::Draft draft_of(std::string_view text, const InferOptions& options);
InferredSchema filled(const std::vector<std::string>& files, schema::Draft draft, const InferOptions& options,
                      random::BitSource& bits);

}  // namespace dperm::api
