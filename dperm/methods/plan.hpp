// SPDX-License-Identifier: Apache-2.0
// A plan: everything decided before any record is read, and able to run. What was planned is what is run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/methods/promise.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::methods {

// Called with public numbers only: step t of T.
using Progress = std::function<void(std::size_t step, std::size_t steps)>;

struct FitOptions {
  Threads threads;
  Progress progress;
  bool unsafe = false;  // lets plans run that protect nobody (non-private)
};

// What a run releases.
struct Trained {
  privacy::Released<std::vector<double>> weights;  // encoded units, in the feasible set
  std::optional<TuningOutcome> tuning = {};
  std::optional<Judgement> judgement = {};
  std::optional<privacy::Released<ReleasedInterval>> interval = {};         // around a mean, median or quantile
  std::optional<privacy::Released<std::vector<double>>> weight_noise = {};  // standard errors by noise, where known
};
using Run = std::function<Trained(const data::Dataset&, privacy::Curator&, const FitOptions&)>;

struct TuningPlan;
struct HoldoutPlan;

struct Plan {
  AlgorithmOptions options;  // which algorithm, with its options
  Task task;                 // resolved: penalty and feasible set as the algorithm uses them
  std::vector<privacy::PrivacyEvent> events = {};
  privacy::Guarantee guarantee = {};
  std::vector<DerivationStep> derivation = {};
  UtilityBound utility = {};
  std::optional<ErrorModel> error_model = {};            // nothing where no forecast is known
  std::shared_ptr<const TuningPlan> tuning = nullptr;    // of tuned plans
  std::shared_ptr<const HoldoutPlan> holdout = nullptr;  // of plans that keep rows out, which the task leaves out
  Run run = {};                                          // empty in a plan read from a file
};

// What each candidate of a tuned plan would do, on fewer rows and with a part of the budget.
struct TuningPlan {
  struct Candidate {
    std::string label;  // "l2_penalty=0.01;steps=200"
    Plan plan;
  };
  double score_noise;  // standard deviation of a score's noise
  std::vector<Candidate> candidates;
};

// Rows kept out of a fit to judge it by.
struct HoldoutOptions {
  double share = 0;  // of all rows, or of all persons, strictly between 0 and 1
  JudgementOptions judged = {};
};
struct HoldoutPlan {
  HoldoutOptions options;
  JudgementPlan judgement;  // its rows are those kept out; of persons: all rows, those that train being blank

  bool by_persons() const { return judgement.unit_rows > 0; }
};

struct FitResult {
  privacy::Released<std::vector<double>> weights;  // encoded units, in the feasible set
  std::vector<privacy::PrivacyEvent> events;       // recorded by the curator
  bool secure;                                     // false: made with reproducible bits, hence not private
  std::optional<TuningOutcome> tuning = {};
  std::optional<Judgement> judgement = {};  // of a plan that keeps rows out
  std::optional<ReleasedInterval> interval = {};
  std::vector<double> weight_noise = {};  // standard error of every weight by noise alone; empty: not known
};

// Runs a plan. Throws ArgumentError for a plan made for other data or read from a file, before any record is looked at.
// The recorded events equal the planned ones, or nothing is released (InternalError).
FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& options);

// For algorithms: what a plan is made of. The events are stated for one row; those of the plan are for all rows that
// neighbours differ in (group.md). Refuses noise that the samplers cannot make and accounts for the events at
// the task's delta.
Plan make_plan(AlgorithmOptions options, const Task& resolved, std::vector<privacy::PrivacyEvent> events,
               std::vector<DerivationStep> derivation, UtilityBound utility, Run run);

// The public radius assumed for the weights where the user names none: coefficients of up to 5 (classification; softmax
// 10) or 1 (regression) per full swing of every column at once.
double default_radius(const Problem& problem, const PublicFacts& facts);

}  // namespace dperm::methods
