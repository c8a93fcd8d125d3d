// SPDX-License-Identifier: Apache-2.0
// What a list of releases promises: plain data, as it stands in the model file and the report.
#pragma once

#include <optional>
#include <string>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

struct Guarantee {
  double epsilon = 0;  // an upper bound
  double delta = 0;    // 0 when pure
  Neighbours neighbours = Neighbours::replace_one;
  std::string accountant = {};     // "pure", "gaussian-dp", "zcdp", "basic", "privacy-loss", "renyi", "none"
  std::optional<double> mu = {};   // Gaussian DP parameter, when every release is Gaussian
  std::optional<double> rho = {};  // zCDP parameter, when some release is Gaussian
  bool pure = true;                // holds with delta = 0
  static constexpr auto fields() {
    using G = Guarantee;
    return std::tuple(field("epsilon", &G::epsilon), field("delta", &G::delta), field("pure", &G::pure),
                      field("neighbours", &G::neighbours), field("accountant", &G::accountant),
                      optional_field("mu", &G::mu), optional_field("rho", &G::rho));
  }
  bool operator==(const Guarantee&) const = default;
};

}  // namespace dperm::privacy
