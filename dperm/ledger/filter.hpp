// SPDX-License-Identifier: Apache-2.0
// What requests on one dataset cost together, however each was chosen with knowledge of all earlier results, held under
// a cap that was fixed beforehand. Note: filter.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dperm/core/words.hpp"
#include "dperm/ledger/protected_unit.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::ledger {

// What adds up. A request without a cost in the currency enters as the (epsilon, delta) of all its releases together.
enum class Currency {
  pure,      // epsilons; delta is 0
  basic,     // epsilons and deltas
  gaussian,  // squares of mu: for many Gaussian releases
  renyi,     // Renyi divergences at orders fixed beforehand: for Gaussian, sampled and pure releases in any mixture
};

// What may be spent on a dataset, fixed when it is registered.
struct Cap {
  double epsilon = 0;
  double delta = 0;  // 0 with pure, strictly between 0 and 1 with the others
  Currency currency = Currency::basic;
  privacy::Neighbours neighbours = privacy::Neighbours::replace_one;
  ProtectedUnit unit = {};
  std::vector<double> orders = {};  // renyi: by fixed_orders, kept with the cap
  bool operator==(const Cap&) const = default;
};

// The cap with what follows from it. Throws ArgumentError for one that promises nothing.
Cap checked(Cap cap);

// What one request costs. All numbers are upper bounds.
struct Cost {
  double epsilon = 0, delta = 0;          // of all its releases together
  std::optional<double> mu_squared = {};  // gaussian, where it has one
  std::vector<double> divergences = {};   // renyi, where it has them: at the cap's orders, and its pure epsilon
  bool operator==(const Cost&) const = default;
};

// `epsilon` and `delta` are the guarantee of all events together, which were fixed beforehand; `events` may be empty
// where only that is known.
Cost cost_of(const Cap& cap, std::span<const privacy::PrivacyEvent> events, double epsilon, double delta);

// What several requests come to: of those without a cost in the currency, epsilon and delta; of the others the rest.
struct Sum {
  double epsilon = 0, delta = 0, mu_squared = 0;
  std::vector<double> divergences = {};
};
Sum plus(const Cap& cap, Sum sum, const Cost& cost);

// The smallest cap that would have let all of it pass: what was spent.
struct Spent {
  double epsilon = 0, delta = 0;
};
Spent spent(const Cap& cap, const Sum& sum);

// Whether the cap lets it pass. Decimals of numbers are given their last digits: see kDecimalSlack.
bool within(const Cap& cap, const Sum& sum);
inline constexpr double kDecimalSlack = 1e-9;

// The most that a request without a cost in the currency may ask for: below it the cap lets it pass.
Spent room(const Cap& cap, const Sum& sum);

// How often, at most, someone is right who knows all other records and must say which of two tables was used; guessing
// is right half of the time.
double attacker_success(const Spent& spent);

}  // namespace dperm::ledger

template <>
struct dperm::Words<dperm::ledger::Currency> {
  using enum ledger::Currency;
  static constexpr std::array table = {
      std::pair{pure, std::string_view("pure")}, std::pair{basic, std::string_view("basic")},
      std::pair{gaussian, std::string_view("gaussian")}, std::pair{renyi, std::string_view("renyi")}};
};
