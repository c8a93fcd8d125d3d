// SPDX-License-Identifier: Apache-2.0
// Public API: a file that counts what is spent on tables, and refuses more than their caps. docs/ledger.md says what
// its owner must do.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/evaluate.hpp"
#include "dperm/ledger/ledger.hpp"
#include "dperm/model.hpp"

namespace dperm {

using ledger::Currency;
using ledger::Ledger;  // create, open, enlist, state, reserve, settle, look, publish
using LedgerCap = ledger::Cap;
using LedgerRequest = ledger::Request;
using LedgerSpent = ledger::Spent;
using LedgerState = ledger::DatasetState;
using LedgerUnit = ledger::ProtectedUnit;
using ledger::unit_of;

// Who counts, and under which name. A request with an id that came to its end earlier is answered from the ledger.
struct Charge {
  Ledger& ledger;
  std::string dataset;
  std::string request_id = {};
  // Told where the ledger cannot be written once a result is there. The result is returned all the same, and its entry
  // stays spent without it: the same request would be charged again.
  std::function<void(const std::string&)> warn = {};
};

// As the functions without a charge, counted: what it costs is on the disk before noise is drawn. Throws BudgetError,
// and spends nothing, where the cap does not allow it: what() says what would fit. A seeded one, and a fit without
// noise, is written down as a look. A schema that names its dataset is refused without a charge, and with another's.
Model fit(const Plan& plan, const Dataset& dataset, const Charge& charge, const FitOptions& options = {});
Evaluation evaluate(const Model& model, const Dataset& dataset, double epsilon, const Charge& charge,
                    const EvaluateOptions& options = {});
EvaluationReport report(const Model& model, const Dataset& dataset, double epsilon, const Charge& charge,
                        const ReportOptions& options = {});
// What evaluate() and report() ask about rows before anything else, for callers that have yet to read them: a model
// that names the dataset it was learned from is not judged on rows of which nothing is said. `dataset` as in a charge;
// empty: none. Throws ArgumentError.
void require_origin(const Model& model, const std::string& dataset, bool other_rows);
// Asked again under its request's id, the schema alone is known: no names of columns are told.
InferredSchema infer_schema(const std::vector<std::string>& files, std::string_view draft, const InferOptions& options,
                            const Charge& charge);

// Looks without protection, written down before rows are used.
Evaluation evaluate_public(const Model& model, const Dataset& dataset, const Charge& charge,
                           const EvaluateOptions& options = {});
EvaluationReport report_public(const Model& model, const Dataset& dataset, const Charge& charge,
                               const ReportOptions& options = {});
RowPredictions predict(const Model& model, const Dataset& dataset, const Charge& charge, int threads = 0);

// Counts a model that was made before its table had a ledger (dperm/ledger/earlier.hpp); Ledger::enter counts what is
// known by its epsilon and delta alone.
void enter(const Charge& charge, const Model& model, const std::string& note);

// What was spent on a dataset, and what a request may still ask for.
LedgerSpent spent(const Ledger& ledger, const std::string& dataset);
LedgerSpent remaining(const Ledger& ledger, const std::string& dataset);
// What is wrong with the file; empty where nothing is.
std::vector<std::string> problems(const Ledger& ledger);
// Makes the file LEDGER.fingerprints, in which fits leave exact digests of their rows from now on. They protect nobody:
// the file says what it reveals, and can be deleted at any time.
void keep_fingerprints(const Ledger& ledger);
// Names under which the same rows were fitted, in words. For the owner: it depends on the records, and is not private.
// ArgumentError where no fingerprints are kept.
std::vector<std::string> same_tables(const Ledger& ledger);

}  // namespace dperm
