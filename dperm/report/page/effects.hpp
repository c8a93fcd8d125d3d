// SPDX-License-Identifier: Apache-2.0
// The effects in a linear model, with one score or one per class: curves, categories and surfaces as pictures,
// coefficients as a table with bars.
#pragma once

#include "dperm/report/page/facts.hpp"

namespace dperm::report {

Html effects(const Facts& facts, const Place& place);

}  // namespace dperm::report
