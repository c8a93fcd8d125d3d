// SPDX-License-Identifier: Apache-2.0
// All measures of a model from one release: a histogram over class and score, over class and answer, or sums over
// residuals, apart by a public category where groups are asked for. Proof note: judgement.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/measures.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::methods {

struct JudgementOptions {
  std::string groups = {};  // a category column of the schema; empty: none
  // Of logistic models: rows with a larger probability are called positive.
  double threshold = 0.5;
  bool operator==(const JudgementOptions&) const = default;
};

enum class JudgedBy { scores, answers, residuals };

// Everything decided before a row is looked at.
struct JudgementPlan {
  JudgementOptions options;
  JudgedBy by = JudgedBy::scores;
  std::size_t rows = 0;                          // public; where persons are protected, blank ones too
  std::size_t unit_rows = 0;                     // rows of a person; 0: every row is protected by itself and counts
  std::size_t parts = 0;                         // bins of scores or of predictions; classes
  bool whole = true;                             // of answers: all pairs of classes, not only right and wrong
  std::optional<std::size_t> group = {};         // the category's number in the encoding
  std::vector<std::string> groups = {};          // labels of its codes
  std::optional<privacy::Mechanism> noise = {};  // nothing for public rows

  std::size_t cells() const;  // of one group
};

// With no budget: for public rows. Throws ArgumentError for a column that is no category of the schema, for a threshold
// of a model without probabilities or outside (0, 1), and for noise beyond the samplers' range.
// `filled` is about the share of the rows that will not be blank, where it is public: it decides on bins.
JudgementPlan plan_judgement(const Task& task, const schema::Encoding& encoding, std::size_t rows,
                             const std::optional<Budget>& budget, const JudgementOptions& options = {},
                             double filled = 1);
// The names of the measures that models of this task have, for a target with these labels.
std::vector<std::string> measure_names(const Task& task, const schema::Target& target);
inline constexpr const char* kJudgementWhat = "evaluation counts";
privacy::PrivacyEvent judgement_event(const JudgementPlan& plan);

// The plan's bins of scores for this model; empty where it has none.
std::vector<double> edges_for(const FittedModel& model, const JudgementPlan& plan);
// What is counted, group by group, before noise.
Sensitive<std::vector<std::int64_t>> judged_sums(const data::Dataset& dataset, const FittedModel& model,
                                                 const JudgementPlan& plan, std::span<const double> edges,
                                                 Threads threads);

// What left through the door.
struct Judgement {
  JudgementPlan plan;
  std::vector<double> edges;       // of scores: public bins
  std::vector<std::int64_t> sums;  // noisy
};

// One release, the plan's event. Throws ArgumentError for a plan made for other rows.
Judgement judge_privately(const data::Dataset& dataset, const FittedModel& model, const JudgementPlan& plan,
                          privacy::Curator& curator, Threads threads);
// Post-processing: nothing but released and public numbers goes in.
Evaluated evaluated(const Judgement& judgement, const Task& task, const schema::Target& target);

// Exact, so sensitive: for rows that are public.
Sensitive<Evaluated> judge_exactly(const data::Dataset& dataset, const FittedModel& model, const JudgementPlan& plan,
                                   Threads threads);

}  // namespace dperm::methods
