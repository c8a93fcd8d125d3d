// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/one_run/one_run.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"

namespace dperm::audit {
namespace {

// Values of the formula of [SNJ23], computed with SciPy's binomial distribution, and the same as another
// implementation's (jax_privacy).
TEST(AuditOneRun, TheBoundIsThePapers) {
  EXPECT_NEAR(one_run_epsilon(1000, 1000, 600, 1e-5, 0.05), 0.297226954, 1e-8);
  EXPECT_NEAR(one_run_epsilon(1000, 100, 95, 1e-5, 0.05), 2.165175800, 1e-8);
  EXPECT_NEAR(one_run_epsilon(5000, 200, 190, 0, 0.05), 2.397871477, 1e-8);
}

// Two guesses, both right, of someone without any information: a quarter.
TEST(AuditOneRun, ByHand) {
  EXPECT_NEAR(one_run_p_value(2, 2, 2, 0, 0), 0.25, 1e-15);
  // delta adds 2 m delta times max(P[Bin = 1] / 1, P[Bin <= 1] / 2) = max(1/2, 3/8).
  EXPECT_NEAR(one_run_p_value(2, 2, 2, 0, 0.1), 0.25 + 4 * 0.1 * 0.5, 1e-15);
  EXPECT_EQ(one_run_epsilon(10, 10, 5, 0, 0.05), 0) << "half right shows nothing";
  EXPECT_THROW(one_run_p_value(2, 3, 1, 1, 0), ArgumentError);
}

TEST(AuditOneRun, StaysBelowTheProvedEpsilonAndSeesSomething) {
  const OneRun audit = one_run_audit(8, 1e-7, 2000, 1e-3, 3);
  EXPECT_GT(audit.epsilon, 0.5);
  EXPECT_LE(audit.epsilon, audit.proved);
}

}  // namespace
}  // namespace dperm::audit
