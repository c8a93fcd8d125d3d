// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/spending.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::privacy {

PrivacyFilter::PrivacyFilter(Currency currency, double cap, Neighbours neighbours)
    : currency_(currency), cap_(cap), neighbours_(neighbours) {
  require_positive_finite("cap", cap);
}

// [proof privacy_spending.filter]
double PrivacyFilter::cost(const PrivacyEvent& event) const {
  require(event.neighbours == neighbours_, "the filter and the release are stated for different neighbours");
  const std::span<const PrivacyEvent> one(&event, 1);
  if (currency_ == Currency::pure) return pure_epsilon(one);
  if (currency_ == Currency::zcdp) return zcdp_rho(one);
  const double mu = gaussian_mu(one);
  return std::nextafter(mu * mu, std::numeric_limits<double>::infinity());
}

double PrivacyFilter::total_with(double cost) const {
  return cost == 0 ? used_ : std::nextafter(used_ + cost, std::numeric_limits<double>::infinity());
}

bool PrivacyFilter::affords(const PrivacyEvent& event) const {
  const double limit = currency_ == Currency::gaussian ? std::nextafter(cap_ * cap_, 0.0) : cap_;
  // A few units in the last place of slack on the cap would break the promise; refusing costs nothing.
  return total_with(cost(event)) <= limit;
}

void PrivacyFilter::spend(const PrivacyEvent& event) {
  if (!affords(event)) {
    throw BudgetError(fmt::format("'{}' would exceed the cap {:g}: {:g} of it are spent", event.what, cap_, spent()));
  }
  used_ = total_with(cost(event));
}
// [/proof]

double PrivacyFilter::spent() const { return currency_ == Currency::gaussian ? rounded_up(std::sqrt(used_)) : used_; }

double PrivacyFilter::convert(double amount, double delta) const {
  if (amount == 0 || currency_ == Currency::pure) return amount;
  if (currency_ == Currency::zcdp) return zcdp_epsilon(amount, delta);
  return epsilon_gaussian(amount, delta);
}

double PrivacyFilter::epsilon(double delta) const { return convert(cap_, delta); }
double PrivacyFilter::spent_epsilon(double delta) const { return convert(spent(), delta); }

}  // namespace dperm::privacy
