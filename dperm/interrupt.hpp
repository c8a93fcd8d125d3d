// SPDX-License-Identifier: Apache-2.0
// Public API: ending a call in the middle. While an InterruptScope lives, reading, fits and predictions that its thread
// asks for call its function every few milliseconds; what that throws ends the call. The budget of a fit that ended so
// counts as spent.
#pragma once

#include "dperm/core/interrupt.hpp"
