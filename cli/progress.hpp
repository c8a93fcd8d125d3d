// SPDX-License-Identifier: Apache-2.0
// A progress bar on a terminal, nothing elsewhere. Shows public numbers only.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::cli {

// Draws on standard error; empty when standard error is no terminal.
methods::Progress terminal_progress();

// Removes the bar: methods need not report their last step.
void clear_progress();

}  // namespace dperm::cli
