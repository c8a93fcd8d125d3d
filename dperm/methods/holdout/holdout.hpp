// SPDX-License-Identifier: Apache-2.0
// A fit with rows kept out, which judge it, within one budget. Proof note: holdout.md.
#pragma once

#include <cstddef>

#include "dperm/methods/plan.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

// floor(share * rows). ArgumentError unless the share is strictly between 0 and 1 and leaves rows in either part.
std::size_t held_out_rows(std::size_t rows, double share);

// How many rows the fit is planned for that keeps this share out: the others; of persons all rows, since those of the
// persons kept out are blank and stay in the number.
std::size_t training_rows(std::size_t rows, double share, const schema::Schema& schema);
// How many of them teach something, roughly where persons are drawn, who have different numbers of rows.
std::size_t teaching_rows(std::size_t rows, double share);

// How the rows kept out of a table of `rows` judge a model of this task.
JudgementPlan plan_held_out(const Task& task, const schema::Encoding& encoding, std::size_t rows,
                            const HoldoutOptions& options);

// The plan for all `rows` of a table that runs `training` on those not kept out, drawn in secret, and releases the
// counts that judge its model on the others. Where the schema has a unit, persons are drawn, one coin each, and not
// rows. Either part gets the whole budget: a record, or a person, is in one of them. `training` is a plan for
// training_rows() rows under replace-one neighbours, and `encoding` that of its data; ArgumentError otherwise.
Plan with_holdout(const Plan& training, std::size_t rows, const HoldoutOptions& options,
                  const schema::Encoding& encoding);

}  // namespace dperm::methods
