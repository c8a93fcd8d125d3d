// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/objective_perturbation/objective_derivation.hpp"

#include <variant>

namespace dperm::methods {

namespace {

std::vector<DerivationStep> record_steps(const ObjectiveSettings& s) {
  const privacy::PerturbedObjective objective = perturbed_objective(s.task);
  const double rows = static_cast<double>(s.task.facts.rows);
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", rows, "public: neighbours replace one record"},
      {"weights", static_cast<double>(weight_count(s.task)), "one per feature, with softmax one per class and feature"},
      {"gradient of one record at most", objective.gradient, "loss [loss.md]"},
      {"curvature of one record at most", objective.curvature,
       "loss [loss.md]; for monotone losses 1/h, for softmax of the trace, 1 - ||shares||^2"},
      {"penalty of the summed objective", s.task.problem.l2_penalty * rows,
       "n * l2_penalty; chosen from public facts, or given"},
  };
}

void add_term_steps(const ObjectiveSettings& s, std::vector<DerivationStep>& steps) {
  const bool tight = s.calibration == ObjectiveCalibration::tight;
  const bool compared = tight && model_form(s.task.problem) == ModelForm::linear;  // earlier theorems are for one score
  const std::string rule = tight ? "smallest that satisfies the profile [objective_profile.md]"
                                 : "of the theorem asked for, never below the profile [objective_profile.md]";
  if (const auto* term = std::get_if<privacy::ObjectivePerturbationEvent>(&s.term)) {
    steps.push_back({"sigma of the random term", term->objective.sigma, rule});
    if (compared) {
      steps.push_back({"for comparison: sigma of kst12", classical_noise(s, ObjectiveCalibration::kst12), "[KST12]"});
      steps.push_back({"for comparison: sigma of amp", classical_noise(s, ObjectiveCalibration::amp), "[INST19]"});
    }
    steps.push_back({"cost of the determinant (kappa)", privacy::least_epsilon(term->objective),
                     "the profile holds from this epsilon on"});
  } else {
    const auto& pure = std::get<privacy::PureObjectiveEvent>(s.term).objective;
    steps.push_back({"scale of the random term", pure.scale, rule});
    if (compared) {
      steps.push_back({"for comparison: scale of cms11", classical_noise(s, ObjectiveCalibration::cms11), "[CMS11]"});
    }
    steps.push_back({"epsilon of the exact minimiser", privacy::epsilon_pure_objective(pure),
                     "pure epsilon [objective_profile.md]"});
  }
}

void add_output_steps(const ObjectiveSettings& s, std::vector<DerivationStep>& steps) {
  steps.push_back({"solver's residual", s.levels[0].bounds.residual,
                   "certified gradient norm plus evaluation error; fixed before data is read"});
  if (s.noise == TermNoise::pure) {
    steps.push_back(
        {"kept radius", s.kept_radius, "the computed minimiser is moved into this ball: covers every term"});
  }
  steps.push_back({"sensitivity left by the residual", s.sensitivity,
                   "2 (residual + rounding of the term) / l2_penalty [objective_perturbation.md]"});
  steps.push_back({"lattice step", s.lattice_step, "a power of two far below that"});
  steps.push_back({"share of epsilon for the output", s.output_share, "balances both noises in the utility bound"});
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&s.output)) {
    steps.push_back(
        {"sensitivity (lattice units)", gaussian->l2_sensitivity, "plus sqrt(d) for rounding to the lattice"});
    steps.push_back({"output sigma (lattice units)", gaussian->sigma, "Gaussian, that share of epsilon [BW18]"});
  } else {
    const auto& k_norm = std::get<privacy::KNormEvent>(s.output);
    steps.push_back({"sensitivity (lattice units)", k_norm.l2_sensitivity, "plus sqrt(d) for rounding to the lattice"});
    steps.push_back(
        {"output scale (lattice units)", k_norm.scale, "density exp(-||b||/scale), scale = sensitivity/epsilon"});
  }
}

}  // namespace

std::vector<DerivationStep> objective_derivation(const ObjectiveSettings& s) {
  std::vector<DerivationStep> steps = record_steps(s);
  add_term_steps(s, steps);
  add_output_steps(s, steps);
  return steps;
}

}  // namespace dperm::methods
