// SPDX-License-Identifier: Apache-2.0
// Public API: how good a model is on labelled rows, as a private release or in the open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dperm/methods/evaluation/measures.hpp"
#include "dperm/model.hpp"

namespace dperm {

enum class EvaluationMetric {
  accuracy,  // share of right answers
  loss,      // mean loss, each row's clipped at a public bound
};

struct EvaluateOptions {
  std::optional<EvaluationMetric> metric = {};  // none: accuracy for classification, loss for a real target
  int threads = 0;                              // 0: all cores
  std::optional<std::uint64_t> seed = {};       // for tests: reproducible noise, so that the number is NOT private
  bool other_rows = false;                      // the rows belong to no dataset that a ledger counts
};

struct Evaluation {
  EvaluationMetric metric;
  double value;
  std::optional<double> noise_radius;     // of a private release: 95% of the noise is at most this
  std::optional<double> sampling_radius;  // of an accuracy: 95% of the sampling error is at most this
  std::string error_name;                 // of a real target: the error people know, "root_mean_square_error"; or empty
  double error_value = 0;                 // in the target's own unit
  bool is_private = false;                // false: an exact number, or one with reproducible noise
  std::optional<Guarantee> guarantee;     // of a private one: what it costs the rows it was computed on
};

// A private release about the rows, at this pure epsilon. Where the model names the dataset that it was learned from,
// say whose rows these are: `other_rows`, or a charge (dperm/ledger.hpp). ArgumentError otherwise, also of report().
Evaluation evaluate(const Model& model, const Dataset& dataset, double epsilon, const EvaluateOptions& options = {});
// The exact number, for rows that the caller declares public.
Evaluation evaluate_public(const Model& model, const Dataset& dataset, const EvaluateOptions& options = {});

// All measures with error bars, from one release: plain structs in dperm/methods/evaluation/measures.hpp.
using methods::CalibrationBin;
using methods::ConfusionMatrix;
using methods::GroupMeasures;
using methods::Measure;
using methods::Measures;
using methods::ResidualBin;
using methods::RocPoint;

struct ReportOptions {
  std::string groups = {};  // also apart by this category column of the schema
  double threshold = 0.5;   // logistic models: rows with a larger probability are called positive
  double delta = 0;         // allowed where it makes the noise smaller
  int threads = 0;
  std::optional<std::uint64_t> seed = {};  // for tests: the numbers are NOT private
  bool other_rows = false;                 // the rows belong to no dataset that a ledger counts
};

struct EvaluationReport {
  Measures all;
  std::vector<GroupMeasures> groups;
  bool is_private = false;
  std::vector<PrivacyEvent> events;    // of a private one
  std::optional<Guarantee> guarantee;  // likewise
};

EvaluationReport report(const Model& model, const Dataset& dataset, double epsilon, const ReportOptions& options = {});
// Exact, for rows that the caller declares public.
EvaluationReport report_public(const Model& model, const Dataset& dataset, const ReportOptions& options = {});
// On rows that the fit kept out: part of what it released. Nothing where it kept none out.
std::optional<EvaluationReport> held_out_report(const Model& model);

}  // namespace dperm
