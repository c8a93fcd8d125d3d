// SPDX-License-Identifier: Apache-2.0
// Internal: owns one MPFR number.
#pragma once

#include <mpfr.h>

namespace dperm::random::detail {

// MPFR keeps constants for each thread, and leaves them behind when it ends: to be called by every thread that uses it.
inline void free_constants_with_thread() {
  struct Constants {
    ~Constants() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  };
  thread_local const Constants constants;
  static_cast<void>(constants);
}

class Real {
 public:
  explicit Real(mpfr_prec_t precision) {
    free_constants_with_thread();
    mpfr_init2(value_, precision);
  }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace dperm::random::detail
