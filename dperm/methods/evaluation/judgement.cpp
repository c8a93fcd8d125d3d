// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/judgement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/evaluation/cell_measures.hpp"
#include "dperm/methods/evaluation/score_edges.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/events/group.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::methods {

namespace {

constexpr std::size_t kLeastBins = 8, kMostBins = 256, kExactBins = 128, kResidualBins = 20;
constexpr std::size_t kMostWholeClasses = 32;

// [proof methods_judgement.sensitivity]
// In units of the sums, what replacing one record changes at most: it leaves one cell and enters another; of residuals
// it also changes the five moments, of the same group or of two.
struct Sensitivity {
  std::uint64_t l1;
  double l2_square;
};
Sensitivity sensitivity_of(const JudgementPlan& plan) {
  if (plan.by != JudgedBy::residuals) return {2, 2};
  const std::uint64_t sizes = plan.group ? 21 : 13;
  const double squares = plan.group ? 49 : 27;
  const auto steps = static_cast<std::uint64_t>(engine::kResidualSteps);
  return {sizes * steps, squares * static_cast<double>(steps) * static_cast<double>(steps)};
}

// Whichever noise is smaller, for `rows` records replaced at once: stated for one, as the curator takes it.
privacy::Mechanism noise_for(const Sensitivity& sensitivity, std::size_t rows, const Budget& budget) {
  privacy::require_meaningful_epsilon(budget.epsilon);
  require(budget.delta >= 0 && budget.delta < 1, "delta",
          fmt::format("must be at least 0 and below 1; got {}", budget.delta));
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(sensitivity.l1 * rows, budget.epsilon);
  const privacy::DiscreteLaplaceEvent laplace{sensitivity.l1, scale.numerator, scale.denominator};
  if (budget.delta == 0) return laplace;
  const double change = rounded_up(std::sqrt(sensitivity.l2_square));
  const double sigma = rounded_up(privacy::times(change, rows) / privacy::mu_for(budget.epsilon, budget.delta));
  const privacy::GaussianEvent gaussian{change, std::max(random::kMinimumSigma, sigma)};
  return noise_of(gaussian, 1, 0).variance < noise_of(laplace, 1, 0).variance ? privacy::Mechanism(gaussian) : laplace;
}
// [/proof]

JudgedBy judged_by(const Task& task) {
  switch (loss::info(task.problem.loss.kind).link) {
    case loss::Link::log_odds:
    case loss::Link::margin:
      return JudgedBy::scores;
    case loss::Link::number:
      return JudgedBy::residuals;
    case loss::Link::class_scores:
    case loss::Link::answer:
      break;
  }
  return JudgedBy::answers;
}

std::size_t group_of(const JudgementPlan& plan) { return std::max<std::size_t>(1, plan.unit_rows); }

bool has_probabilities(const Task& task) { return loss::info(task.problem.loss.kind).link == loss::Link::log_odds; }

// Noise grows with the root of the bins, what bins hide falls with their number.
std::size_t bins_for(double rows, const privacy::Mechanism& noise) {
  const double deviation = std::sqrt(noise_of(noise, 1, 0).variance);
  const double best = std::pow(std::max(1.0, std::floor(rows)) / (1.8 * deviation), 2.0 / 3);
  return static_cast<std::size_t>(std::clamp(best, double{kLeastBins}, double{kMostBins}));
}

void add_groups(JudgementPlan& plan, const schema::Encoding& encoding) {
  const std::string& name = plan.options.groups;
  for (std::size_t c = 0; c < encoding.categories().size(); ++c) {
    const schema::CategoryCode& code = encoding.categories()[c];
    if (encoding.schema().columns[code.column].name != name) continue;
    plan.group = c;
    const std::vector<std::string> names = encoding.weight_names();
    for (std::uint32_t level = 0; level < code.levels; ++level) {
      const std::string& weight = names[code.first_weight + level];
      plan.groups.push_back(weight.starts_with(name + "=") ? weight.substr(name.size() + 1) : "true");
    }
    const bool boolean = encoding.schema().columns[code.column].kind == schema::ColumnKind::boolean;
    plan.groups.push_back(boolean ? "false" : "(none)");
    return;
  }
  throw ArgumentError(
      fmt::format("`groups` needs a category or boolean column of the schema that is not ordered; '{}' is none", name));
}

double threshold_score(const JudgementPlan& plan) { return log_odds(plan.options.threshold); }

void check_rows(const data::Dataset& dataset, const JudgementPlan& plan) {
  require(dataset.is_labelled(), "these rows were read without asking for their target; nothing can be measured");
  require(dataset.rows() == plan.rows, "the evaluation was planned for another number of rows");
  require(!plan.noise || dataset.is_by_unit(),
          "these rows were read without the schema's unit; declare them public or read them again");
}

}  // namespace

std::size_t JudgementPlan::cells() const {
  switch (by) {
    case JudgedBy::scores:
      return 2 * parts;
    case JudgedBy::answers:
      return parts * (whole ? parts : 2);
    case JudgedBy::residuals:
      break;
  }
  return engine::kResidualMoments + 2 * parts;
}

JudgementPlan plan_judgement(const Task& task, const schema::Encoding& encoding, std::size_t rows,
                             const std::optional<Budget>& budget, const JudgementOptions& options, double filled) {
  require(rows >= 1, "there are no rows to evaluate on");
  require(options.threshold > 0 && options.threshold < 1, "threshold",
          fmt::format("must be a probability between 0 and 1; got {}", options.threshold));
  require(options.threshold == 0.5 || has_probabilities(task),
          "`threshold` is a probability, and this model gives none; it is for the logistic loss");
  JudgementPlan plan{.options = options, .by = judged_by(task), .rows = rows};
  if (encoding.schema().unit) plan.unit_rows = encoding.schema().unit->rows;
  if (!options.groups.empty()) add_groups(plan, encoding);
  if (budget) plan.noise = noise_for(sensitivity_of(plan), group_of(plan), *budget);
  switch (plan.by) {
    case JudgedBy::scores:
      plan.parts = plan.noise ? bins_for(filled * static_cast<double>(rows) /
                                             static_cast<double>(std::max<std::size_t>(1, plan.groups.size())),
                                         *plan.noise)
                              : kExactBins;
      break;
    case JudgedBy::answers:
      plan.parts = std::max<std::size_t>(2, outputs_per_row(task));
      plan.whole = plan.parts <= kMostWholeClasses;
      break;
    case JudgedBy::residuals:
      plan.parts = kResidualBins;
      break;
  }
  if (const auto* gaussian = plan.noise ? std::get_if<privacy::GaussianEvent>(&*plan.noise) : nullptr) {
    require(gaussian->sigma <= random::kMaximumSigma,
            "the evaluation needs noise beyond the exact samplers' range; take a larger epsilon");
  }
  return plan;
}

privacy::PrivacyEvent judgement_event(const JudgementPlan& plan) {
  require(plan.noise.has_value(), "an evaluation on public rows is no release");
  return {kJudgementWhat, privacy::for_group(*plan.noise, group_of(plan))};
}

// [proof methods_judgement.release]
Sensitive<std::vector<std::int64_t>> judged_sums(const data::Dataset& dataset, const FittedModel& model,
                                                 const JudgementPlan& plan, std::span<const double> edges,
                                                 Threads threads) {
  check_rows(dataset, plan);
  return dataset.sums().map([&](const engine::RowSums& sums) {
    const engine::JudgedCells cells = plan.by == JudgedBy::scores ? engine::JudgedCells(engine::ScoreCells{edges})
                                      : plan.by == JudgedBy::answers
                                          ? engine::JudgedCells(engine::AnswerCells{plan.parts, plan.whole})
                                          : engine::JudgedCells(engine::ResidualCells{plan.parts});
    return judged(sums, dataset.encoding(), model, cells, plan.group, threads);
  });
}

Judgement judge_privately(const data::Dataset& dataset, const FittedModel& model, const JudgementPlan& plan,
                          privacy::Curator& curator, Threads threads) {
  require(plan.noise.has_value(), "an evaluation on public rows is no release");
  ensure(curator.unit_rows() == group_of(plan), "an evaluation for another unit than the plan's");
  Judgement result{plan, edges_for(model, plan), {}};
  const auto sums = judged_sums(dataset, model, plan, result.edges, threads);
  const auto released = std::visit(
      [&]<class Event>(const Event& event) -> privacy::Released<std::vector<std::int64_t>> {
        if constexpr (std::is_same_v<Event, privacy::GaussianEvent> ||
                      std::is_same_v<Event, privacy::DiscreteLaplaceEvent>) {
          return curator.release(sums, event, kJudgementWhat);
        } else {
          throw InternalError("an evaluation with other noise than planned");
        }
      },
      *plan.noise);
  result.sums = released.get();
  return result;
}
// [/proof]

std::vector<double> edges_for(const FittedModel& model, const JudgementPlan& plan) {
  if (plan.by != JudgedBy::scores) return {};
  return score_edges(model, plan.parts, threshold_score(plan));
}

}  // namespace dperm::methods
