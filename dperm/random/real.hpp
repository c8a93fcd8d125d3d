// SPDX-License-Identifier: Apache-2.0
// Internal: owns one MPFR number.
#pragma once

#include <mpfr.h>

namespace dperm::random::detail {

class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace dperm::random::detail
