// SPDX-License-Identifier: Apache-2.0
// What an audit found, as SVG: lower bounds beside what is proved, and how the privacy loss of a game is spread.
#pragma once

#include <string>
#include <vector>

#include "dperm/audit/audit.hpp"

namespace dperm::audit {

// One bar a case: the lower bound in front of the proved epsilon.
std::string bounds_picture(const std::vector<MethodAudit>& audits);

// Scores of the runs on both tables, as two histograms over the same range, with the proved epsilon marked. Of scores
// that are privacy losses.
std::string loss_picture(const MethodAudit& audit);

// The attacker's rates in the game on log scales, in front of what is proved: nobody is above that line.
std::string roc_picture(const MethodAudit& audit);

}  // namespace dperm::audit
