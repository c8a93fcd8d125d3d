// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/objective_perturbation/objective_perturbation.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/objective_perturbation/objective_release.hpp"
#include "dperm/methods/one_vs_rest/one_vs_rest.hpp"
#include "dperm/methods/shared/recorded_events.hpp"

namespace dperm::methods {

namespace {

const std::array kOptions = {
    OptionSpec{"noise",
               "auto",
               "gaussian, pure (delta = 0); output-perturbation also textbook; auto: by delta",
               0,
               0,
               {"auto", "gaussian", "pure"}},
    OptionSpec{"calibration",
               "tight",
               "tight, or an earlier theorem to compare with: cms11 (pure), kst12, amp (Gaussian)",
               0,
               0,
               {"tight", "cms11", "kst12", "amp"}},
    OptionSpec{"classes",
               "joint",
               "softmax: joint, or one-vs-rest: a binary model a class, the budget divided among them",
               0,
               0,
               {"joint", "one-vs-rest"}},
    OptionSpec{"binary-loss",
               "logistic",
               "one-vs-rest: the loss of the binary models, logistic or smoothed-hinge",
               0,
               0,
               {"logistic", "smoothed-hinge"}},
    OptionSpec{"binary-margin", "auto", "one-vs-rest: margin of the smoothed hinge; auto: 0.5", 0, loss::kLargestWidth},
    OptionSpec{"binary-smoothing", "auto", "one-vs-rest: width of the smoothed hinge; auto: 0.35", loss::kSmallestWidth,
               loss::kLargestWidth},
};

TermNoise noise_of(const OptionValues& options, const Budget& budget) {
  const std::string& noise = options.text("noise");
  if (noise == "auto") return budget.delta > 0 ? TermNoise::gaussian : TermNoise::pure;
  if (noise == "gaussian" && budget.delta <= 0) {
    throw ArgumentError("gaussian noise needs delta > 0 (for example 1e-6); use noise = pure for delta = 0");
  }
  return noise == "pure" ? TermNoise::pure : TermNoise::gaussian;
}

ObjectiveCalibration calibration_of(const OptionValues& options) {
  const std::string& name = options.text("calibration");
  if (name == "cms11") return ObjectiveCalibration::cms11;
  if (name == "kst12") return ObjectiveCalibration::kst12;
  return name == "amp" ? ObjectiveCalibration::amp : ObjectiveCalibration::tight;
}

ObjectiveSettings settings_for(const Task& task, const OptionValues& options) {
  return objective_settings(task, noise_of(options, task.budget), calibration_of(options));
}

std::vector<DerivationStep> record_steps(const ObjectiveSettings& s) {
  const privacy::PerturbedObjective objective = perturbed_objective(s.task);
  const double rows = static_cast<double>(s.task.facts.rows);
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", rows, "public: neighbours replace one record"},
      {"weights", static_cast<double>(weight_count(s.task)), "one a feature, with softmax one a class and feature"},
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

std::vector<DerivationStep> derivation(const ObjectiveSettings& s) {
  std::vector<DerivationStep> steps = record_steps(s);
  add_term_steps(s, steps);
  add_output_steps(s, steps);
  return steps;
}

bool by_class(const OptionValues& options) {
  const bool by_class = options.text("classes") == "one-vs-rest";
  const bool soft_hinge = options.text("binary-loss") == "smoothed-hinge";
  require(by_class || !soft_hinge, "binary-loss is an option of classes = one-vs-rest; add --classes one-vs-rest");
  require(soft_hinge || (options.is_auto("binary-margin") && options.is_auto("binary-smoothing")),
          "binary-margin and binary-smoothing are options of classes = one-vs-rest with binary-loss = smoothed-hinge");
  return by_class;
}

loss::Loss binary_loss(const OptionValues& options) {
  loss::Loss loss{.kind = loss::loss_from_name(options.text("binary-loss"))};
  if (!options.is_auto("binary-margin")) loss.margin = options.number("binary-margin");
  if (!options.is_auto("binary-smoothing")) loss.smoothing = options.number("binary-smoothing");
  return loss;
}

OneVsRest classes_of(const Task& task, const OptionValues& options) {
  require(options.text("calibration") == "tight", "one-vs-rest takes calibration tight");
  return one_vs_rest(task, binary_loss(options), noise_of(options, task.budget));
}

// How the budget is divided, then what a class's share of it gives.
std::vector<DerivationStep> derivation(const OneVsRest& plan) {
  const Budget& share = plan.of_class.task.budget;
  std::vector<DerivationStep> steps = {
      {"classes K", static_cast<double>(plan.task.facts.classes), "public; a binary model each, against the rest"},
      {"epsilon of one class", share.epsilon, "as large as K fits together allow [one_vs_rest.md]"},
      {"delta of one class", share.delta, "delta / K"},
  };
  const std::vector<DerivationStep> one = derivation(plan.of_class);
  steps.insert(steps.end(), one.begin(), one.end());
  return steps;
}

}  // namespace

std::span<const OptionSpec> ObjectivePerturbation::options() const { return kOptions; }

Plan ObjectivePerturbation::plan(const Task& task, const std::map<std::string, std::string>& given) const {
  const OptionValues options(name(), kOptions, given);
  if (by_class(options)) {
    const OneVsRest all = classes_of(task, options);
    return make_plan(*this, all.task, options, all.events, derivation(all),
                     {std::numeric_limits<double>::infinity(),
                      "the theorem is about one class's model, not about all scores together [one_vs_rest.md]"});
  }
  const ObjectiveSettings s = settings_for(task, options);
  Plan plan =
      make_plan(*this, s.task, options, objective_events(s), derivation(s),
                {s.excess_risk,
                 fmt::format("excess risk against weights of norm {:.3g} [objective_perturbation.md]", s.comparator)});
  const double rows = static_cast<double>(task.facts.rows), weights = static_cast<double>(weight_count(s.task));
  plan.error_model = ErrorModel{.penalty = s.task.problem.l2_penalty,
                                .term_noise = std::sqrt(s.noise_square / weights) / rows,
                                .output_noise = std::sqrt(s.output_square / weights)};
  return plan;
}

FitResult ObjectivePerturbation::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                                     const FitOptions& options) const {
  const OptionValues values(name(), kOptions, plan.options);
  check_facts(plan, dataset);
  auto weights = [&] {
    if (by_class(values)) {
      return fit_classes(classes_of(plan.task, values), dataset.sums(), curator, options.threads);
    }
    const ObjectiveSettings s = settings_for(plan.task, values);
    const ObjectiveTerm term = draw_term(s, curator);
    return release_minimiser(s, dataset.sums(), term, curator, options.threads);
  }();
  check_events(plan, curator);
  return {std::move(weights), curator.events(), curator.secure()};
}

}  // namespace dperm::methods
