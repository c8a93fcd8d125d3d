// SPDX-License-Identifier: Apache-2.0
// The curves, steps, categories in order and pairs of a model as effects on its score. A curve's linear term and its
// knots are one effect; neither says much alone.
#pragma once

#include <span>
#include <vector>

#include "dperm/model/effects.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::model {

// By column and by pair, in the schema's order, for the weights of one score. Columns that are linear, and plain
// categories, have coefficients only.
//
// intercept (as coefficients() gives it) + coefficients of linear columns and plain categories + effects = score, for
// every row within bounds. At values given here effects are exact; cells are rounded to the encoding's lattice, where
// knot j of p pieces lies at share 32768 j / (32767 p) of the range, so between them a score may differ by (p + 2) /
// 32767 of the largest difference between neighbouring weights. A pair's column whose knots were given is straight
// between its own knots too, which a coarser surface does not show.
std::vector<Curve> curves(const schema::Encoding& encoding, std::span<const double> weights);
std::vector<Surface> surfaces(const schema::Encoding& encoding, std::span<const double> weights);

// Plain categories and booleans, an effect per level, in the same form: what coefficients() has for them.
std::vector<Curve> category_effects(const schema::Encoding& encoding, std::span<const double> weights);

// The effect at any value: outside the given ones that of the nearest. For labels `value` is the place in the list.
double effect_at(const Curve& curve, double value);
double effect_at(const Surface& surface, double first, double second);

}  // namespace dperm::model
