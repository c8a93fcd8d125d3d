// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/notes.hpp"

#include <variant>

namespace dperm::report {

namespace {

using namespace methods;

// One overload an algorithm: the compiler asks for the note of a new one.
struct NoteOf {
  const char* operator()(const ObjectivePerturbationOptions&) const {
    return "objective_perturbation/objective_perturbation.md";
  }
  const char* operator()(const OneVsRestOptions&) const { return "one_vs_rest/one_vs_rest.md"; }
  const char* operator()(const SufficientStatisticsOptions&) const {
    return "sufficient_statistics/sufficient_statistics.md";
  }
  const char* operator()(const ExponentialLocationOptions&) const {
    return "exponential_location/exponential_location.md";
  }
  const char* operator()(const ExponentialRulesOptions&) const { return "exponential_rules/finite_choice.md"; }
  const char* operator()(const ExponentialBallOptions&) const { return "exponential_ball/exponential_ball.md"; }
  const char* operator()(const ExponentialRegularisedOptions&) const {
    return "exponential_regularised/exponential_regularised.md";
  }
  const char* operator()(const GradientDescentOptions&) const { return "gradient_descent/gradient_descent.md"; }
  const char* operator()(const NewtonOptions&) const { return "newton/newton.md"; }
  const char* operator()(const OutputCertifiedOptions&) const { return "output_perturbation/output_perturbation.md"; }
  const char* operator()(const OutputDescentOptions&) const { return "output_perturbation/stable_solver.md"; }
  const char* operator()(const OutputSgdOptions&) const { return "output_perturbation/stable_solver.md"; }
  const char* operator()(const SgdOptions&) const { return "sgd/sgd.md"; }
  const char* operator()(const ConstantOptions&) const { return "constant/constant.md"; }
  const char* operator()(const NonPrivateOptions&) const { return "non_private/non_private.md"; }
  const char* operator()(const TunedOptions&) const { return "tuned/tuned.md"; }
};

std::string accounting_note(const std::string& accountant) {
  const std::string folder = "dperm/privacy/composition/";
  if (accountant == "gaussian-dp") return folder + "gaussian_dp.md";
  if (accountant == "privacy-loss") return folder + "privacy_curve.md";
  if (accountant == "renyi") return folder + "renyi.md";
  return folder + "accountant.md";
}

}  // namespace

std::vector<ProofNote> proof_notes(const model::Model& model) {
  std::vector<ProofNote> notes = {{"a row is a vector of length at most 1", "dperm/schema/encoding.md"},
                                  {"the method: how much one row can change what it releases",
                                   std::string("dperm/methods/") + std::visit(NoteOf{}, model.plan.options)},
                                  {"the one door: noise is added and recorded", "dperm/privacy/curator/curator.md"},
                                  {"noise is drawn exactly", "dperm/random/noise/gaussian.md"},
                                  {"from releases to epsilon", accounting_note(model.guarantee.accountant)}};
  if (model.plan.holdout)
    notes.push_back({"rows kept out judge within the same budget", "dperm/methods/holdout/holdout.md"});
  if (model.schema.unit) notes.push_back({"a person with several rows", "dperm/methods/shared/unit_plan.md"});
  if (!model.schema.inferred.empty()) notes.push_back({"bounds asked of the records", "dperm/infer/infer.md"});
  if (model.interval) notes.push_back({"the interval", "dperm/methods/exponential_location/location_interval.md"});
  notes.push_back({"what verification shows, and what not", "dperm/model/verify.md"});
  return notes;
}

}  // namespace dperm::report
