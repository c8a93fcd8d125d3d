// SPDX-License-Identifier: Apache-2.0
// Lets tests look inside a Sensitive. Nothing outside tests may include this header (tools/check_layers.py).
#pragma once

#include "dperm/core/sensitive.hpp"

namespace dperm {

struct SensitiveTestAccess {
  template <class T>
  static const T& open(const Sensitive<T>& sensitive) {
    return sensitive.value_;
  }
};

}  // namespace dperm
