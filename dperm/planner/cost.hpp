// SPDX-License-Identifier: Apache-2.0
// What a plan will cost to run, in seconds of one core and in memory, from public facts: rough, and enough to choose
// by. Reading files is not counted. Model and measurements: docs/scaling.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::planner {

struct Cost {
  double passes = 0;   // over all rows, or as many rows of samples
  double seconds = 0;  // of one core
  double bytes = 0;    // of encoded rows and what is computed from them; encoded rows that are mapped from a file count
  double rounds = 0;   // how often the rows are asked: jobs, where they lie on other machines
};

Cost cost_of(const methods::Plan& plan);

double cores_here();

// By the clock: a pass is shared among cores, and has an overhead of its own where rows lie on other machines.
double seconds_on(const Cost& cost, double cores, double pass_overhead);

// How far the mean loss of any model on the rows typically lies from that on the population they come from: what nobody
// can see below, however good the method.
double sampling_error_of_risk(const methods::Task& task);

}  // namespace dperm::planner
