// SPDX-License-Identifier: Apache-2.0
// Adaptive spending: releases whose kind and noise are chosen with knowledge of earlier results, held under a cap that
// was fixed in advance. Note: spending.md.
#pragma once

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

enum class Currency {
  pure,      // sum of epsilons
  zcdp,      // sum of rho
  gaussian,  // sum of mu^2; Gaussian releases only
};

// A filter: refuses what would pass the cap. What it accepted is, all together, as private as the cap says, however
// the releases were chosen.
class PrivacyFilter {
 public:
  // cap: epsilon, rho or mu.
  PrivacyFilter(Currency currency, double cap, Neighbours neighbours);

  // The cost is known before anything is released. Throws ArgumentError for events that the currency cannot express.
  bool affords(const PrivacyEvent& event) const;
  // Throws BudgetError, and spends nothing, when it does not fit.
  void spend(const PrivacyEvent& event);

  double cap() const { return cap_; }
  double spent() const;  // epsilon, rho or mu so far: an odometer; a guarantee only through the cap
  // The epsilon of the cap, and of what is spent so far, at delta (which pure does not use).
  double epsilon(double delta) const;
  double spent_epsilon(double delta) const;

 private:
  double cost(const PrivacyEvent& event) const;
  double total_with(double cost) const;
  double convert(double amount, double delta) const;

  Currency currency_;
  double cap_;
  Neighbours neighbours_;
  double used_ = 0;  // sum of epsilon, rho or mu^2, rounded up
};

}  // namespace dperm::privacy
