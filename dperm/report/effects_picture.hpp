// SPDX-License-Identifier: Apache-2.0
// The effects in a model as an SVG picture. Released numbers only.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"
#include "dperm/report/effect_panels.hpp"

namespace dperm::report {

// Every curve, category and pair of a linear model, those with the largest effects first.
std::vector<EffectPanel> effect_panels(const model::Model& model);

// One small panel per curve, category and pair, those with the largest effects first, effects on one scale: curves as
// lines with their knots in the column's unit, steps as steps, categories as bars, pairs as maps. Readable on light and
// dark pages. `effect` says what effects are on. Throws ArgumentError for networks and rules, and where there is
// nothing to draw.
std::string effects_picture(const model::Model& model, const std::string& effect);

}  // namespace dperm::report
