// SPDX-License-Identifier: Apache-2.0
// Public API: everything decided before any record is read. Planning needs no data, so comparing and choosing are free.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/accounting.hpp"
#include "dperm/methods/options.hpp"
#include "dperm/methods/promise.hpp"
#include "dperm/task.hpp"

namespace dperm {

namespace methods {
struct Plan;
}

// Every algorithm is an options struct; a default-made one leaves all choices to the algorithm.
using methods::AlgorithmOptions;
using methods::ConstantOptions;
using methods::ExponentialBallOptions;
using methods::ExponentialLocationOptions;
using methods::ExponentialRegularisedOptions;
using methods::ExponentialRulesOptions;
using methods::GradientDescentOptions;
using methods::NewtonOptions;
using methods::NonPrivateOptions;  // no privacy at all: its budget is kNoPrivacy, and fit wants `unsafe`
using methods::ObjectivePerturbationOptions;
using methods::OneVsRestOptions;
using methods::OutputCertifiedOptions;
using methods::OutputDescentOptions;
using methods::OutputSgdOptions;
using methods::SgdOptions;
using methods::SufficientStatisticsOptions;

using methods::DerivationStep;  // one link of the chain from bounds to noise to epsilon
using methods::UtilityBound;    // what a theorem promises about the excess risk

// The accuracy to expect on a typical table with these columns: realistic, not guaranteed.
struct Forecast {
  double excess_risk;                        // of the mean loss, above that of the same model without privacy
  double lower, upper;                       // measured values most often lie between
  std::optional<double> accuracy_lost = {};  // share of right answers, for classification ...
  // ... most often between; lower end 0: it may be too little to be seen in a test
  double accuracy_lost_lower = 0, accuracy_lost_upper = 0;
};

// What a fit is predicted to take once the rows are read, from public facts; machines differ by a factor of two.
struct Cost {
  double core_seconds = 0;  // of one core
  double bytes = 0;         // of encoded rows and what is computed from them; rows that are mapped from a file count
  double passes = 0;        // over all rows, or as many rows of samples
  double rounds = 0;        // how often the rows are asked: jobs, where they lie on other machines
};

class Plan {
 public:
  std::string_view algorithm() const;               // "output-certified"
  std::string_view method() const;                  // the command line's word for it: "output-perturbation"
  const Schema& schema() const { return schema_; }  // of the data it is made for
  const Problem& problem() const;                   // penalty and feasible set as they will be used
  std::size_t rows() const;
  const std::vector<PrivacyEvent>& events() const;  // what a fit will release
  const Guarantee& guarantee() const;               // what that costs
  const UtilityBound& utility() const;
  const std::vector<DerivationStep>& derivation() const;
  const std::optional<Forecast>& forecast() const { return forecast_; }  // nothing where none is known
  const Cost& cost() const { return cost_; }
  std::string to_json() const;  // all of it, as it stands in the model file

  // For the library's own use.
  Plan(Schema schema, std::shared_ptr<const methods::Plan> plan, std::optional<Forecast> forecast, const Cost& cost)
      : schema_(std::move(schema)), plan_(std::move(plan)), forecast_(forecast), cost_(cost) {}
  const methods::Plan& details() const { return *plan_; }

 private:
  Schema schema_;
  std::shared_ptr<const methods::Plan> plan_;
  std::optional<Forecast> forecast_;
  Cost cost_;
};

// Checks every precondition (ArgumentError says which fails and what to do), calibrates the noise, lists the events.
Plan plan(const Task& task, const AlgorithmOptions& options);
// The algorithm with the smallest expected risk. Throws ArgumentError with every method's reason when none applies.
Plan plan(const Task& task);

// A method by the word that the command line has for it ("auto": all of them), with options as texts by their names:
// for shells. What they are is checked as if they were typed.
struct NamedMethod {
  std::string name = "auto";
  std::map<std::string, std::string> options = {};
};
Plan plan(const Task& task, const NamedMethod& method);

// The plan with `share` of the rows kept out of the fit, drawn in secret, which judge the model within the same budget:
// held_out_report() of the model tells how good it is. The plan's rows() are then those that train. Where the schema
// has a unit, `share` is of the persons, one secret coin each, and rows() are all: those of the others are blank.
struct Holdout {
  double share;
  std::string groups = {};
  double threshold = 0.5;
};
Plan with_holdout(const Task& task, const Holdout& holdout);
Plan with_holdout(const Task& task, const AlgorithmOptions& options, const Holdout& holdout);
Plan with_holdout(const Task& task, const NamedMethod& method, const Holdout& holdout);

// Settings chosen among public values by a private score on held-out rows, inside the same budget: what `dperm fit
// --tune` does. The grid is written "l2_penalty=0.01,0.1;steps=50,200"; docs/tuning.md says when it pays.
AlgorithmOptions tuned(std::string_view method, std::string_view grid);

struct Alternative {
  std::string method;
  std::optional<Plan> plan;
  std::string refusal;  // why there is none
};
// Every method side by side, the one that plan(task) takes first, refusals last. The constant is there where it is
// taken, because the table is too small for a model.
std::vector<Alternative> compare(const Task& task, const NamedMethod& method = {});

// The inverse: the smallest number of rows, or the smallest epsilon, to 1%, at which the algorithm's theorem promises
// this excess risk, with everything else as in the task. Nothing where none is enough.
std::optional<std::size_t> rows_needed(const Task& task, const AlgorithmOptions& options, double excess_risk);
std::optional<double> epsilon_needed(const Task& task, const AlgorithmOptions& options, double excess_risk);

}  // namespace dperm
