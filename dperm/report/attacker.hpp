// SPDX-License-Identifier: Apache-2.0
// What an attacker can reach, as numbers and in the words that people are told: the same in every shell. All numbers
// are upper bounds, and their digits are rounded up.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dperm/model/model.hpp"
#include "dperm/privacy/composition/account_report.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::report {

// Who knows all other rows and must say which of two values one row (or one person's rows) had.
struct Attacker {
  double success;                          // share of right answers where both are equally likely
  std::vector<privacy::AttackRate> curve;  // from (0, .) to (1, 1): false alarms and hits
  bool from_events;                        // false: from epsilon and delta alone, which is a little pessimistic
};

// From epsilon and delta: the largest power of a test of this level.
double power_at(const privacy::Guarantee& guarantee, double level);

// privacy::advantage of what the plan releases. Rows that are kept out were drawn in secret, whatever they hold: the
// advantage against a row is a mean over the parts that it may be in, by their sizes, because the distance of two
// mixtures with the same weights is at most the mean of the distances.
double advantage(const methods::Plan& plan);
// The same of a model's own releases.
double own_advantage(const model::Model& model);
// Of an inference by its cap alone: which releases it made depended on earlier ones, so that their list is no bound.
double advantage(const schema::Inference& inference);
// Of a model's releases and of those that its schema rests on, which add up.
double total_advantage(const model::Model& model);

// False alarm rates that are told in tables.
inline constexpr std::array<double, 4> kToldLevels = {0.001, 0.01, 0.05, 0.1};
// 45 false alarm rates from 0 to 1: those, and others denser at both ends, where curves are steep.
std::vector<double> curve_levels();

// The tight curve of the events where their loss distributions are known, else (and where it is smaller) that of the
// guarantee; what was inferred before enters by `total`, the guarantee with it. `levels`: false alarm rates.
Attacker attacker_of(std::span<const privacy::PrivacyEvent> events, const privacy::Guarantee& guarantee,
                     const privacy::Guarantee& total, const std::vector<double>& levels = curve_levels());

// Of a model, with what was inferred for its schema before: no attacker finds more than the false alarms allow plus
// total_advantage.
Attacker attacker_of(const model::Model& model, const std::vector<double>& levels = curve_levels());

// "53.5%": a share that is not exceeded, with at most four digits.
std::string percent_above(double share);
// "someone who knows all other rows guesses right at most 53.5% of the time (a coin: 50%)"
std::string guess_text(double success, const std::optional<schema::Unit>& unit);

}  // namespace dperm::report
