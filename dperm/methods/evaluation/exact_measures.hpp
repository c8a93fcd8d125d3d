// SPDX-License-Identifier: Apache-2.0
// What bins hide, from the rows themselves: for public rows. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>

#include "dperm/engine/queries.hpp"
#include "dperm/methods/evaluation/judgement.hpp"

namespace dperm::methods {

// Puts the exact numbers in the place of those that exact counts leave open (AUC, log loss, Brier score, predicted
// means, residuals beyond half of the range), for all rows or those of one group. What is left of total radii is
// sampling.
void make_exact(Measures& measures, const engine::RowAnswers& answers, std::optional<std::uint32_t> group,
                const JudgementPlan& plan, const schema::Target& target);

}  // namespace dperm::methods
