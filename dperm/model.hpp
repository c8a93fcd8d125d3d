// SPDX-License-Identifier: Apache-2.0
// Public API: private models. Fit one, write it, read it, predict with it, check its guarantee.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/accounting.hpp"
#include "dperm/dataset.hpp"
#include "dperm/methods/evaluation/prediction_columns.hpp"
#include "dperm/model/effects.hpp"
#include "dperm/plan.hpp"

namespace dperm {

namespace model {
struct Model;
}

// One coefficient of a linear model, in the units of the original column.
struct Coefficient {
  std::string name;   // "age", "workclass=Private", "intercept"
  double value;       // effect on the score (log-odds, margin, or the target's own unit)
  std::string per;    // of what: "unit", "if so", ...
  std::string label;  // with several classes: the class whose score it belongs to
};

// What a column or a pair of columns adds to the score, in its own units: plain structs in dperm/model/effects.hpp.
using model::Curve;
using model::CurveKind;
using model::EffectAxis;
using model::Surface;

// Around a released mean, median or quantile, in the target's own unit: for the population that the rows were drawn
// from.
struct Interval {
  double lower, upper;
  double confidence;
};

class Model {
 public:
  const Schema& schema() const;
  std::string_view algorithm() const;
  const Problem& problem() const;                   // penalty and feasible set as they were used
  std::size_t rows() const;                         // it was learned from
  const Guarantee& guarantee() const;               // computed from the events
  Guarantee total_guarantee() const;                // with what was inferred for the schema before; else the same
  const std::vector<PrivacyEvent>& events() const;  // as they were recorded
  bool is_private() const;  // false: made with a fixed seed, or published with exact numbers; remarks() say which
  const std::vector<std::string>& remarks() const;
  const std::vector<double>& weights() const;     // as released, in encoded units
  std::vector<Coefficient> coefficients() const;  // of linear models and softmax; empty for networks and rules
  // Of columns that are curves, steps or categories in order, and of pairs; with several classes one for each. The
  // intercept, coefficients of other columns and these effects add up to the score. Empty for networks and rules.
  std::vector<Curve> curves() const;
  std::vector<Surface> surfaces() const;
  std::optional<Interval> interval() const;
  std::string rule() const;     // of a rule, in the table's own units; empty for others
  std::string to_json() const;  // the model file

  // For the library's own use.
  explicit Model(std::shared_ptr<const model::Model> model) : model_(std::move(model)) {}
  const model::Model& details() const { return *model_; }

 private:
  std::shared_ptr<const model::Model> model_;
};

struct FitOptions {
  int threads = 0;                                                              // 0: all cores
  std::function<void(std::size_t step, std::size_t steps)> progress = nullptr;  // public numbers only
  std::optional<std::uint64_t> seed = {};  // for tests: reproducible noise, so that the model is NOT private
  bool unsafe = false;                     // lets non-private run, which adds no noise and protects nobody
};

// Runs the plan on the data it was made for (ArgumentError otherwise). What is released is what was planned.
Model fit(const Plan& plan, const Dataset& dataset, const FitOptions& options = {});

// The file appears complete or not at all; one that is there is replaced only if asked (ArgumentError): a model file is
// the record of a budget that is spent. read_model throws DataError for a file that is no model or was changed; a
// model that can be read is not yet verified.
void write_model(const Model& model, const std::string& path, bool overwrite = false);
Model read_model(const std::string& path);
Model parse_model(std::string_view json);

// Labels, probabilities, margins or numbers, row by row: about the given rows, which belong to the caller.
using methods::RowPredictions;
RowPredictions predict(const Model& model, const Dataset& dataset, int threads = 0);

// Recomputes the guarantee from the model's public parts alone.
struct Check {
  std::string what;
  bool passed;
  std::string detail;  // what was found, when it did not pass
};
struct Verification {
  bool passed;  // every check
  std::vector<Check> checks;
  std::vector<std::string> taken_on_trust;  // what no file can show, in sentences
};
Verification verify(const Model& model);

}  // namespace dperm
