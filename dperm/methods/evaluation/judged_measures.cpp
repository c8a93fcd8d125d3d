// SPDX-License-Identifier: Apache-2.0
// From what was released, or from public rows, to measures.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dperm/core/check.hpp"
#include "dperm/methods/evaluation/cell_measures.hpp"
#include "dperm/methods/evaluation/exact_measures.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/methods/evaluation/score_edges.hpp"

namespace dperm::methods {

namespace {

bool has_probabilities(const Task& task) { return loss::info(task.problem.loss.kind).link == loss::Link::log_odds; }

// From sums, whatever noise they have, to measures of any set of their groups.
class Reader {
 public:
  Reader(const JudgementPlan& plan, std::span<const double> edges, std::vector<double> sums, const Task& task,
         const schema::Target& target)
      : plan_(plan), edges_(edges), task_(task), target_(target), sums_(std::move(sums)) {
    const double unit = plan_.by == JudgedBy::residuals ? static_cast<double>(engine::kResidualSteps) : 1;
    for (double& each : sums_) each /= unit;
    const double moved = plan_.unit_rows > 0 ? 0 : static_cast<double>(counts());
    if (plan_.noise) noise_ = noise_of(*plan_.noise, unit, moved);
    noise_.alike = static_cast<double>(std::max<std::size_t>(1, plan_.unit_rows));
    if (moved > 0) move_counts();
  }

  Evaluated evaluated() const {
    const std::size_t cells = plan_.cells(), groups = sums_.size() / cells;
    std::vector<double> all(cells, 0);
    for (std::size_t i = 0; i < sums_.size(); ++i) all[i % cells] += sums_[i];
    NoiseModel noise = noise_;
    // Sums over groups have the noise of all of them, and kurtosis that falls.
    noise.variance *= static_cast<double>(groups);
    noise.kurtosis /= static_cast<double>(groups);
    noise.cells /= static_cast<double>(groups);
    // Of persons the number of rows that count is no public number: it is the sum of the counts, like a group's.
    const bool whole = plan_.unit_rows == 0;
    Evaluated result{measures(all, noise, whole), {}};
    if (whole) {
      result.all.rows = static_cast<double>(plan_.rows);
      result.all.rows_radius = 0;
    }
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      result.groups.push_back({plan_.groups[g], measures(std::span(sums_).subspan(g * cells, cells), noise_, false)});
    }
    return result;
  }

 private:
  // Cells that hold rows, each row in one.
  std::size_t counts() const {
    const std::size_t groups = sums_.size() / plan_.cells();
    return plan_.by == JudgedBy::residuals ? plan_.parts * groups : sums_.size();
  }
  bool is_count(std::size_t i) const {
    if (plan_.by != JudgedBy::residuals) return true;
    const std::size_t cell = i % plan_.cells();
    return cell >= engine::kResidualMoments && cell < engine::kResidualMoments + plan_.parts;
  }
  // Counts add up to the public number of rows: what they miss is taken from all alike.
  void move_counts() {
    if (!plan_.noise) return;
    double sum = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) sum += is_count(i) ? sums_[i] : 0;
    const double shift = (static_cast<double>(plan_.rows) - sum) / static_cast<double>(counts());
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += is_count(i) ? shift : 0;
  }

  Measures measures(std::span<const double> sums, const NoiseModel& noise, bool whole) const {
    const double rows = static_cast<double>(plan_.rows);
    switch (plan_.by) {
      case JudgedBy::scores: {
        const double threshold = log_odds(plan_.options.threshold);
        return score_measures({sums.first(plan_.parts), sums.subspan(plan_.parts), edges_, has_probabilities(task_),
                               threshold, whole ? rows : std::accumulate(sums.begin(), sums.end(), 0.0)},
                              noise);
      }
      case JudgedBy::answers: {
        const bool two = outputs_per_row(task_) == 1;
        return answer_measures({sums, two ? std::vector<std::string>{"0", "1"} : target_.values, plan_.whole}, noise);
      }
      case JudgedBy::residuals:
        break;
    }
    return residual_measures(residual_sums(sums, whole), of_moments(noise));
  }

  ResidualSums residual_sums(std::span<const double> sums, bool whole) const {
    const schema::TargetUnits units = schema::target_units(target_);
    const auto counts = sums.subspan(engine::kResidualMoments, plan_.parts);
    const double counted = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double rows = whole ? static_cast<double>(plan_.rows) : counted;
    return {.rows = rows,
            .rows_spread = whole ? 0.0 : static_cast<double>(plan_.parts),
            .targets = 2 * sums[0],
            .squares = sums[1],
            .squared_errors = sums[2],
            .errors = sums[3],
            .clipped = sums[4],
            .counts = counts,
            .residuals = sums.subspan(engine::kResidualMoments + plan_.parts),
            .whole_rows = rows,
            .middle = units.middle,
            .half_width = units.half_width};
  }
  // Moments are not moved with the counts; to leave that out of account makes bars a little wider.
  static NoiseModel of_moments(NoiseModel noise) {
    noise.cells = 0;
    return noise;
  }

  const JudgementPlan& plan_;
  std::span<const double> edges_;
  const Task& task_;
  const schema::Target& target_;
  std::vector<double> sums_;
  NoiseModel noise_;
};

}  // namespace

std::vector<std::string> measure_names(const Task& task, const schema::Target& target) {
  std::vector<std::string> names;
  switch (loss::info(task.problem.loss.kind).link) {
    case loss::Link::number:
      return {"r2", "root_mean_square_error", "mean_absolute_error", "mean_error", "clipped_share"};
    case loss::Link::log_odds:
    case loss::Link::margin:
      names = {"accuracy", "positive_share", "predicted_positive_share", "recall", "precision", "false_positive_rate",
               "auc"};
      if (has_probabilities(task)) names.insert(names.end(), {"log_loss", "brier_score"});
      return names;
    case loss::Link::class_scores:
    case loss::Link::answer:
      break;
  }
  names = {"accuracy"};
  for (const std::string& label : outputs_per_row(task) == 1 ? std::vector<std::string>{"0", "1"} : target.values) {
    names.insert(names.end(), {"recall:" + label, "precision:" + label});
  }
  return names;
}

Evaluated evaluated(const Judgement& judgement, const Task& task, const schema::Target& target) {
  const std::size_t groups = std::max<std::size_t>(1, judgement.plan.groups.size());
  require(judgement.sums.size() == groups * judgement.plan.cells() &&
              (judgement.plan.by != JudgedBy::scores || judgement.edges.size() + 1 == judgement.plan.parts),
          "an evaluation has another number of counts than its plan");
  return Reader(judgement.plan, judgement.edges, {judgement.sums.begin(), judgement.sums.end()}, task, target)
      .evaluated();
}

Sensitive<Evaluated> judge_exactly(const data::Dataset& dataset, const FittedModel& model, const JudgementPlan& plan,
                                   Threads threads) {
  require(!plan.noise, "this evaluation was planned as a release");
  const std::vector<double> edges = edges_for(model, plan);
  const schema::Target& target = dataset.encoding().schema().target;
  const auto counted = judged_sums(dataset, model, plan, edges, threads);
  const auto rows = dataset.sums().map(
      [&](const engine::RowSums& sums) { return answers(sums, dataset.encoding(), model, plan.group, threads); });
  return counted.with(rows, [&](const std::vector<std::int64_t>& sums, const engine::RowAnswers& answers) {
    Evaluated result = Reader(plan, edges, {sums.begin(), sums.end()}, model.task, target).evaluated();
    make_exact(result.all, answers, {}, plan, target);
    for (std::size_t g = 0; g < result.groups.size(); ++g) {
      make_exact(result.groups[g].measures, answers, static_cast<std::uint32_t>(g), plan, target);
    }
    return result;
  });
}

}  // namespace dperm::methods
