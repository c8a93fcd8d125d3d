// SPDX-License-Identifier: Apache-2.0
// How many threads a computation may use. No result depends on it.
#pragma once

namespace dperm {

struct Threads {
  int count = 0;  // 0: all cores
};

}  // namespace dperm
