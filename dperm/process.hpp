// SPDX-License-Identifier: Apache-2.0
// Public API: protect_process, for programs that hold records. The library does not call it: it changes the whole
// process, which is for whoever owns it to decide.
#pragma once

#include "dperm/core/process.hpp"
