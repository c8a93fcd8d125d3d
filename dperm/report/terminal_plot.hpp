// SPDX-License-Identifier: Apache-2.0
// The same curves for a terminal: plain letters on logarithmic scales, 60 columns wide.
#pragma once

#include <string>

#include "dperm/planner/curves.hpp"

namespace dperm::planner {

// What is drawn upwards.
enum class Height { accuracy_lost, excess_risk };

// One letter per method; where several meet, that of the first. The task's own value is marked on the axis. Points
// without a forecast are left out; text that says so when nothing is left.
std::string terminal_plot(const Curves& curves, Height height, const std::string& title);

}  // namespace dperm::planner
