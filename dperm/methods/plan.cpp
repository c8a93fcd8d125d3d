// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/shared/monotone.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/events/group.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/noise/k_norm.hpp"

namespace dperm::methods {

namespace {

// Noise that the samplers cannot make is refused when it is planned, before any record is read.
void require_samplable(const Plan& plan) {
  for (const privacy::PrivacyEvent& event : plan.events) {
    double noise = random::kMinimumSigma;
    if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&event.mechanism)) noise = gaussian->sigma;
    if (const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&event.mechanism)) noise = sampled->sigma;
    if (const auto* k_norm = std::get_if<privacy::KNormEvent>(&event.mechanism)) {
      noise = k_norm->scale;
      require(weight_count(plan.task) <= random::kMaximumKNormDimension,
              "noise of pure epsilon is limited to 131072 weights; take a delta above 0 or fewer categories");
    }
    require(noise >= random::kMinimumSigma && noise <= random::kMaximumSigma,
            "this task needs noise beyond the exact samplers' range (2^50 lattice steps); take a larger epsilon or "
            "delta");
  }
}

// That the data is the one the plan was made for, and its target one for the loss, also where the plan was made without
// a schema.
void require_same_data(const Task& task, const data::Dataset& dataset, std::size_t kept_out) {
  require(dataset.is_labelled(), "these rows were read without asking for their target; nothing is learned from them");
  require(dataset.is_by_unit(), "these rows were read without the schema's unit; nothing is learned from them");
  require(dataset.rows() > kept_out, "the plan was made for other data (more rows are kept out than there are)");
  PublicFacts facts = facts_of(dataset.encoding(), task.problem, dataset.rows() - kept_out);
  validate_asked({task.problem, facts, task.budget});
  if (!task.facts.target) facts.target.reset();
  if (task.facts.row_square == 0) facts.row_square = 0;  // not known when the plan was made
  require(task.facts == facts,
          "the plan was made for other data (rows, weights, columns or classes differ); plan again");
}

// Post-processing by the public schema. The set is a ball, or everything: shrinking keeps directions.
privacy::Released<std::vector<double>> with_directions(const privacy::Released<std::vector<double>>& released,
                                                       const schema::Encoding& encoding, const Problem& problem) {
  if (!has_directions(encoding.schema())) return released;
  return released.map([&](const std::vector<double>& weights) {
    std::vector<double> result = weights;
    impose_directions(encoding, result);
    loss::project(problem.feasible_set, result);
    return result;
  });
}

// Noise that is added to the weights at the end is known before; noise within the objective or its steps moves them
// further, by how much depends on the records.
bool only_output_noise(const Plan& plan) {
  if (!plan.error_model) return false;
  const ErrorModel& noise = *plan.error_model;
  return noise.output_noise > 0 && noise.term_noise == 0 && noise.matrix_noise == 0 && noise.step_noise == 0 &&
         noise.temperature == 0;
}

}  // namespace

std::string holds_text(const UtilityBound& bound) {
  std::string text = bound.probability ? fmt::format("with probability {:g}", *bound.probability)
                                       : std::string("on average over the noise");
  if (bound.if_rows_within)
    text += fmt::format(", if no row is longer than `row_norm = {:.4g}`", *bound.if_rows_within);
  return text;
}

Plan make_plan(AlgorithmOptions options, const Task& resolved, std::vector<privacy::PrivacyEvent> events,
               std::vector<DerivationStep> derivation, UtilityBound utility, Run run) {
  Plan plan{.options = std::move(options), .task = resolved};
  plan.events = privacy::for_group(std::move(events), group_of(resolved.facts));
  require_samplable(plan);
  plan.guarantee = privacy::account(plan.events, resolved.budget.delta);
  // Several rows at once are planned for by plan_for_unit; what was planned for one must not pass for them.
  ensure(group_of(resolved.facts) == 1 || !asks_for_privacy(resolved.budget) ||
             plan.guarantee.epsilon <= resolved.budget.epsilon * (1 + 1e-9),
         "a plan for one row, and a task that protects several");
  plan.derivation = std::move(derivation);
  plan.utility = std::move(utility);
  plan.run = std::move(run);
  return plan;
}

FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& options) {
  require(static_cast<bool>(plan.run), "this plan was read from a file and cannot run; plan again");
  require(
      options.unsafe || !privacy::is_unprotected(plan.events),
      "non-private adds no noise and protects nobody: its weights can tell anyone what single rows hold. Where that "
      "is what you want, for your own eyes, add `unsafe`");
  require_same_data(plan.task, dataset, plan.holdout && !plan.holdout->by_persons() ? plan.holdout->judgement.rows : 0);
  require(curator.unit_rows() == group_of(plan.task.facts), "the curator records for another unit than the plan's");
  Trained trained = plan.run(dataset, curator, options);
  ensure(curator.events() == plan.events, "recorded events differ from planned events; nothing is released");
  // What was judged on rows kept out is released as it is; the fit inside has imposed directions.
  FitResult result{
      plan.holdout ? trained.weights : with_directions(trained.weights, dataset.encoding(), plan.task.problem),
      curator.events(), curator.secure(), std::move(trained.tuning), std::move(trained.judgement)};
  if (trained.interval) result.interval = trained.interval->get();
  if (trained.weight_noise) result.weight_noise = trained.weight_noise->get();
  if (result.weight_noise.empty() && only_output_noise(plan)) {
    result.weight_noise.assign(result.weights.get().size(), plan.error_model->output_noise);
  }
  return result;
}

double default_radius(const Problem& problem, const PublicFacts& facts) {
  // 5 was measured on Adult: the non-private optimum has norm 6.5 sqrt(m); 2.7 sqrt(m) costs one point of accuracy at
  // epsilon 1, 5 and 10 sqrt(m) are equally good.
  double per_column = loss::is_classification(problem.loss.kind) ? 5 : 1;
  // All classes' weights together; on covertype with 7 classes 10 is 0.8 points better than 5 at epsilon 1, on the
  // digits as good.
  if (problem.loss.kind == loss::LossKind::softmax) per_column = 10;
  return per_column * std::sqrt(static_cast<double>(facts.columns));
}

}  // namespace dperm::methods
