// SPDX-License-Identifier: Apache-2.0
// What dperm evaluate prints: made whole before any of it is printed, so that a ledger can keep it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/model/model.hpp"

namespace dperm::cli {

// What is asked about a model.
struct Evaluating {
  const model::Model& model;
  methods::EvaluationQuery query;
  std::optional<methods::JudgementPlan> plan;  // nothing: a release of the query's metric alone
  std::string measure;                         // of all that the plan releases, the one to tell; empty: all
  std::optional<methods::Budget> budget;       // nothing: the rows are public, and numbers are exact
  std::optional<std::uint64_t> seed;
  bool json = false;
};

// Asks the rows; spends the budget.
std::string evaluation_text(const Evaluating& asked, const data::Dataset& dataset);

// A line for the reader where these numbers are not private; else empty.
std::string openness_text(const Evaluating& asked);

}  // namespace dperm::cli
