// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/check.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "dperm/core/error.hpp"

namespace dperm {

void require(bool ok, std::string_view message) {
  if (!ok) throw ArgumentError(std::string(message));
}

void require(bool ok, std::string_view field, std::string_view message) {
  if (!ok) throw ArgumentError(field, message);
}

void ensure(bool ok, std::string_view message) {
  if (!ok) throw InternalError(std::string(message));
}

void require_positive_finite(std::string_view name, double value) {
  if (!(value > 0 && std::isfinite(value))) {
    throw ArgumentError(name, fmt::format("must be positive and finite; got {}", value));
  }
}

void require_nonnegative_finite(std::string_view name, double value) {
  if (!(value >= 0 && std::isfinite(value))) {
    throw ArgumentError(name, fmt::format("must be finite and not negative; got {}", value));
  }
}

void require_in_closed_range(std::string_view name, double value, double lower, double upper) {
  if (!(value >= lower && value <= upper)) {
    throw ArgumentError(name, fmt::format("must be at least {} and at most {}; got {}", lower, upper, value));
  }
}

void require_in_open_range(std::string_view name, double value, double lower, double upper) {
  if (!(value > lower && value < upper)) {
    throw ArgumentError(name, fmt::format("must be strictly between {} and {}; got {}", lower, upper, value));
  }
}

}  // namespace dperm
