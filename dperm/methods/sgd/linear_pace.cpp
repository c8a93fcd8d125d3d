// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/linear_pace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dperm/methods/sgd/optimiser.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::methods {

namespace {

double env(const char* name, double value) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : value;
}

double row_square(const Task& task) {
  return task.facts.row_square > 0 ? task.facts.row_square : static_cast<double>(task.facts.columns);
}

// A learning rate times curvature that heavy ball steps still damp well; they diverge at 2 (1 + momentum).
double stable_rate(const Task& task) {
  const double smoothness = loss::constants(task.problem.loss, 1, 1).smoothness;
  const double curvature = std::isfinite(smoothness) ? smoothness : 1;
  return env("P_STABLE", 1.8) * (1 + kMomentum) / (curvature * static_cast<double>(task.facts.columns));
}

}  // namespace

double table_signal(const Task& task, privacy::Neighbours neighbours) {
  const double change = neighbours == privacy::Neighbours::replace_one ? 1 : 0.5;
  const double mu = 1 / privacy::sigma_for(change, task.budget.epsilon, task.budget.delta);
  return static_cast<double>(task.facts.rows) * mu / std::sqrt(row_square(task));
}

double linear_clip(const Task& task, privacy::Neighbours neighbours) {
  const double signal = table_signal(task, neighbours);
  const bool margin = loss::is_classification(task.problem.loss.kind);
  const double share = margin ? std::clamp(env("P_CLIP", 0.5) * std::pow(signal / env("P_CLIPNU", 1500), env("P_CLIPE", 0)), env("P_CLIP", 0.5), 1.0)
                              : std::clamp(env("P_CLIPR", 0.2) * std::cbrt(signal / 500), env("P_CLIPR", 0.2), 0.5);
  return share * std::sqrt(row_square(task));
}

double score_stretch(const Task& task, privacy::Neighbours neighbours, double clip) {
  if (task.problem.loss.kind != loss::LossKind::logistic) return 1;
  const double share = std::min(clip / std::sqrt(row_square(task)), 1.0);
  return std::min(1.0, env("P_B0", 0.705) + env("P_B1", 50) / table_signal(task, neighbours) + env("P_B2", 0.6) * (share - 0.5));
}

double end_noise(const Task& task, privacy::Neighbours neighbours) {
  const double features = static_cast<double>(task.facts.dimension), blocks = static_cast<double>(task.facts.columns);
  return env("P_KAPPA", 0.19) * std::cbrt(table_signal(task, neighbours)) * std::sqrt(blocks / features);
}

std::size_t linear_steps(const Task& task, privacy::Neighbours neighbours, double whole_noise) {
  const double time = end_noise(task, neighbours) / whole_noise;
  const double needed = time * (1 - kMomentum) / stable_rate(task);
  return static_cast<std::size_t>(std::clamp(std::ceil(needed), env("P_TMIN", 200), env("P_TMAX", 1000)));
}

double linear_rate(const Task& task, privacy::Neighbours neighbours, double steps, double step_noise) {
  const double wanted = (1 - kMomentum) * end_noise(task, neighbours) / (std::sqrt(steps) * step_noise);
  return std::min(wanted, stable_rate(task));
}

}  // namespace dperm::methods
