// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dperm {
namespace {

// In a child: it cannot be undone for the limit, and other tests may want a dump.
TEST(ProtectProcess, LeavesNothingToAttachToAndNoDump) {
  ASSERT_EQ(prctl(PR_GET_DUMPABLE), 1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    protect_process();
    rlimit core{1, 1};
    getrlimit(RLIMIT_CORE, &core);
    _exit(prctl(PR_GET_DUMPABLE) == 0 && core.rlim_cur == 0 && core.rlim_max == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace dperm
