// SPDX-License-Identifier: Apache-2.0
// Membership inference: how well attackers tell the rows that trained a model from rows of the same table that did
// not. On data that is made up or that its owner has opened. Note: docs/audit_membership.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dperm/audit/membership/scores.hpp"
#include "dperm/audit/statistics/roc.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::audit {

struct MembershipOptions {
  std::size_t models = 16;   // each trained on a random half of the rows; each is attacked with the help of the others
  double confidence = 0.95;  // of both bounds together
  std::uint64_t seed = 1;
  Threads threads = {};
};

inline constexpr std::array<double, 2> kFalsePositives = {0.001, 0.01};

// A threshold that has this share of false positives on half of the rows, counted on the other half.
struct AtFalsePositives {
  double false_positives = 0;  // asked for
  double true_positives = 0;   // as counted over all rows
  Guesses guesses = {};        // on the rows that did not choose the threshold
  Rates bounds{};
};

struct AttackOutcome {
  std::string name;
  std::vector<RocPoint> curve = {};  // over all models and rows
  double area = 0;
  std::array<AtFalsePositives, kFalsePositives.size()> at = {};
};

struct Membership {
  std::size_t rows = 0, trained_on = 0, models = 0;
  double accuracy_members = 0, accuracy_strangers = 0;  // of classification: what was learned by heart is their gap
  std::vector<AttackOutcome> attacks = {};
};

// Half of the rows, rounded down: what a plan must be for.
std::size_t training_rows(const data::Dataset& dataset);

// Trains the models by this one plan, several at a time, and attacks each. A plan without privacy is run: whoever
// audits has opened the data.
Membership attack_membership(const data::Dataset& dataset, const methods::Plan& plan, const MembershipOptions& options);

// The same for models that are there already.
Membership attack_membership(const ShadowModels& models, double confidence);

}  // namespace dperm::audit
