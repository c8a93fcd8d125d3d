// SPDX-License-Identifier: Apache-2.0
// Public API: the kinds of failure, all derived from std::exception. ArgumentError (the caller asked for something
// impossible; field() names the setting), DataError (a file or stream cannot be used as it is), BudgetError (the
// privacy budget does not allow it), InternalError (a promise of the library is broken). No text holds a value from a
// record.
#pragma once

#include "dperm/core/error.hpp"
