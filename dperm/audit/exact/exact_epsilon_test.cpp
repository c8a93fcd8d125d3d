// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/exact/exact_epsilon.hpp"

#include <gtest/gtest.h>

#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/audit/subjects.hpp"

namespace dperm::audit {
namespace {

// What is proved is nearly attained, and never exceeded: by the Gaussian at its delta, by exponential noise, by a
// choice and by a random term.
TEST(AuditExact, TheLossComesNearTheClaimFromBelow) {
  for (const char* name : {"output-certified", "output-descent", "output-certified-pure", "exponential-location-mean",
                           "exponential-rules", "objective-perturbation-pure"}) {
    for (const double epsilon : {0.5, 4.0}) {
      const Subject each = subject(name, epsilon);
      const Found found =
          worst_pair(each.plan, each.encoding, each.rows, {.most_replays = 120, .climbs = 40, .pick_outputs = false});
      const auto exact = exact_epsilon(each.plan, found.pair, found.comparison);
      ASSERT_TRUE(exact.has_value()) << name;
      EXPECT_LE(*exact, each.plan.guarantee.epsilon * (1 + 1e-9)) << name;
      EXPECT_GE(*exact, 0.8 * each.plan.guarantee.epsilon) << name << " " << epsilon;
    }
  }
}

TEST(AuditExact, SeveralReleasesHaveNoSuchNumber) {
  const Subject each = subject("gradient-descent", 1);
  EXPECT_FALSE(exact_epsilon(each.plan, {}, {}).has_value());
}

}  // namespace
}  // namespace dperm::audit
