// SPDX-License-Identifier: Apache-2.0
// Costs of releases that add up: pure epsilon, the square of Gaussian DP's mu, and rho of zCDP. Every result is rounded
// up. All throw ArgumentError for impossible events and for events under different neighbouring relations. Note:
// accountant.md.
#pragma once

#include <span>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

double pure_epsilon(std::span<const PrivacyEvent> events);  // throws ArgumentError unless all are pure
double pure_epsilon_once(const PrivacyEvent& event);        // of one of its repetitions
double gaussian_mu(std::span<const PrivacyEvent> events);   // throws ArgumentError unless all are Gaussian
double zcdp_rho(std::span<const PrivacyEvent> events);      // epsilon tanh(epsilon/2) for a pure release
double zcdp_epsilon(double rho, double delta);              // the infimum over orders of [CKS20, Prop. 12]
double zcdp_epsilon_classical(double rho, double delta);    // rho + 2 sqrt(rho ln(1/delta)), [BS16, Prop. 1.3]

}  // namespace dperm::privacy
