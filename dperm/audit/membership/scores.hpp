// SPDX-License-Identifier: Apache-2.0
// Who was in the training rows? Four attackers, from the statistics of models of which it is known who was in: each
// model in turn is the one that is attacked, the others are the shadow models. Note: docs/audit_membership.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dperm::audit {

// Of every model: the statistic of every row, and whether the row trained it. At least three models, all with the same
// rows (ArgumentError).
struct ShadowModels {
  std::vector<std::vector<double>> sureness;  // model by model, row by row
  std::vector<std::vector<bool>> trained;
  std::vector<std::uint32_t> kind;  // of every row
};

enum class MembershipAttack { loss_threshold, shadow, lira_offline, lira_online };
inline constexpr MembershipAttack kMembershipAttacks[] = {MembershipAttack::loss_threshold, MembershipAttack::shadow,
                                                          MembershipAttack::lira_offline,
                                                          MembershipAttack::lira_online};
std::string name_of(MembershipAttack attack);

// How strongly the attacker believes that the row trained the model, row by row: larger for members. Of the attacked
// model only what it says is used, of the others also who was in.
//   loss_threshold  the statistic itself [YGFJ18]
//   shadow          how much likelier it is among members than among others, class by class [SSSS17]
//   lira_offline    how unlikely it is among models that did not have the row [CCNSTT22]
//   lira_online     the likelihood ratio of models with and without the row [CCNSTT22]
std::vector<double> membership_scores(MembershipAttack attack, const ShadowModels& models, std::size_t attacked);

}  // namespace dperm::audit
