// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/linear_pace.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::methods {

namespace {

// Chosen on adult, credit, bank, covertype, california and power; docs/shapes_settings.md says how well they do on the
// others.
constexpr double kMarginClip = 0.5;                      // of the typical norm of a row
constexpr double kMostClassesClip = 3;                   // rows of many columns are shorter than they could be
constexpr double kRealClip = 0.25, kMostRealClip = 0.5;  // of the same: residuals are mostly small
constexpr double kRealClipSignal = 500;                  // from here on it grows
constexpr double kMarginNoise = 0.2, kRealNoise = 0.12;  // of end_noise
constexpr double kMuchSignal = 300;                      // from here on it grows more slowly
constexpr double kSureOfScores = 0.94;                   // what the noise in scores leaves of them
constexpr double kSureOfClasses = 0.75;                  // the same and the stretch, for a score per class
constexpr double kEarlyStop = 20;                        // signal at which stopping early undoes the stretch
constexpr double kFewestSteps = 200, kMostSteps = 1000;
// Samples: the smallest noise multiplier that loses nothing to sampling, the fewest rows, how many times the steps look
// at (weights times the root of the rows) rows, and the largest share of the rows below which a sample is faster.
constexpr double kLosslessMultiplier = 4, kFewestRows = 50000, kLooks = 50, kFasterShare = 0.125;
constexpr double kMomentum = 0.9, kMuchMomentum = 0.97;
constexpr double kSettling = 0.9;  // of the learning rate at which steps diverge
constexpr double kNearlyEnough = 1.2;

bool is_margin(const Task& task) { return loss::is_classification(task.problem.loss.kind); }

double row_norm(const Task& task) {
  return std::sqrt(task.facts.row_square > 0 ? task.facts.row_square : static_cast<double>(task.facts.columns));
}

// Heavy ball steps diverge at 2 (1 + momentum) over the largest curvature, which no table exceeds: the smoothness of
// the loss times the largest squared norm of a row.
double largest_rate(const Task& task, double momentum) {
  const double smoothness = loss::constants(task.problem.loss, 1, 1).smoothness;
  const double curvature = std::isfinite(smoothness) ? smoothness : 1;
  return kSettling * 2 * (1 + momentum) / (curvature * static_cast<double>(task.facts.columns));
}

// Steps that make up this learning rate times steps, what momentum adds to it included.
double needed_steps(const Task& task, double momentum, double time) {
  return time * (1 - momentum) / largest_rate(task, momentum);
}

}  // namespace

double table_signal(const Task& task, privacy::Neighbours neighbours) {
  const double change = neighbours == privacy::Neighbours::replace_one ? 1 : 0.5;
  const double mu = 1 / privacy::sigma_for(change, task.budget.epsilon, task.budget.delta);
  const double group = static_cast<double>(group_of(task.facts));
  return static_cast<double>(task.facts.rows) * mu / (group * row_norm(task));
}

double class_signal(const Task& task, privacy::Neighbours neighbours) {
  return table_signal(task, neighbours) * 2 / std::max(2.0, static_cast<double>(task.facts.classes));
}

double linear_clip(const Task& task, privacy::Neighbours neighbours) {
  if (model_form(task.problem) == ModelForm::multiclass)
    return std::min(kMarginClip * row_norm(task), kMostClassesClip);
  if (is_margin(task)) return kMarginClip * row_norm(task);
  const double growth = std::cbrt(table_signal(task, neighbours) / kRealClipSignal);
  return std::clamp(kRealClip * growth, kRealClip, kMostRealClip) * row_norm(task);
}

double score_factor(const Task& task, privacy::Neighbours neighbours, double clip) {
  if (model_form(task.problem) == ModelForm::multiclass) return kSureOfClasses;
  if (task.problem.loss.kind != loss::LossKind::logistic) return 1;
  const double rest = 1 - std::min(clip / row_norm(task), 1.0);
  return std::min(1.0, kSureOfScores * (1 - rest * rest) + kEarlyStop / table_signal(task, neighbours));
}

double end_noise(const Task& task, privacy::Neighbours neighbours) {
  const double signal = table_signal(task, neighbours);
  const double growth =
      std::cbrt(std::min(signal, kMuchSignal)) * std::pow(std::max(signal / kMuchSignal, 1.0), 1.0 / 6);
  const double blocks = static_cast<double>(task.facts.columns), weights = static_cast<double>(task.facts.dimension);
  return (is_margin(task) ? kMarginNoise : kRealNoise) * growth * std::sqrt(blocks / weights);
}

std::size_t linear_steps(const Task& task, privacy::Neighbours neighbours, double whole_noise) {
  const double needed = needed_steps(task, kMomentum, end_noise(task, neighbours) / whole_noise);
  return static_cast<std::size_t>(std::clamp(std::ceil(needed), kFewestSteps, kMostSteps));
}

double linear_batch(const Task& task, privacy::Neighbours neighbours, double steps) {
  const double rows = static_cast<double>(task.facts.rows), weights = static_cast<double>(task.facts.dimension);
  if (group_of(task.facts) > 1) return rows;  // for several rows of a person samples amplify less
  const double change = neighbours == privacy::Neighbours::replace_one ? 2 : 1;
  const double whole = change * std::sqrt(steps) * privacy::sigma_for(1, task.budget.epsilon, task.budget.delta);
  const double lossless = rows * kLosslessMultiplier / whole;
  const double sample = std::ceil(std::max({lossless, kFewestRows, kLooks * weights * std::sqrt(rows) / steps}));
  return sample <= kFasterShare * rows ? sample : rows;
}

LinearRate linear_rate(const Task& task, privacy::Neighbours neighbours, double steps, double step_noise) {
  const double time = end_noise(task, neighbours) * std::sqrt(steps) / step_noise;
  const bool enough = needed_steps(task, kMomentum, time) <= kNearlyEnough * steps;
  const double momentum = enough ? kMomentum : kMuchMomentum;
  return {momentum, std::min((1 - momentum) * time / steps, largest_rate(task, momentum))};
}

}  // namespace dperm::methods
