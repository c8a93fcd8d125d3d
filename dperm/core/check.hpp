// SPDX-License-Identifier: Apache-2.0
// Argument checks. Each states the accepted set, so NaN fails every one of them.
#pragma once

#include <string_view>

namespace dperm {

// Throws ArgumentError("NAME must be positive and finite; got VALUE") and the like.
void require_positive_finite(std::string_view name, double value);
void require_nonnegative_finite(std::string_view name, double value);
void require_in_closed_range(std::string_view name, double value, double lower, double upper);
void require_in_open_range(std::string_view name, double value, double lower, double upper);

// Throws ArgumentError(message) unless ok.
void require(bool ok, std::string_view message);

// Throws InternalError(message) unless ok: a bug of ours, not of the caller.
void ensure(bool ok, std::string_view message);

}  // namespace dperm
