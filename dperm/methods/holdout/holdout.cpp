// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/holdout/holdout.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/engine/split.hpp"
#include "dperm/methods/evaluation/noise_model.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "model and its evaluation on rows kept out";

// [proof methods_holdout.run]
// Which rows judge, drawn before any is looked at: whole persons where persons are protected.
data::Split drawn_parts(const data::Dataset& dataset, const JudgementPlan& judged, double share,
                        privacy::Curator& curator) {
  if (judged.unit_rows > 0) {
    return data::split_persons(dataset, curator.draw_coins(data::persons_of(dataset), share));
  }
  return data::split(dataset, curator.draw_subset(dataset.rows(), judged.rows), judged.rows);
}

Trained fit_and_judge(const Plan& training, const HoldoutPlan& holdout, const privacy::DisjointPartsEvent& event,
                      const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& options) {
  const JudgementPlan& judged = holdout.judgement;
  const data::Split parts = drawn_parts(dataset, judged, holdout.options.share, curator);
  std::optional<FitResult> fitted;
  std::optional<Judgement> judgement;
  curator.release_parts(
      [&](const std::vector<std::unique_ptr<privacy::Curator>>& inside) {
        fitted = fit(training, parts.rest, *inside.at(0), options);
        judgement = judge_privately(parts.chosen, {training.task, fitted->weights.get()}, judged, *inside.at(1),
                                    options.threads);
      },
      event, kWhat);
  Trained trained{fitted->weights, fitted->tuning, std::move(judgement)};
  if (fitted->interval) {
    trained.interval = fitted->weights.map([&](const std::vector<double>&) { return *fitted->interval; });
  }
  if (!fitted->weight_noise.empty()) {
    trained.weight_noise = fitted->weights.map([&](const std::vector<double>&) { return fitted->weight_noise; });
  }
  return trained;
}
// [/proof]

}  // namespace

std::size_t held_out_rows(std::size_t rows, double share) {
  require(share > 0 && share < 1, "holdout", fmt::format("must be a share strictly between 0 and 1; got {}", share));
  const auto held_out = static_cast<std::size_t>(std::floor(share * static_cast<double>(rows)));
  require(held_out >= 1 && held_out < rows, "holdout",
          fmt::format("of {} leaves {} of {} rows to judge by; take another share", share, held_out, rows));
  return held_out;
}

std::size_t training_rows(std::size_t rows, double share, const schema::Schema& schema) {
  const std::size_t held_out = held_out_rows(rows, share);
  return schema.unit ? rows : rows - held_out;
}

std::size_t teaching_rows(std::size_t rows, double share) { return rows - held_out_rows(rows, share); }

JudgementPlan plan_held_out(const Task& task, const schema::Encoding& encoding, std::size_t rows,
                            const HoldoutOptions& options) {
  const std::size_t held_out = held_out_rows(rows, options.share);
  const bool persons = encoding.schema().unit.has_value();
  return plan_judgement(task, encoding, persons ? rows : held_out, task.budget, options.judged,
                        persons ? options.share : 1);
}

namespace {

void add_derivation(Plan& plan, const HoldoutPlan& holdout, std::size_t rows) {
  const JudgementPlan& judged = holdout.judgement;
  if (holdout.by_persons()) {
    plan.derivation.push_back({"share of persons kept out", holdout.options.share,
                               "one secret coin each; their rows judge the model and are blank in the fit"});
  } else {
    plan.derivation.push_back({"rows that train", static_cast<double>(rows - judged.rows), "the others are kept out"});
    plan.derivation.push_back(
        {"rows kept out", static_cast<double>(judged.rows), "drawn in secret; they judge the model"});
  }
  const double unit = judged.by == JudgedBy::residuals ? static_cast<double>(engine::kResidualSteps) : 1;
  plan.derivation.push_back({"noise of an evaluation count", std::sqrt(noise_of(*judged.noise, unit, 0).variance),
                             "the whole budget again: a record trains or judges, never both [holdout.md]"});
}

}  // namespace

Plan with_holdout(const Plan& training, std::size_t rows, const HoldoutOptions& options,
                  const schema::Encoding& encoding) {
  require(training.task.facts.rows == training_rows(rows, options.share, encoding.schema()),
          "the fit was planned for other rows than those not kept out");
  require(!training.holdout, "this plan keeps rows out already");
  require(asks_for_privacy(training.task.budget),
          "a model without privacy is judged by `evaluate` on any rows you like; leave `holdout` out");
  require(training.guarantee.neighbours == privacy::Neighbours::replace_one,
          "keeping rows out is proved for replace-one neighbours; leave `neighbours` or `holdout` out");
  // [proof methods_holdout.plan]
  const JudgementPlan judged = plan_held_out(training.task, encoding, rows, options);
  const privacy::DisjointPartsEvent event{{training.events, {judgement_event(judged)}}};
  Plan plan = training;
  plan.events = {{kWhat, event}};
  plan.guarantee = privacy::account(plan.events, training.task.budget.delta);
  // [/proof]
  const HoldoutPlan holdout{options, judged};
  add_derivation(plan, holdout, rows);
  plan.holdout = std::make_shared<const HoldoutPlan>(holdout);
  plan.run = [training, holdout, event](const data::Dataset& dataset, privacy::Curator& curator,
                                        const FitOptions& fit_options) {
    return fit_and_judge(training, holdout, event, dataset, curator, fit_options);
  };
  return plan;
}

}  // namespace dperm::methods
