// SPDX-License-Identifier: Apache-2.0
// Quick scores of special plans; each gives nothing where the plan is not one of them. A score need not be the exact
// privacy loss: a game counts what it is worth.
#pragma once

#include <memory>
#include <optional>

#include "dperm/audit/game/game.hpp"

namespace dperm::audit {

// One choice among candidates: the costs on both tables are the same in every run and are asked for once, by these
// two runs.
std::optional<Play> one_choice_play(const methods::Plan& plan, std::shared_ptr<const Tables> tables,
                                    const Tamper& tamper, const Transcript& first, const Transcript& second);

// Sums with additive noise of which both tables' answers differ by the same numbers in every run, as a few replays saw:
// a run then tells what the other table would have answered.
std::optional<Play> same_gap_play(const methods::Plan& plan, std::shared_ptr<const Tables> tables,
                                  const Tamper& tamper);

}  // namespace dperm::audit
