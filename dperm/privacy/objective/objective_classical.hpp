// SPDX-License-Identifier: Apache-2.0
// The noise that earlier theorems ask for when an objective is perturbed, under replace-one neighbours: baselines to
// compare with. A method that uses one never takes less than the proved profile asks for (objective_profile.hpp).
#pragma once

namespace dperm::privacy {

// What the theorems know of one record's loss.
struct RecordBounds {
  double gradient;           // norm of its gradient at most
  double second_derivative;  // in the score, at most
};

// Each throws ArgumentError naming the smallest penalty (of the summed objective) where its theorem says nothing.

// Scale of density exp(-||b||/scale): 2 L/epsilon' with epsilon' = epsilon - 2 ln(1 + beta/penalty) [CMS11].
double cms11_scale(const RecordBounds& record, double penalty, double epsilon);
double cms11_least_penalty(const RecordBounds& record, double epsilon);  // where epsilon' is half of epsilon

// Gaussian: 2 L sqrt(8 ln(2/delta) + 4 epsilon)/epsilon, penalty at least 2 beta/epsilon [KST12], with twice its
// gradient bound, because a replaced record is one removed and one added.
double kst12_sigma(const RecordBounds& record, double penalty, double epsilon, double delta);
double kst12_least_penalty(const RecordBounds& record, double epsilon);

// Gaussian: 2 L (1 + sqrt(2 ln(1/delta)))/epsilon_3 with epsilon_3 = 0.9 epsilon, penalty at least 2 beta over the rest
// [INST19]; epsilon and delta are the share of the random term.
double amp_sigma(const RecordBounds& record, double penalty, double epsilon, double delta);
double amp_least_penalty(const RecordBounds& record, double epsilon);
// Its second step: noise on approximate minima of which two can be `sensitivity` apart (twice the distance of one to
// the true minimum).
double amp_output_sigma(double sensitivity, double epsilon, double delta);

}  // namespace dperm::privacy
