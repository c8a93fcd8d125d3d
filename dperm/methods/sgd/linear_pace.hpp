// SPDX-License-Identifier: Apache-2.0
// Clip, steps and learning rate of noisy gradient steps with momentum on a model with one linear score, and the clip of
// one with a score per class, from public facts alone. Derivation and measurements: docs/shapes_settings.md.
#pragma once

#include <cstddef>

#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

// How much a table can teach under its budget: rows times mu (the Gaussian budget) over the typical norm of a row's
// unscaled features. Below about 10 a constant does as well.
double table_signal(const Task& task, privacy::Neighbours neighbours);
// The same for one class: of K classes each has one row in K to learn from, of two one in two.
double class_signal(const Task& task, privacy::Neighbours neighbours);

double linear_clip(const Task& task, privacy::Neighbours neighbours);

// Clipping limits the slopes of the logistic loss, and the scores that are best for such a loss are those of the
// log-odds times a factor that hardly depends on the table (docs/shapes_settings.md). This is what brings them back,
// and the scores of several classes; 1 for other losses.
double score_factor(const Task& task, privacy::Neighbours neighbours, double clip);

// The noise that ends up in a weight that the data say nothing about, in unscaled units: what learning rate times steps
// is chosen for.
double end_noise(const Task& task, privacy::Neighbours neighbours);

// As many steps as bring the noise there with a learning rate that cannot diverge, within limits that do not depend on
// the time they take: where passes take long samples save it, while fewer steps cost accuracy on tables that are hard
// to minimise (docs/scaling.md). `whole_noise` is the deviation of the mean gradient if all budget went into one step.
std::size_t linear_steps(const Task& task, privacy::Neighbours neighbours, double whole_noise);

// Expected rows of a step. All of them, until passes take long: then a sample that is large enough for its noise to be
// as small as that of all rows, and for what the sample adds to the risk to stay far below what the rows themselves
// leave open.
double linear_batch(const Task& task, privacy::Neighbours neighbours, double steps);

struct LinearRate {
  double momentum;  // more where that many steps are not enough: badly conditioned tables need it
  double learning_rate;
};
// For that many steps, each with this noise in the mean gradient.
LinearRate linear_rate(const Task& task, privacy::Neighbours neighbours, double steps, double step_noise);

}  // namespace dperm::methods
