// SPDX-License-Identifier: Apache-2.0
// What privacy costs a model with one linear score that is fitted by `sgd` at its own pace, as measured against the
// signal of the table (methods::table_signal). Tables that chose the constants, and the check on others:
// docs/forecast.md.
#pragma once

#include "dperm/planner/range.hpp"

namespace dperm::planner {

// Share of right answers lost.
Range share_lost(double signal);
// The same for networks and for one score per class, which `sgd` fits by Adam on samples.
Range layers_share_lost(double signal);
// Excess risk of the logistic loss. Curves have more to learn than lines and categories.
Range log_loss_added(double signal, bool curved);
// Root mean square by which scores of a real target in [-1, 1] move. `blocks` of columns, the intercept among them.
Range scores_moved(double signal, double blocks);
// The same for networks.
Range layers_moved(double signal);

}  // namespace dperm::planner
