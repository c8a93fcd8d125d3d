// SPDX-License-Identifier: Apache-2.0
// Owner of one MPFR number, for arithmetic with a stated direction of rounding. Internal to this room.
#pragma once

#include <cstdint>

#define MPFR_USE_INTMAX_T  // declares the conversions from 64-bit integers
#include <mpfr.h>

#include "dperm/random/real.hpp"

namespace dperm::privacy::detail {

class ExactReal {
 public:
  explicit ExactReal(mpfr_prec_t precision) {
    random::detail::free_constants_with_thread();
    mpfr_init2(value_, precision);
  }
  // Exact: the precision must be at least 53.
  ExactReal(mpfr_prec_t precision, double value) : ExactReal(precision) { mpfr_set_d(value_, value, MPFR_RNDN); }
  ~ExactReal() { mpfr_clear(value_); }
  ExactReal(const ExactReal&) = delete;
  ExactReal& operator=(const ExactReal&) = delete;

  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace dperm::privacy::detail
