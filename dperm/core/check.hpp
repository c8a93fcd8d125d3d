// SPDX-License-Identifier: Apache-2.0
// Argument checks. Each states the accepted set, so NaN fails every one of them.
#pragma once

#include <string_view>

namespace dperm {

// Throw ArgumentError(name, "must be positive and finite; got VALUE") and the like. A name that is a field's is the
// field's, so that a shell can say it in its own words.
void require_positive_finite(std::string_view name, double value);
void require_nonnegative_finite(std::string_view name, double value);
void require_in_closed_range(std::string_view name, double value, double lower, double upper);
void require_in_open_range(std::string_view name, double value, double lower, double upper);

// Throws ArgumentError(message), or ArgumentError(field, message), unless ok.
void require(bool ok, std::string_view message);
void require(bool ok, std::string_view field, std::string_view message);

// Throws InternalError(message) unless ok: a bug of ours, not of the caller.
void ensure(bool ok, std::string_view message);

}  // namespace dperm
