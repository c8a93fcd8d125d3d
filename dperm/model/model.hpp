// SPDX-License-Identifier: Apache-2.0
// A fitted model with everything needed to use it, to explain it and to check its guarantee. Plain data, all of it
// released or public.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dperm/engine/rules/hypothesis.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/methods/plan.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::model {

// Where a ledger counts what the model cost: the entry under which it was reserved, and the digest of that entry, which
// stands on all earlier ones. A ledger without this entry is another one, or was restored or changed.
struct LedgerMark {
  std::string ledger, dataset;
  std::uint64_t entry = 0;
  std::string head;
  bool operator==(const LedgerMark&) const = default;
};

struct Model {
  schema::Schema schema;
  methods::Plan plan;
  std::vector<double> weights;                             // as methods::model_form says; linear ones in encoded units
  std::vector<privacy::PrivacyEvent> events;               // as the curator recorded them
  privacy::Guarantee guarantee;                            // computed from those events
  bool is_private = true;                                  // false: seeded, without noise, or with unsafe diagnostics
  std::vector<std::string> remarks;                        // why it is not private, what was assumed
  std::optional<methods::TuningOutcome> tuning = {};       // where settings were chosen from a grid
  std::optional<methods::Judgement> judgement = {};        // where rows were kept out: what was released about them
  std::optional<methods::ReleasedInterval> interval = {};  // around a mean, median or quantile; encoded units
  std::vector<double> weight_noise = {};  // standard error of every weight by noise alone; empty: not known
  std::optional<LedgerMark> ledger = {};  // where what it cost is counted
};

methods::FittedModel fitted(const Model& model);

// The model's guarantee with what was inferred for its schema before, as one promise: what its people are told.
privacy::Guarantee total_guarantee(const Model& model);

// How good it is on the rows kept out, computed from what was released about them; nothing where none were.
std::optional<methods::Evaluated> evaluation(const Model& model);

// The rule of a model of that form, and the same in the table's own units.
rules::Hypothesis rule_of(const Model& model);
std::string rule_text(const Model& model);

// Puts together what a fit returned; the guarantee is recomputed from the recorded events.
Model make_model(const schema::Schema& schema, const methods::Plan& plan, const methods::FitResult& result);

// Puts an exact number about the training data into a model, which is no longer private and says so.
void add_training_metric(Model& model, methods::Metric metric, double value);

}  // namespace dperm::model
