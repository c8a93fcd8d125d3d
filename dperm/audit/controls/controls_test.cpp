// SPDX-License-Identifier: Apache-2.0
// Every broken variant is flagged, and the right one beside it is not, at a chance of error of 1e-11 each: ten of them
// at each of a thousand changes raise a false alarm with probability 1e-7.
#include "dperm/audit/controls/controls.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "dperm/core/error.hpp"

namespace dperm::audit {
namespace {

class AuditControls : public testing::TestWithParam<std::string> {};

TEST_P(AuditControls, TheBrokenVariantIsFlaggedAndTheRightOneIsNot) {
  const ControlResult result = run_control(GetParam(), {.error = 1e-11});
  EXPECT_TRUE(result.broken.flagged) << result.broken.evidence;
  EXPECT_FALSE(result.right.flagged) << result.right.evidence;
}

INSTANTIATE_TEST_SUITE_P(All, AuditControls, testing::ValuesIn(control_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(AuditControlList, UnknownNamesAreRefused) { EXPECT_THROW(run_control("magic", {}), ArgumentError); }

}  // namespace
}  // namespace dperm::audit
